package server_test

import (
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/server"
	"blue/fixtures/database"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
	r.Server, err = server.Open(t.Context(), server.Options{Store: url, Blue: r.b, CacheSize: 1 << 30})
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
	p, err := r.Open(t.Context(), blue.Asked{Names: []blue.Named{{Value: "shop"}}})
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: title, Body: "Text of " + title})
	must(t, err)
	return false
}

// V002: a panic, at whichever moment of a write, harms this call alone: the project is free
// for the writers of both replicas, and what was not acknowledged is not there (promise 14).
func TestV002Panic(t *testing.T) {
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
	if moments < 3 {
		t.Errorf("a write looks at the clock at %d moments", moments)
	}
	p, err := second.Open(t.Context(), blue.Asked{Names: []blue.Named{{Value: "shop"}}})
	must(t, err)
	if all, err := p.List(t.Context(), blue.Filter{}); err != nil || all.Total != written {
		t.Errorf("%d notes are there, %d were acknowledged, %v", all.Total, written, err)
	}
}
