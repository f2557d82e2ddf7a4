package page

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestPersonExpires: what a cookie holds counts for an hour, whatever the browser does with it,
// and only for whom it was sealed.
func TestPersonExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const secret = "a-secret-of-the-client"
		sealed := func(secret, purpose string, secure bool) logins {
			s, err := newSeal(secret, purpose, secure)
			must(t, err)
			return logins{seal: s}
		}
		l := sealed(secret, "issuer", true)
		w := httptest.NewRecorder()
		l.seal.put(w, personCookie, person{Subject: "ann"}, personTime)
		r := httptest.NewRequest(http.MethodGet, "/projects/", nil)
		r.AddCookie(w.Result().Cookies()[0])
		known := func(l logins) string { p, _ := l.personOf(r); return p.Subject }
		if known(l) != "ann" || known(sealed(secret, "issuer", true)) != "ann" {
			t.Error("the cookie is not known again")
		}
		for what, other := range map[string]logins{
			"another secret": sealed(secret+"2", "issuer", true), "another issuer": sealed(secret, "other", true), "plain http": sealed(secret, "issuer", false),
		} {
			if known(other) != "" {
				t.Errorf("the cookie counts for %s", what)
			}
		}
		time.Sleep(personTime - time.Second)
		if known(l) != "ann" {
			t.Error("the cookie ends too soon")
		}
		time.Sleep(time.Second)
		if known(l) != "" {
			t.Error("the cookie counts for more than an hour")
		}
	})
}
