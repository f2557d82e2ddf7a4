package oidc

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"

	"blue/errors"
)

const (
	fetchTime   = 4 * time.Second  // timeout for metadata and keys together
	freshTime   = 10 * time.Minute // age at which the keys are refreshed
	staleTime   = time.Hour        // how long old keys stay valid while the issuer does not answer
	fetchPause  = 5 * time.Second  // minimum interval of fetches for unknown keys
	fetchBurst  = 5                // burst of such fetches
	maxAnswer   = 512 << 10        // size limit of a response, in bytes
	metadataEnd = "/.well-known/openid-configuration"
)

// keySet caches the keys of an issuer. It fetches them at the first token, when they are old, and
// when a token names an unknown key. A key that the issuer has removed stays valid until the next
// refresh.
type keySet struct {
	issuer string
	client *http.Client
	pace   *rate.Limiter

	fetching sync.Mutex // held during a fetch
	ended    time.Time  // of the last fetch
	fault    error      // of the last fetch

	mu      sync.Mutex
	said    said
	fetched time.Time
}

// said is the metadata and the keys of an issuer.
type said struct {
	metadata
	keys map[string][]jose.JSONWebKey // by key id
}

// metadata is the OpenID Connect discovery document.
type metadata struct {
	Issuer        string   `json:"issuer"`
	Keys          string   `json:"jwks_uri"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
}

// endpoints returns the metadata of an issuer that supports logins. Errors are of kind Busy.
func (k *keySet) endpoints(ctx context.Context) (metadata, error) {
	now, err := k.current(ctx, func(s said) bool { return isSecure(s.Authorization) && isSecure(s.Token) })
	if err == nil && now.Issuer == "" {
		err = issuerAway(errors.New("the metadata name no https URLs for logging in"))
	}
	return now.metadata, err
}

// current returns the cached metadata and keys and refreshes them if they are old, or nil if enough
// rejects them. Errors are of kind Busy.
func (k *keySet) current(ctx context.Context, enough func(said) bool) (said, error) {
	now, age := k.known()
	if enough(now) && age < freshTime {
		return now, nil
	}
	usable := enough(now) && age < staleTime
	err := k.refresh(ctx, !usable)
	if now, age = k.known(); enough(now) && age < staleTime {
		return now, nil
	}
	if err != nil {
		return said{}, issuerAway(err)
	}
	return said{}, nil
}

func (k *keySet) known() (now said, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said, time.Since(k.fetched)
}

// refresh fetches metadata and keys. Concurrent callers share one fetch; a caller that can use the
// old keys does not wait.
func (k *keySet) refresh(ctx context.Context, wait bool) error {
	came := time.Now()
	if !wait && !k.fetching.TryLock() {
		return nil
	} else if wait {
		k.fetching.Lock()
	}
	defer k.fetching.Unlock()
	if k.ended.After(came) {
		return k.fault
	}
	if !k.pace.Allow() {
		return errors.New("the issuer was asked just now")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	defer cancel()
	now, err := k.fetch(ctx)
	k.ended, k.fault = time.Now(), err
	if err == nil {
		k.mu.Lock()
		k.said, k.fetched = now, k.ended
		k.mu.Unlock()
	}
	return err
}

// fetch reads the metadata of the issuer and the keys at its jwks_uri.
func (k *keySet) fetch(ctx context.Context) (now said, err error) {
	if err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+metadataEnd, &now.metadata); err != nil {
		return now, err
	}
	if now.Issuer != k.issuer {
		return now, errors.New("the metadata are those of another issuer")
	}
	if !isSecure(now.Keys) {
		return now, errors.New("the metadata name no https URL of keys")
	}
	var set struct{ Keys []json.RawMessage }
	if err := k.get(ctx, now.Keys, &set); err != nil {
		return now, err
	}
	now.keys = map[string][]jose.JSONWebKey{}
	for _, data := range set.Keys {
		var key jose.JSONWebKey // skip unsupported key types
		if key.UnmarshalJSON(data) == nil && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			now.keys[key.KeyID] = append(now.keys[key.KeyID], key)
		}
	}
	return now, nil
}

// get fetches a JSON object.
func (k *keySet) get(ctx context.Context, from string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	response, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New("the issuer answers with an error")
	}
	return json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(into)
}

// isSecure reports whether a URL is https or on this machine.
func isSecure(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && local
}
