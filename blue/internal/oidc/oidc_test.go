package oidc

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blue/errors"
	issuers "blue/fixtures/issuer"
)

const audience = "https://notes.example.com/mcp"

// direct is an issuer that is reached without a network, so that its clock can be that of a
// test.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), r.Context().Err()
}

// open makes a verifier whose requests reach the issuer.
func open(t *testing.T, from *issuers.Issuer) *Issuer {
	t.Helper()
	i, err := Open(Options{URL: from.URL, Audience: audience, Subject: "sub", Groups: "groups"})
	if err != nil {
		t.Fatal(err)
	}
	i.keys.client.Transport = direct{from}
	return i
}

func TestVerify(t *testing.T) {
	from := issuers.Make(t)
	i := open(t, from)
	now := time.Now()
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	claims := func(others map[string]any) map[string]any {
		return from.Claims(audience, "ann", "notes:read notes:write", others)
	}
	type object = map[string]any
	for name, c := range map[string]struct {
		token string
		right bool
	}{
		"right":                {from.Sign(nil, claims(object{"groups": []string{"devs"}})), true},
		"several audiences":    {from.Sign(nil, claims(object{"aud": []string{"https://other.example.com", audience}})), true},
		"by the RSA key":       {from.Sign(object{"alg": "RS256", "kid": "rsa"}, claims(nil)), true},
		"typ left out":         {from.Sign(object{"typ": nil}, claims(nil)), true},
		"expired 50 s ago":     {from.Sign(nil, claims(object{"exp": at(-50 * time.Second)})), true},
		"from 50 s on":         {from.Sign(nil, claims(object{"nbf": at(50 * time.Second)})), true},
		"expired":              {from.Sign(nil, claims(object{"exp": at(-70 * time.Second)})), false},
		"without end":          {from.Sign(nil, claims(object{"exp": nil})), false},
		"end is a text":        {from.Sign(nil, claims(object{"exp": "never"})), false},
		"future nbf":           {from.Sign(nil, claims(object{"nbf": at(70 * time.Second)})), false},
		"issued in the future": {from.Sign(nil, claims(object{"iat": at(70 * time.Second)})), false},
		"wrong audience":       {from.Sign(nil, claims(object{"aud": "https://other.example.com/mcp"})), false},
		"audience as a prefix": {from.Sign(nil, claims(object{"aud": audience + "/more"})), false},
		"no audience":          {from.Sign(nil, claims(object{"aud": nil})), false},
		"wrong issuer":         {from.Sign(nil, claims(object{"iss": "https://id.example.com"})), false},
		"no issuer":            {from.Sign(nil, claims(object{"iss": nil})), false},
		"no subject":           {from.Sign(nil, claims(object{"sub": nil})), false},
		"subject is a number":  {from.Sign(nil, claims(object{"sub": 7})), false},
		"alg none":             {from.Sign(object{"alg": "none"}, claims(nil)), false},
		"HS256":                {from.Sign(object{"alg": "HS256", "kid": "rsa"}, claims(nil)), false},
		"no kid":               {from.Sign(object{"kid": nil}, claims(nil)), false},
		"unknown kid":          {from.Sign(object{"kid": "other"}, claims(nil)), false},
		"the other key's kid":  {from.Sign(object{"kid": "rsa"}, claims(nil)), false},
		"altered":              {strings.Replace(from.Sign(object{"alg": "RS256", "kid": "rsa"}, claims(nil)), ".", "x.", 1), false},
		"an ID token's logout": {from.Sign(object{"typ": "logout+jwt"}, claims(nil)), false},
		"crit":                 {from.Sign(object{"crit": []string{"exp"}}, claims(nil)), false},
		"a key of its own":     {from.Sign(object{"kid": "mine", "jwk": from.Keys()[0]}, claims(nil)), false},
		"a key from elsewhere": {from.Sign(object{"kid": "mine", "jku": "https://evil.example.com/keys"}, claims(nil)), false},
		"not a token":          {"a.b.c", false},
		"empty":                {"", false},
		"too long":             {from.Sign(nil, claims(object{"more": strings.Repeat("x", longestToken)})), false},
	} {
		id, err := i.Verify(t.Context(), c.token)
		if c.right != (err == nil) || !c.right && !errors.Is(err, errors.Denied) {
			t.Errorf("%s: %v", name, err)
		}
		if c.right && (id.Subject != "ann" || !slices.Equal(id.Scopes, []string{"notes:read", "notes:write"})) {
			t.Errorf("%s: %v", name, id)
		}
	}
	if id, err := i.Verify(t.Context(), from.Sign(nil, claims(object{"groups": []any{"devs", 7, "ops"}, "scope": nil, "scp": []string{"notes:admin"}}))); err != nil ||
		!slices.Equal(id.Groups, []string{"devs", "ops"}) || !slices.Equal(id.Scopes, []string{"notes:admin"}) {
		t.Errorf("%v %v", id, err)
	}
}

