package transport

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"blue/errors"
)

// plenty is a quota that nobody exhausts.
type plenty struct{}

func (plenty) Admit(string, int64) time.Duration { return 0 }

func (plenty) Spend(string, int) {}

// An address that sends many tokens that count for nobody is answered with 429 and
// Retry-After, a second late, and no database is asked for more of its tokens. Callers that
// are known, and those of other addresses, are not kept waiting.
func TestGuesses(t *testing.T) {
	asked := 0
	c := &Callers{
		Verify: func(_ *http.Request, token string, mayAsk func() bool) (any, string, error) {
			switch {
			case token == "known":
				return token, token, nil
			case token == "unknown" && mayAsk():
				asked++
			}
			return nil, "", errors.E(errors.Denied, "no such token")
		},
		Quota: plenty{},
	}
	request := func(token, from, forwarded string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.RemoteAddr = from
		r.Header.Set("Authorization", "Bearer "+token)
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		return r
	}
	send := func(token, from, forwarded string) (status int, after string, took time.Duration) {
		w, began := httptest.NewRecorder(), time.Now()
		if c.identify(&response{ResponseWriter: w}, request(token, from, forwarded)) != nil {
			return http.StatusOK, "", 0
		}
		return w.Code, w.Header().Get("Retry-After"), time.Since(began)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, token := range []string{"malformed", "unknown"} {
			statuses, began := map[int]int{}, time.Now()
			for range 3 * guessesBurst {
				status, after, took := send(token, "192.0.2.1:1", "")
				statuses[status]++
				if late := took == guessSeconds*time.Second; late != (status == http.StatusTooManyRequests) || late != (after != "") {
					t.Fatalf("%s: %d after %v, Retry-After %q", token, status, took, after)
				}
			}
			most := guessesBurst + guessesPerSecond*int(time.Since(began).Seconds()) + 1
			if at401 := statuses[http.StatusUnauthorized]; at401 < guessesBurst || at401 > most || at401+statuses[http.StatusTooManyRequests] != 3*guessesBurst {
				t.Errorf("%s: %v, want at most %d of 401", token, statuses, most)
			}
			if token == "unknown" && (asked < guessesBurst || asked > most) {
				t.Errorf("the database was asked %d times, want at most %d", asked, most)
			}
		}
	})
	c.guesses = guesses{}
	synctest.Test(t, func(t *testing.T) {
		for i := range guessesBurst {
			for _, token := range []string{"malformed", "unknown"} {
				send(token, "192.0.2.1:1", fmt.Sprintf("203.0.113.%d", i)) // a stranger names no other address
				send(token, "10.0.0.7:1", "203.0.113.1, 198.51.100.1")
				send(token, fmt.Sprintf("[2001:db8::%x]:1", i), "")
			}
		}
		for _, test := range []struct {
			from, forwarded string
			over            bool
		}{
			{"192.0.2.1:2", "", true}, {"192.0.2.1:2", "203.0.113.200", true}, {"192.0.2.2:1", "", false},
			{"10.0.0.7:2", "198.51.100.1", true}, {"127.0.0.1:2", "198.51.100.2,198.51.100.1", true}, {"10.0.0.7:2", "198.51.100.2", false}, {"10.0.0.7:2", "", false},
			{"[2001:db8::ffff]:1", "", true}, {"[2001:db8:0:1::1]:1", "", false},
		} {
			if status, _, _ := send("known", test.from, test.forwarded); status != http.StatusOK {
				t.Errorf("a known caller from %s: %d", test.from, status)
			}
			if may := c.guesses.by(request("new", test.from, test.forwarded)).mayAsk(); may == test.over {
				t.Errorf("a new caller from %s, forwarded for %q: %v", test.from, test.forwarded, may)
			}
		}
	})
}
