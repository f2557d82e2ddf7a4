// Package oidc verifies JSON Web Tokens of an OpenID Connect issuer: access tokens for this server,
// and ID tokens of people who log in with a browser.
package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/time/rate"

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
	client := &http.Client{
		Transport: http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the issuer redirects, which is not followed")
		},
	}
	keys := &keySet{issuer: o.URL, client: client, pace: rate.NewLimiter(rate.Every(fetchPause), fetchBurst)}
	return &Issuer{o: o, keys: keys, redeems: make(chan struct{}, redeemsAtOnce)}, nil
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
	id := t.Headers[0].KeyID
	now, err := i.keys.current(ctx, func(s said) bool { return len(s.keys[id]) > 0 })
	if err != nil {
		return claims, nil, err
	}
	for _, key := range now.keys[id] {
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

// Login is one OpenID Connect login (authorization code flow with PKCE).
type Login struct {
	State    string // returned by the issuer
	Nonce    string // repeated in the ID token
	Verifier string // PKCE verifier
	Redirect string // redirect URI
}

// redeemsAtOnce limits concurrent code exchanges.
const redeemsAtOnce = 8

// LoginURL returns the authorization URL of a login. Errors are of kind Busy if the issuer does not
// answer.
func (i *Issuer) LoginURL(ctx context.Context, l Login) (string, error) {
	m, err := i.keys.endpoints(ctx)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(m.Authorization)
	if err != nil {
		return "", issuerAway(err)
	}
	sum := sha256.Sum256([]byte(l.Verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": i.o.Client, "redirect_uri": l.Redirect, "scope": i.loginScope(m), "state": l.State, "nonce": l.Nonce,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
	} {
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// loginScope returns the scopes of the claims that name a caller, as far as the issuer supports
// them.
func (i *Issuer) loginScope(m metadata) string {
	scope := []string{"openid"}
	for _, claim := range []string{i.o.Subject, i.o.Groups} {
		if slices.Contains(m.Scopes, claim) {
			scope = append(scope, claim)
		}
	}
	return strings.Join(scope, " ")
}

// Redeem exchanges the code of a login for the identity of the person. from is the iss parameter of
// the callback, which may be empty. Errors are of kind Denied for an invalid code, and Busy if the
// issuer does not answer.
func (i *Issuer) Redeem(ctx context.Context, l Login, code, from string) (id Identity, err error) {
	m, err := i.keys.endpoints(ctx)
	if err != nil {
		return id, err
	}
	if from != i.o.URL && (from != "" || m.NamesItself) {
		return id, errors.TokenRefused("the answer is that of another issuer")
	}
	token, err := i.exchangeCode(ctx, m, l, code)
	if err != nil {
		return id, err
	}
	claims, others, err := i.open(ctx, token, "jwt")
	if err != nil {
		return id, err
	}
	party, stated := others["azp"]
	if nonce, _ := others["nonce"].(string); nonce != l.Nonce || nonce == "" || party != i.o.Client && (stated || len(claims.Audience) > 1) {
		return id, errors.TokenRefused("it is the answer to another login")
	}
	return i.read(claims, others, i.o.Client)
}

// exchangeCode exchanges a code for an ID token.
func (i *Issuer) exchangeCode(ctx context.Context, m metadata, l Login, code string) (token string, err error) {
	select {
	case i.redeems <- struct{}{}:
		defer func() { <-i.redeems }()
	case <-ctx.Done():
		return "", issuerAway(ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.Redirect}, "code_verifier": {l.Verifier}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", issuerAway(err)
	}
	r.SetBasicAuth(url.QueryEscape(i.o.Client), url.QueryEscape(i.o.Secret)) // every issuer must support it
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	response, err := i.keys.client.Do(r)
	if err != nil {
		return "", issuerAway(err)
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"id_token"`
		Fault string `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer)
	switch {
	case response.StatusCode >= http.StatusInternalServerError:
		return "", issuerAway(errors.New("the issuer answers with " + response.Status))
	case err != nil || response.StatusCode != http.StatusOK || answer.Token == "":
		return "", errors.TokenRefused("the issuer gives none for the code: " + response.Status + " " + errors.Cut(errors.Visible(answer.Fault), 100))
	}
	return answer.Token, nil
}

// issuerAway returns the error for an issuer that cannot be reached, for its keys or for a
// login.
func issuerAway(err error) *errors.Error {
	return errors.E(errors.Busy, "the issuer of the tokens does not answer").Because(err).
		Hint("", "", "try again in a few seconds; nothing was changed")
}
