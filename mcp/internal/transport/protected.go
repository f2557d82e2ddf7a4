package transport

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// Protected is the metadata of a protected resource (RFC 9728), by which a client finds the
// issuer of tokens. Without an issuer there is none.
type Protected struct {
	Issuer   string
	Resource string // the URL of this server, which tokens must name as their audience
	Scopes   string // what a client that only comes to work should ask for
}

// protectedPath is the path of the metadata; that of the resource may follow.
const protectedPath = "/.well-known/oauth-protected-resource"

// Routes returns the routes of the metadata.
func (p Protected) Routes() map[string]http.HandlerFunc {
	if p.Issuer == "" {
		return nil
	}
	return map[string]http.HandlerFunc{
		protectedPath: p.serve, protectedPath + mcpPath: p.serve, protectedPath + p.path(): p.serve,
	}
}

// path returns the path of the resource, empty for the root.
func (p Protected) path() string {
	u, _ := url.Parse(p.Resource) // checked when the server was opened
	return strings.TrimSuffix(u.Path, "/")
}

func (p Protected) serve(w http.ResponseWriter, r *http.Request) {
	a := w.(*response)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		a.notAllowed(http.MethodGet, http.MethodHead)
		return
	}
	a.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(a).Encode(map[string]any{ // a client that is gone misses nothing
		"resource": p.Resource, "authorization_servers": []string{p.Issuer}, "resource_name": "Blue",
		"scopes_supported": strings.Fields(p.Scopes), "bearer_methods_supported": []string{"header"},
	})
}

// challenge returns the value of WWW-Authenticate for a request without a valid token.
func (p Protected) challenge(fault, scope string) string {
	challenge := `Bearer realm="blue"`
	if fault != "" {
		challenge += `, error="` + fault + `"`
	}
	if p.Issuer == "" {
		return challenge
	}
	u, _ := url.Parse(p.Resource) // checked when the server was opened
	metadata := u.Scheme + "://" + u.Host + protectedPath + p.path()
	return challenge + `, scope="` + scope + `", resource_metadata="` + metadata + `"`
}
