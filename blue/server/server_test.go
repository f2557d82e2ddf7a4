package server_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/server"
	"blue/errors"
	"blue/fixtures"
	"blue/fixtures/database"
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) (code int) {
	defer fixtures.InMemory()()
	return database.Main(m)
}

var must = fixtures.Must

// replica is one server of a database; when armed is above 0, that many looks at the clock
// later the call panics.
type replica struct {
	*server.Server
	b     *blue.Blue
	armed atomic.Int64
}

func open(t *testing.T, url string) *replica {
	t.Helper()
	r := &replica{}
	home := t.TempDir()
	r.b = blue.New(blue.Options{Home: home, Cache: home, State: home, Config: home, Data: home, Env: func(string) string { return "" },
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time {
			if r.armed.Add(-1) == 0 {
				panic("injected")
			}
			return time.Now()
		}})
	t.Cleanup(func() { _ = r.b.Close() })
	var err error
	r.Server, err = server.Open(t.Context(), server.Options{Store: database.Serving(url), Blue: r.b, Log: slog.New(slog.DiscardHandler), CacheSize: 1 << 30})
	must(t, err)
	t.Cleanup(r.Server.Close)
	return r
}

// write writes a note, and says whether that ended in a panic.
func (r *replica) write(t *testing.T, title string) (panicked bool) {
	t.Helper()
	defer func() {
		if panicked = recover() != nil; panicked {
			r.b.Forget()
		}
	}()
	p, err := r.Open(t.Context(), blue.Asked{Names: []blue.NamedProject{{Value: "shop"}}})
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: title, Body: "Text of " + title})
	must(t, err)
	return false
}

// A token of a wrong form, and one that was revoked, are refused.
func TestTokens(t *testing.T) {
	fixtures.Slow(t)
	url := database.New(t)
	_, err := server.Migrate(t.Context(), url)
	must(t, err)
	o, err := server.Operate(t.Context(), url)
	must(t, err)
	defer o.Close()
	made, err := o.AddToken(t.Context(), server.Token{Subject: "ann"})
	must(t, err)
	s := open(t, url)
	verify := func(token string) error { _, _, err := s.Verify(t.Context(), token, ""); return err }
	other := "A"
	if made.Token[20:21] == other {
		other = "B"
	}
	for _, token := range []string{"", "blue_", "token", made.Token[5:], made.Token + "A", made.Token[:len(made.Token)-1], made.Token[:len(made.Token)-1] + "\n",
		made.Token[:20] + other + made.Token[21:], "blue_" + strings.Repeat("x", 1<<16)} {
		if err := verify(token); !errors.Is(err, errors.Denied) {
			t.Errorf("%q: %v", token, err)
		}
	}
	must(t, verify(made.Token))
	for revoked, want := range []bool{true, false} {
		database.In(t, url, fmt.Sprintf("SET blue.operator = 'on'; UPDATE blue.token SET revoked = %d", revoked))
		if err := verify(made.Token); (err == nil) != want || err != nil && !errors.Is(err, errors.Denied) {
			t.Errorf("revoked %d: %v", revoked, err)
		}
	}
}

// A panic, at whichever moment of a write, harms this call alone: the project is free
// for the writers of both replicas, and what was not acknowledged is not there (promise 14).
func TestPanic(t *testing.T) {
	url := database.New(t)
	_, err := server.Migrate(t.Context(), url)
	must(t, err)
	o, err := server.Operate(t.Context(), url)
	must(t, err)
	defer o.Close()
	_, err = o.AddProject(t.Context(), "shop", "", "")
	must(t, err)
	first, second := open(t, url), open(t, url)
	written, moments := 0, 0
	for ; ; moments++ {
		first.armed.Store(int64(moments + 1))
		panicked := first.write(t, fmt.Sprint("Note with a panic ", moments))
		first.armed.Store(0)
		if !panicked {
			written++
			break
		}
		first.write(t, fmt.Sprint("Note after ", moments))
		second.write(t, fmt.Sprint("Other note after ", moments))
		written += 2
	}
	if moments < 2 {
		t.Errorf("a write looks at the clock at %d moments", moments)
	}
	p, err := second.Open(t.Context(), blue.Asked{Names: []blue.NamedProject{{Value: "shop"}}})
	must(t, err)
	if all, err := p.List(t.Context(), blue.Filter{}); err != nil || all.Total != written {
		t.Errorf("%d notes are there, %d were acknowledged, %v", all.Total, written, err)
	}
}
