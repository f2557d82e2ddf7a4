// Package oidc verifies JSON Web Tokens of an OpenID Connect issuer: access tokens for this server,
// and ID tokens of people who log in with a browser.
package oidc

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

// Options configures an [Issuer].
type Options struct {
	URL      string // issuer URL, exactly as in its tokens
	Audience string // required audience: this server
	Subject  string // claim that names the caller
	Groups   string // claim that lists the caller's groups
	Client   string // client ID for logins, empty to disable them
	Secret   string // client secret
}

// Issuer verifies the tokens of one issuer.
type Issuer struct {
	o       Options
	keys    *keySet
	redeems chan struct{} // limits concurrent code exchanges
}

// Identity is the caller that a token names.
type Identity struct {
	Subject string
	Groups  []string
	Scopes  []string
}

// Open returns the verifier of an issuer. It makes no request; the first token does. Errors are of
// kind Invalid: a URL cannot be used.
func Open(o Options) (*Issuer, error) {
	for flag, url := range map[string]string{"oauth-issuer": o.URL, "audience": o.Audience} {
		if !isSecure(url) {
			return nil, errors.BadValue(flag, url, "a URL that begins with https://; http:// for this machine alone")
		}
	}
	return &Issuer{o: o, keys: newKeySet(o.URL, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}), redeems: make(chan struct{}, redeemsAtOnce)}, nil
}

// longestToken is the maximum length of a token, which may list many groups.
const longestToken = 32 << 10

// algorithms lists the accepted signature algorithms. None uses a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Verify verifies an access token. Errors are of kind Denied for an invalid token, and Busy if the
// issuer's keys are not available.
func (i *Issuer) Verify(ctx context.Context, token string) (id Identity, err error) {
	claims, others, err := i.open(ctx, token, "jwt", "at+jwt")
	if err != nil {
		return id, err
	}
	return i.read(claims, others, i.o.Audience)
}

// open verifies the signature of a token and returns its claims. The token's type must be one of
// types or absent.
func (i *Issuer) open(ctx context.Context, token string, types ...string) (claims jwt.Claims, others map[string]any, err error) {
	if len(token) > longestToken {
		return claims, nil, errors.TokenRefused("it is too long")
	}
	t, err := jwt.ParseSigned(token, algorithms)
	if err != nil || t.Headers[0].KeyID == "" || !hasType(t.Headers[0], types) {
		return claims, nil, errors.TokenRefused("it is no token of its type that is signed with a named key")
	}
	keys, err := i.keys.find(ctx, t.Headers[0].KeyID)
	if err != nil {
		return claims, nil, err
	}
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != t.Headers[0].Algorithm {
			continue
		}
		if err = t.Claims(key, &claims, &others); err == nil {
			break
		}
	}
	if others == nil {
		return claims, nil, errors.TokenRefused("no key of the issuer has signed it")
	}
	return claims, others, nil
}

// hasType reports whether the header of a token has no type or one of types. An ID or logout token
// is no access token.
func hasType(h jose.Header, types []string) bool {
	kind, stated := h.ExtraHeaders[jose.HeaderType].(string)
	return !stated || slices.Contains(types, strings.TrimPrefix(strings.ToLower(kind), "application/"))
}

// read validates the claims of a verified token, including its audience.
func (i *Issuer) read(c jwt.Claims, others map[string]any, audience string) (id Identity, err error) {
	if c.Expiry == nil {
		return id, errors.TokenRefused("it does not expire")
	}
	if err := c.Validate(jwt.Expected{Issuer: i.o.URL, AnyAudience: jwt.Audience{audience}, Time: time.Now()}); err != nil {
		return id, errors.TokenRefused(err.Error())
	}
	if others["email_verified"] != true {
		delete(others, "email") // the issuer has not verified the address
	}
	id.Subject, _ = others[i.o.Subject].(string)
	if id.Subject == "" {
		return id, errors.TokenRefused("its claim " + i.o.Subject + " names nobody (an email counts only if email_verified is true)")
	}
	id.Groups = words(others[i.o.Groups])
	id.Scopes = slices.Concat(strings.Fields(strings.Join(words(others["scope"]), " ")), strings.Fields(strings.Join(words(others["scp"]), " ")))
	return id, nil
}

// words returns a claim that is a string or a list of strings.
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
