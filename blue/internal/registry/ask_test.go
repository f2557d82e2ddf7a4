package registry_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/registry"
)

// K022: projects are asked at the same time, and one that hangs costs the limit and is named.
func TestAskAllIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		defer close(release)
		all := []registry.Project{{Root: "/hung"}, {Root: "/slow"}, {Root: "/quick"}, {Root: "/broken"}, {Root: "/hung too"}}
		began := time.Now()
		answers := registry.AskAll(t.Context(), all, func(ctx context.Context, p registry.Project) registry.Answer {
			switch p.Root {
			case "/slow":
				time.Sleep(2 * time.Second)
			case "/broken":
				panic("a damaged file")
			case "/hung", "/hung too":
				<-release
			}
			return registry.Answer{Value: p.Root}
		})()
		if took := time.Since(began); took != registry.AnswerTime {
			t.Errorf("the answer took %v", took)
		}
		var got []string
		for _, a := range answers {
			value, _ := a.Value.(string)
			got = append(got, value+a.Reason)
		}
		if want := []string{registry.Silent, "/slow", "/quick", "it cannot be read", registry.Silent}; !slices.Equal(got, want) {
			t.Errorf("answers %q, want %q", got, want)
		}
	})
}

// Without a project that hangs nobody waits.
func TestAskAllEndsWithTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		registry.AskAll(t.Context(), []registry.Project{{Root: "/a"}, {Root: "/b"}}, func(context.Context, registry.Project) registry.Answer {
			time.Sleep(time.Second)
			return registry.Answer{}
		})()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the answer took %v", took)
		}
	})
}

// A server that may serve some directories names no project outside of them.
func TestServed(t *testing.T) {
	all := []registry.Project{{Root: "/work/shop"}, {Root: "/work"}, {Root: "/workshop"}, {Root: "/home/me/notes"}}
	for _, test := range []struct {
		allowed []string
		want    int
	}{{nil, 4}, {[]string{"/work"}, 2}, {[]string{"/work/shop"}, 1}, {[]string{"/home", "/work"}, 3}, {[]string{"/else"}, 0}} {
		if got := registry.Served(all, test.allowed); len(got) != test.want {
			t.Errorf("%q serve %v", test.allowed, got)
		}
	}
}
