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

	"blue/errors"
)

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
		return "", errors.IssuerAway(err)
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
		return "", errors.IssuerAway(ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.Redirect}, "code_verifier": {l.Verifier}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", errors.IssuerAway(err)
	}
	r.SetBasicAuth(url.QueryEscape(i.o.Client), url.QueryEscape(i.o.Secret)) // every issuer must support it
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	response, err := i.keys.client.Do(r)
	if err != nil {
		return "", errors.IssuerAway(err)
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"id_token"`
		Fault string `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer)
	switch {
	case response.StatusCode >= http.StatusInternalServerError:
		return "", errors.IssuerAway(errors.New("the issuer answers with " + response.Status))
	case err != nil || response.StatusCode != http.StatusOK || answer.Token == "":
		return "", errors.TokenRefused("the issuer gives none for the code: " + response.Status + " " + errors.Cut(errors.Visible(answer.Fault), 100))
	}
	return answer.Token, nil
}
