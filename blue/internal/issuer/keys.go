package issuer

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
	fetchTime   = 4 * time.Second  // of the metadata and the keys together
	freshTime   = 10 * time.Minute // after which the keys are asked for again
	staleTime   = time.Hour        // for which they count while the issuer does not answer
	fetchPause  = 5 * time.Second  // between fetches that nobody needs but tokens of unknown keys
	fetchBurst  = 5                // of such fetches
	maxAnswer   = 512 << 10        // bytes of the metadata, and of the keys
	metadataEnd = "/.well-known/openid-configuration"
)

// keySet is the keys of an issuer, asked for when they are needed: at the first token, when
// they are old, and when a token names one that is not among them. What the issuer has taken
// out of them counts no more when they are old.
type keySet struct {
	issuer string
	client *http.Client
	pace   *rate.Limiter

	fetching sync.Mutex // one fetch at a time
	ended    time.Time  // of the last fetch
	fault    error      // of the last fetch

	mu      sync.Mutex
	keys    map[string][]jose.JSONWebKey // by their names
	fetched time.Time
}

func newKeySet(issuer string, client *http.Client) *keySet {
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errors.New("the issuer redirects, which is not followed")
	}
	return &keySet{issuer: issuer, client: client, pace: rate.NewLimiter(rate.Every(fetchPause), fetchBurst)}
}

// find returns the keys of a name, none when the issuer has none of it. The kind of its error
// is Busy: nobody can know now.
func (k *keySet) find(ctx context.Context, name string) ([]jose.JSONWebKey, error) {
	found, age := k.known(name)
	if len(found) > 0 && age < freshTime {
		return found, nil
	}
	usable := len(found) > 0 && age < staleTime
	err := k.refresh(ctx, !usable)
	if found, age = k.known(name); len(found) > 0 && age < staleTime {
		return found, nil
	}
	if err != nil {
		return nil, errors.IssuerAway(err)
	}
	return nil, nil
}

func (k *keySet) known(name string) (found []jose.JSONWebKey, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[name], time.Since(k.fetched)
}

// refresh asks the issuer for its keys. A caller that came while others asked takes their
// answer; one that can do without does not wait for them.
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
	keys, err := k.fetch(ctx)
	k.ended, k.fault = time.Now(), err
	if err == nil {
		k.mu.Lock()
		k.keys, k.fetched = keys, k.ended
		k.mu.Unlock()
	}
	return err
}

// fetch reads the metadata of the issuer, and the keys that these name.
func (k *keySet) fetch(ctx context.Context) (map[string][]jose.JSONWebKey, error) {
	var metadata struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+metadataEnd, &metadata); err != nil {
		return nil, err
	}
	if metadata.Issuer != k.issuer {
		return nil, errors.New("the metadata are those of another issuer")
	}
	if !isSecure(metadata.Keys) {
		return nil, errors.New("the metadata name no https URL of keys")
	}
	var set struct{ Keys []json.RawMessage }
	if err := k.get(ctx, metadata.Keys, &set); err != nil {
		return nil, err
	}
	keys := map[string][]jose.JSONWebKey{}
	for _, data := range set.Keys {
		var key jose.JSONWebKey // of a kind that is not known here: left out
		if key.UnmarshalJSON(data) == nil && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			keys[key.KeyID] = append(keys[key.KeyID], key)
		}
	}
	return keys, nil
}

// get reads a JSON object of the issuer.
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

// isSecure reports whether what travels to a URL can be read by nobody between: it is one of
// https, or of this machine.
func isSecure(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && local
}
