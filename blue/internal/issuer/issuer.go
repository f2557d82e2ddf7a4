// Package issuer verifies the access tokens of an OAuth issuer: JSON Web Tokens, signed with
// a key that the issuer publishes, and meant for this server. It knows no role and no project.
package issuer

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"blue/errors"
)

// Options are the issuer, and what its tokens must say.
type Options struct {
	URL      string // of the issuer, spelled as in its tokens
	Audience string // this server, as its tokens name it
	Subject  string // the claim that names the caller
	Groups   string // the claim that lists the groups of the caller
}

// Issuer verifies the tokens of one issuer.
type Issuer struct {
	o    Options
	keys *keySet
}

// Identity is what a token says of its caller.
type Identity struct {
	Subject string
	Groups  []string
	Scopes  []string
}

// Open makes the verifier of an issuer. Nothing is asked of the issuer before the first token
// comes. The kind of an error is Invalid: a URL cannot be used.
func Open(o Options) (*Issuer, error) {
	for flag, url := range map[string]string{"oauth-issuer": o.URL, "audience": o.Audience} {
		if !isSecure(url) {
			return nil, errors.BadValue(flag, url, "a URL that begins with https://; http:// for this machine alone")
		}
	}
	return &Issuer{o: o, keys: newKeySet(o.URL, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()})}, nil
}

// longestToken is how long a token may be: those of large companies name many groups.
const longestToken = 32 << 10

// algorithms are those by which a token may be signed: none whose key is a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Verify reads a token. The kind of its error is Denied for a token that counts for nobody,
// Busy while the keys of the issuer cannot be known.
func (i *Issuer) Verify(ctx context.Context, token string) (id Identity, err error) {
	if len(token) > longestToken {
		return id, errors.TokenRefused("it is too long")
	}
	t, err := jwt.ParseSigned(token, algorithms)
	if err != nil || t.Headers[0].KeyID == "" || !isAccessToken(t.Headers[0]) {
		return id, errors.TokenRefused("it is no access token that is signed with a named key")
	}
	keys, err := i.keys.find(ctx, t.Headers[0].KeyID)
	if err != nil {
		return id, err
	}
	var claims jwt.Claims
	var others map[string]any
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != t.Headers[0].Algorithm {
			continue
		}
		if err = t.Claims(key, &claims, &others); err == nil {
			break
		}
	}
	if others == nil {
		return id, errors.TokenRefused("no key of the issuer has signed it")
	}
	return i.read(claims, others)
}

// isAccessToken reports whether the header of a token names no other use: a token by which
// somebody has signed in, or out, at another place is none.
func isAccessToken(h jose.Header) bool {
	kind, stated := h.ExtraHeaders[jose.HeaderType].(string)
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return !stated || kind == "jwt" || kind == "at+jwt"
}

// read reads the claims of a token whose signature is right.
func (i *Issuer) read(c jwt.Claims, others map[string]any) (id Identity, err error) {
	if c.Expiry == nil {
		return id, errors.TokenRefused("it does not expire")
	}
	if err := c.Validate(jwt.Expected{Issuer: i.o.URL, AnyAudience: jwt.Audience{i.o.Audience}, Time: time.Now()}); err != nil {
		return id, errors.TokenRefused(err.Error())
	}
	id.Subject, _ = others[i.o.Subject].(string)
	if id.Subject == "" || others["email_verified"] == false && i.o.Subject == "email" {
		return id, errors.TokenRefused("its claim " + i.o.Subject + " names nobody")
	}
	id.Groups = words(others[i.o.Groups])
	id.Scopes = slices.Concat(strings.Fields(strings.Join(words(others["scope"]), " ")), strings.Fields(strings.Join(words(others["scp"]), " ")))
	return id, nil
}

// words are the texts of a claim that is a text or a list.
func words(claim any) (all []string) {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		for _, word := range claim {
			if word, ok := word.(string); ok {
				all = append(all, word)
			}
		}
	}
	return all
}