// An email names a caller, or a group, only if the issuer says that it is verified, in an
// access token and in the ID token of a login.
func TestUnverifiedEmail(t *testing.T) {
	const client, secret = "blue", "a-secret-of-the-client"
	from := issuers.Make(t)
	i := open(t, from)
	i.o.Subject, i.o.Client, i.o.Secret = "email", client, secret
	for name, verified := range map[string]any{
		"true": true, "absent": nil, "false": false, "a text": "true", "another text": "false", "yes": "yes", "1": 1, "0": 0, "a list": []any{true}, "an object": map[string]any{"value": true}, "empty": "",
	} {
		more := map[string]any{"email": "ann@example.com", "email_verified": verified, "preferred_username": "ann@example.com", "upn": "ann@example.com"}
		check := func(kind string, id Identity, err error) {
			t.Helper()
			if verified == true {
				if err != nil || id.Subject != "ann@example.com" {
					t.Errorf("%s, %s: %v %v", kind, name, id, err)
				}
			} else if !errors.Is(err, errors.Denied) || !strings.Contains(err.Error(), "email_verified") {
				t.Errorf("%s, %s: %v %v", kind, name, id, err)
			}
		}
		id, err := i.Verify(t.Context(), from.Sign(nil, from.Claims(audience, "ann", "notes:read", more)))
		check("access token", id, err)

		from.LogIn(issuers.Person{Client: client, Secret: secret, Subject: "ann", Sign: func(claims map[string]any) string {
			maps.Copy(claims, more)
			return from.Sign(map[string]any{"typ": "JWT"}, claims)
		}})
		l := Login{State: "state", Nonce: "nonce", Verifier: "verifier", Redirect: "https://notes.example.com/login/callback"}
		to, err := i.LoginURL(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		from.ServeHTTP(w, httptest.NewRequest(http.MethodGet, to, nil))
		back, err := w.Result().Location()
		if err != nil {
			t.Fatal(err)
		}
		id, err = i.Redeem(t.Context(), l, back.Query().Get("code"), back.Query().Get("iss"))
		check("login", id, err)
	}
	i.o.Subject, i.o.Groups = "sub", "email"
	for verified, groups := range map[any]int{true: 1, false: 0, "true": 0} {
		id, err := i.Verify(t.Context(), from.Token(audience, "ann", "notes:read", map[string]any{"email": "ops@example.com", "email_verified": verified}))
		if err != nil || len(id.Groups) != groups {
			t.Errorf("as a group, %v: %v %v", verified, id, err)
		}
	}
}

// A new key is known with the first token that it has signed, and one that the issuer has
// given up counts no longer than the keys are fresh.
func TestRotation(t *testing.T) {
	from := issuers.Make(t)
	synctest.Test(t, func(t *testing.T) {
		i := open(t, from)
		before := from.Token(audience, "ann", "notes:read", map[string]any{"exp": time.Now().Add(24 * time.Hour).Unix()})
		verify := func(token string) error { _, err := i.Verify(t.Context(), token); return err }
		if err := verify(before); err != nil {
			t.Fatal(err)
		}
		from.Rotate(t, "second")
		if err := verify(from.Token(audience, "ann", "notes:read", nil)); err != nil {
			t.Errorf("by the new key: %v", err)
		}
		if err := verify(before); !errors.Is(err, errors.Denied) {
			t.Errorf("by the old key: %v", err)
		}
		from.Rotate(t, "third") // and nobody comes with a token of it
		time.Sleep(freshTime + time.Second)
		if err := verify(from.Sign(map[string]any{"kid": "second"}, from.Claims(audience, "ann", "notes:read", nil))); !errors.Is(err, errors.Denied) {
			t.Errorf("by a key that was given up: %v", err)
		}
	})
}

// What an issuer that is away, slow or false costs, and that tokens of unknown keys do not
// make this server ask it without end.
func TestHostileIssuer(t *testing.T) {
	from := issuers.Make(t)
	otherKey := issuers.Make(t)
	metadata := func(keys string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/keys") {
				return false
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": from.URL, "jwks_uri": keys})
			return true
		}
	}
	keys := func(body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/keys" {
				_, _ = w.Write([]byte(body))
			}
			return r.URL.Path == "/keys"
		}
	}
	secret := `{"kty":"oct","kid":"ec","k":"c2VjcmV0"}`
	own, _ := json.Marshal(from.Keys()[0])
	stranger, _ := json.Marshal(otherKey.Keys()[0])
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request) bool
		kind   errors.Kind
	}{
		"redirects to what is right": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.RawQuery == "" {
				http.Redirect(w, r, r.URL.Path+"?again", http.StatusFound)
			}
			return r.URL.RawQuery == ""
		}, errors.Busy},
		"fails":                    {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(500); return true }, errors.Busy},
		"keys by http from others": {metadata("http://evil.example.com/keys"), errors.Busy},
		"keys in a file":           {metadata("file:///etc/passwd"), errors.Busy},
		"no keys":                  {metadata(""), errors.Busy},
		"another issuer": {func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(`{"issuer":"https://evil.example.com","jwks_uri":"https://evil.example.com/keys"}`))
			return true
		}, errors.Busy},
		"not JSON":                        {keys("<html>"), errors.Busy},
		"huge":                            {keys(`{"keys":[` + strings.Repeat(secret+",", 20_000) + secret + `]}`), errors.Busy},
		"a shared secret under the kid":   {keys(`{"keys":[` + secret + `]}`), errors.Denied},
		"another key under the kid":       {keys(`{"keys":[` + string(stranger) + `]}`), errors.Denied},
		"a key for encryption":            {keys(strings.Replace(`{"keys":[`+string(own)+`]}`, `"sig"`, `"enc"`, 1)), errors.Denied},
		"a key for another algorithm":     {keys(strings.Replace(`{"keys":[`+string(own)+`]}`, `"use"`, `"alg":"ES512","use"`, 1)), errors.Denied},
		"the right key":                   {keys(`{"keys":[` + string(own) + `]}`), ""},
		"keys of kinds that nobody knows": {keys(`{"keys":[{"kty":"XYZ","kid":"ec"},{},null,7,{"kty":"EC","kid":"ec","crv":"P-256","x":"AA","y":"AA"}]}`), errors.Denied},
	} {
		from.Answer(c.answer)
		i := open(t, from)
		if _, err := i.Verify(t.Context(), from.Token(audience, "ann", "notes:read", nil)); (c.kind == "") != (err == nil) || err != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		from.Answer(nil)
	}
	synctest.Test(t, func(t *testing.T) {
		token := from.Token(audience, "ann", "notes:read", map[string]any{"exp": time.Now().Add(24 * time.Hour).Unix()})
		verify := func(i *Issuer, token string) error { _, err := i.Verify(context.Background(), token); return err }
		i := open(t, from)
		before := from.Asked()
		for range 1000 {
			_ = verify(i, from.Sign(map[string]any{"kid": "unknown"}, nil))
		}
		if asked := from.Asked() - before; asked > 2*fetchBurst {
			t.Errorf("1,000 tokens of unknown keys: the issuer was asked %d times", asked)
		}
		if err := verify(i, token); err != nil {
			t.Errorf("a right one among them: %v", err)
		}
		from.Answer(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
		defer from.Answer(nil)
		time.Sleep(freshTime)
		began := time.Now()
		if err := verify(i, token); err != nil || time.Since(began) > fetchTime {
			t.Errorf("the issuer is slow, its keys are old: %v after %v", err, time.Since(began))
		}
		time.Sleep(staleTime)
		if err := verify(i, token); !errors.Is(err, errors.Busy) {
			t.Errorf("too old: %v", err)
		}
	})
}

