// Package issuer verifies the tokens of an OAuth issuer, JSON Web Tokens signed with a key
// that the issuer publishes: access tokens that are meant for this server, and the ID tokens
// of people who log in with a browser. It knows no role and no project.
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
	Client   string // this server as the issuer knows it when people log in, empty when nobody does
	Secret   string // of the client
}

// Issuer verifies the tokens of one issuer.
type Issuer struct {
	o       Options
	keys    *keySet
	redeems chan struct{} // codes that are on their way
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
	return &Issuer{o: o, keys: newKeySet(o.URL, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}), redeems: make(chan struct{}, redeemsAtOnce)}, nil
}

// longestToken is how long a token may be: those of large companies name many groups.
const longestToken = 32 << 10

// algorithms are those by which a token may be signed: none whose key is a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Verify reads an access token. The kind of its error is Denied for a token that counts for
// nobody, Busy while the keys of the issuer cannot be known.
func (i *Issuer) Verify(ctx context.Context, token string) (id Identity, err error) {
	claims, others, err := i.open(ctx, token, "jwt", "at+jwt")
	if err != nil {
		return id, err
	}
	return i.read(claims, others, i.o.Audience)
}

// open returns the claims of a token of one of the types, or of none, that the issuer has
// signed.
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

// hasType reports whether the header of a token names none but one of the types: a token by
// which somebody has signed in, or out, at another place is no access token.
func hasType(h jose.Header, types []string) bool {
	kind, stated := h.ExtraHeaders[jose.HeaderType].(string)
	return !stated || slices.Contains(types, strings.TrimPrefix(strings.ToLower(kind), "application/"))
}

// read reads the claims of a token whose signature is right, and which is meant for the
// audience.
func (i *Issuer) read(c jwt.Claims, others map[string]any, audience string) (id Identity, err error) {
	if c.Expiry == nil {
		return id, errors.TokenRefused("it does not expire")
	}
	if err := c.Validate(jwt.Expected{Issuer: i.o.URL, AnyAudience: jwt.Audience{audience}, Time: time.Now()}); err != nil {
		return id, errors.TokenRefused(err.Error())
	}
	if others["email_verified"] != true {
		delete(others, "email") // the issuer has not checked who owns the address
	}
	id.Subject, _ = others[i.o.Subject].(string)
	if id.Subject == "" {
		return id, errors.TokenRefused("its claim " + i.o.Subject + " names nobody (an email counts only if email_verified is true)")
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
