package known_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/known"
)

// K022: projects are asked at the same time, and one that hangs costs the limit and is named.
func TestAskAllIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		defer close(release)
		all := []known.Project{{Root: "/hung"}, {Root: "/slow"}, {Root: "/quick"}, {Root: "/broken"}, {Root: "/hung too"}}
		began := time.Now()
		answers := known.AskAll(t.Context(), all, func(ctx context.Context, p known.Project) known.Answer {
			switch p.Root {
			case "/slow":
				time.Sleep(2 * time.Second)
			case "/broken":
				panic("a damaged file")
			case "/hung", "/hung too":
				<-release
			}
			return known.Answer{Value: p.Root}
		})()
		if took := time.Since(began); took != known.AnswerTime {
			t.Errorf("the answer took %v", took)
		}
		var got []string
		for _, a := range answers {
			value, _ := a.Value.(string)
			got = append(got, value+a.Reason)
		}
		if want := []string{known.Silent, "/slow", "/quick", "it cannot be read", known.Silent}; !slices.Equal(got, want) {
			t.Errorf("answers %q, want %q", got, want)
		}
	})
}

// Without a project that hangs nobody waits.
func TestAskAllEndsWithTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		known.AskAll(t.Context(), []known.Project{{Root: "/a"}, {Root: "/b"}}, func(context.Context, known.Project) known.Answer {
			time.Sleep(time.Second)
			return known.Answer{}
		})()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the answer took %v", took)
		}
	})
}

// A server that may serve some directories names no project outside of them.
func TestServed(t *testing.T) {
	all := []known.Project{{Root: "/work/shop"}, {Root: "/work"}, {Root: "/workshop"}, {Root: "/home/me/notes"}}
	for _, test := range []struct {
		allowed []string
		want    int
	}{{nil, 4}, {[]string{"/work"}, 2}, {[]string{"/work/shop"}, 1}, {[]string{"/home", "/work"}, 3}, {[]string{"/else"}, 0}} {
		if got := known.Served(all, test.allowed); len(got) != test.want {
			t.Errorf("%q serve %v", test.allowed, got)
		}
	}
}