func TestOpen(t *testing.T) {
	for url, right := range map[string]bool{
		"https://id.example.com": true, "http://127.0.0.1:8080/realms/x": true, "http://[::1]:1": true, "http://localhost:1": true,
		"http://id.example.com": false, "id.example.com": false, "": false, "ftp://127.0.0.1": false, "https://ann:pw@id.example.com": false, "https://": false,
	} {
		if _, err := Open(Options{URL: url, Audience: audience}); right != (err == nil) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestLogin: the way to an issuer and back follows its metadata: where a person logs in,
// with which scopes; and a secret may have letters that a header spells otherwise.
func TestLogin(t *testing.T) {
	from := issuers.New(t)
	person := issuers.Person{Client: "blue:1", Secret: "a secret: 100% + more", Subject: "ann", Groups: []string{"ops"}}
	from.LogIn(person)
	login := Login{State: "STATE", Nonce: "NONCE", Verifier: strings.Repeat("v", 43), Redirect: "http://127.0.0.1:1/login/callback"}
	for what, c := range map[string]struct {
		metadata map[string]any
		busy     bool
	}{
		"all that is needed":  {nil, false},
		"no place to log in":  {map[string]any{"authorization_endpoint": ""}, true},
		"a place for all":     {map[string]any{"token_endpoint": "http://id.example.com/token"}, true},
		"a place with a word": {map[string]any{"authorization_endpoint": from.URL + "/authorize?realm=x"}, false},
	} {
		from.Answer(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == metadataEnd {
				all := map[string]any{"issuer": from.URL, "jwks_uri": from.URL + "/keys", "authorization_endpoint": from.URL + "/authorize", "token_endpoint": from.URL + "/token", "scopes_supported": []string{"groups", "email"}}
				maps.Copy(all, c.metadata)
				_ = json.NewEncoder(w).Encode(all)
			}
			return r.URL.Path == metadataEnd
		})
		i, err := Open(Options{URL: from.URL, Audience: audience, Subject: "sub", Groups: "groups", Client: person.Client, Secret: person.Secret})
		if err != nil {
			t.Fatal(err)
		}
		at, err := i.LoginURL(t.Context(), login)
		if c.busy {
			if !errors.Is(err, errors.Busy) {
				t.Errorf("%s: %s, %v", what, at, err)
			}
			continue
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := client.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		back, err := answer.Location()
		if err != nil || answer.Body.Close() != nil {
			t.Fatalf("%s: %s: %v", what, at, err)
		}
		id, err := i.Redeem(t.Context(), login, back.Query().Get("code"), back.Query().Get("iss"))
		if err != nil || id.Subject != "ann" || !slices.Equal(id.Groups, person.Groups) || len(id.Scopes) != 0 {
			t.Errorf("%s: %+v, %v", what, id, err)
		}
	}
}
