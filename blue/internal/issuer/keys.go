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
	said    said
	fetched time.Time
}

// said is what an issuer says of itself.
type said struct {
	metadata
	keys map[string][]jose.JSONWebKey // by their names
}

// metadata are those of OpenID Connect discovery.
type metadata struct {
	Issuer        string   `json:"issuer"`
	Keys          string   `json:"jwks_uri"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
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
	now, err := k.current(ctx, func(s said) bool { return len(s.keys[name]) > 0 })
	return now.keys[name], err
}

// endpoints returns the metadata of an issuer at which people can log in. The kind of its
// error is Busy.
func (k *keySet) endpoints(ctx context.Context) (metadata, error) {
	now, err := k.current(ctx, func(s said) bool { return isSecure(s.Authorization) && isSecure(s.Token) })
	if err == nil && now.Issuer == "" {
		err = errors.IssuerAway(errors.New("the metadata name no https URLs for logging in"))
	}
	return now.metadata, err
}

// current is what the issuer says, which is asked anew when that is old; nothing when it is
// not enough. The kind of its error is Busy: nobody can know now.
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
		return said{}, errors.IssuerAway(err)
	}
	return said{}, nil
}

func (k *keySet) known() (now said, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said, time.Since(k.fetched)
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
	now, err := k.fetch(ctx)
	k.ended, k.fault = time.Now(), err
	if err == nil {
		k.mu.Lock()
		k.said, k.fetched = now, k.ended
		k.mu.Unlock()
	}
	return err
}

// fetch reads the metadata of the issuer, and the keys that these name.
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
		var key jose.JSONWebKey // of a kind that is not known here: left out
		if key.UnmarshalJSON(data) == nil && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			now.keys[key.KeyID] = append(now.keys[key.KeyID], key)
		}
	}
	return now, nil
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
