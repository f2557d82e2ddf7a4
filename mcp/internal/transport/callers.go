package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Callers authenticates the callers of a server of hosted projects.
type Callers struct {
	// Verify returns the caller of the token of a request. The kind of its error is Denied for
	// an unknown token and, with the detail [errors.Lacking], for one with too few scopes; any
	// other kind means that the token cannot be checked now.
	Verify func(r *http.Request, token string) (caller any, user string, err error)

	// Permit returns an error for a tool call that its caller may not make. A nil Permit allows
	// all calls. The detail [errors.Lacking] means that another token of the same caller would
	// help.
	Permit func(ctx context.Context, a Asked) error

	// Protected describes the issuer of tokens to clients without one.
	Protected Protected
}

// callerKey is the member of a token's extras that holds the caller.
const callerKey = "caller"

// CallerOf returns the caller that Verify found for the token of a call, nil without a token.
func CallerOf(extra *mcp.RequestExtra) any {
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	return extra.TokenInfo.Extra[callerKey]
}

// CallerOfRequest returns the caller that Verify found for the token of a request, nil without
// a token.
func CallerOfRequest(r *http.Request) any {
	return CallerOf(&mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context())})
}

// awaySeconds is when a client should retry while tokens cannot be checked.
const awaySeconds = 2

// identify authenticates a request by its header only: a token in the URL or the body does not
// count. It returns nil if it has rejected the request.
func (c *Callers) identify(a *response, r *http.Request) *auth.TokenInfo {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		a.deny(c.Protected, "", "no bearer token")
		return nil
	}
	caller, user, err := c.Verify(r, strings.TrimSpace(token))
	switch {
	case lackingScope(err) != "":
		a.forbid(c.Protected, err)
		return nil
	case errors.Is(err, errors.Denied):
		a.deny(c.Protected, "invalid_token", auth.ErrInvalidToken.Error())
		a.reason = errors.Of(err).Message // only for the log
		return nil
	case err != nil:
		a.refuseFor(http.StatusServiceUnavailable, awaySeconds, errors.Of(err).Message)
		if cause := errors.Of(err).Err; cause != nil {
			a.reason += ": " + cause.Error() // only for the log
		}
		return nil
	}
	a.user = user
	return &auth.TokenInfo{UserID: user, Extra: map[string]any{callerKey: caller}}
}

// guard returns a handler that authenticates requests before next. Without Verify it is next.
func (c *Callers) guard(next http.Handler) http.Handler {
	if c.Verify == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := c.identify(w.(*response), r)
		if known == nil {
			return
		}
		pass := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return known, nil }
		bearer(pass, next).ServeHTTP(w, r)
	})
}

// bearer returns a handler that requires a token which verify accepts.
func bearer(verify auth.TokenVerifier, next http.Handler) http.Handler {
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
}

// Asked is a tool call whose permission is checked.
type Asked struct {
	Caller  any // the caller that Verify found
	Said    Said
	Session *mcp.ServerSession // nil for a request that stands alone
	Tool    string
	Client  string // the name of the client program, if the request holds it
}

// permits reports whether a message may be passed on. It rejects a call of a tool that its
// caller may not use, with the status that tells the client whether another token would help.
func (s *Server) permits(a *response, r *http.Request, f frame) bool {
	c, known := s.o.Callers, auth.TokenInfoFromContext(r.Context())
	if c == nil || c.Permit == nil || known == nil || f.id == nil || f.method != callTool {
		return true
	}
	var params struct {
		Name string `json:"name"`
		Meta struct {
			Client struct {
				Name string `json:"name"`
			} `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	}
	if json.Unmarshal(f.params, &params) != nil {
		return true // the call itself will report what is wrong with it
	}
	a.verb = strings.TrimPrefix(params.Name, "blue_")
	err := c.Permit(r.Context(), Asked{
		Caller: known.Extra[callerKey], Said: saidIn(r.Header), Session: s.Sessions.find(r.Header.Get(sessionHeader)),
		Tool: params.Name, Client: params.Meta.Client.Name,
	})
	if err != nil {
		a.forbid(c.Protected, err)
	}
	return err == nil
}

// lackingScope returns the scope that the caller's token lacks, empty if no other token of the
// caller would help.
func lackingScope(err error) string {
	if e, ok := errors.AsType[*errors.Error](err); ok {
		lacking, _ := e.Detail.(errors.Lacking)
		return lacking.Scope
	}
	return ""
}

// forbid rejects a request that its caller may not make.
func (a *response) forbid(p Protected, err error) {
	if scope := lackingScope(err); scope != "" {
		a.Header().Set("WWW-Authenticate", p.challenge("insufficient_scope", scope))
	}
	text := errors.Of(err).Message
	for _, hint := range errors.Of(err).Hints {
		text += "; " + hint.Text
	}
	a.refuse(http.StatusForbidden, a.transportFault(text))
}

// deny rejects a request without a valid token.
func (a *response) deny(p Protected, fault, text string) {
	a.Header().Set("WWW-Authenticate", p.challenge(fault, p.Scopes))
	a.refuse(http.StatusUnauthorized, a.transportFault(text))
}

// refuseFor rejects a request and asks the client to retry after some seconds.
func (a *response) refuseFor(status, seconds int, reason string) {
	a.Header().Set("Retry-After", fmt.Sprint(seconds))
	a.refuse(status, a.transportFault(reason))
}

// Protected is the metadata of a protected resource (RFC 9728), in which a client finds the
// issuer of tokens. It is not served if Issuer is empty.
type Protected struct {
	Issuer   string
	Resource string // the URL of this server, which tokens must name as their audience
	Scopes   string // the scopes that a client needs for ordinary work
}

// protectedPath is the path of the metadata; the path of the resource may follow it.
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
	w.(*response).showJSON(r, map[string]any{
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
