package blue

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/result"
	"blue/marker"
)

// Projects are asked at the same time, and one that hangs costs the limit and is named.
func TestAskAllIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		defer close(release)
		all := knownAt("/hung", "/slow", "/quick", "/broken", "/hung too")
		began := time.Now()
		answers := askAll(t.Context(), all, func(ctx context.Context, p result.Known) (string, string) {
			switch p.Root {
			case "/slow":
				time.Sleep(2 * time.Second)
			case "/broken":
				panic("a damaged file")
			case "/hung", "/hung too":
				<-release
			}
			return p.Root, ""
		})()
		if took := time.Since(began); took != answerTime {
			t.Errorf("the answer took %v", took)
		}
		var got []string
		for _, a := range answers {
			got = append(got, a.value+a.reason)
		}
		if want := []string{silent, "/slow", "/quick", "it cannot be read", silent}; !slices.Equal(got, want) {
			t.Errorf("answers %q, want %q", got, want)
		}
	})
}

// Without a project that hangs nobody waits.
func TestAskAllEndsWithTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		askAll(t.Context(), knownAt("/a", "/b"), func(context.Context, result.Known) (string, string) {
			time.Sleep(time.Second)
			return "", ""
		})()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the answer took %v", took)
		}
	})
}

// A server that may serve some directories names no project outside of them.
func TestServed(t *testing.T) {
	all := knownAt("/work/shop", "/work", "/workshop", "/home/me/notes")
	for _, test := range []struct {
		allowed []string
		want    int
	}{{nil, 4}, {[]string{"/work"}, 2}, {[]string{"/work/shop"}, 1}, {[]string{"/home", "/work"}, 3}, {[]string{"/else"}, 0}} {
		if got := served(all, test.allowed); len(got) != test.want {
			t.Errorf("%q serve %v", test.allowed, got)
		}
	}
}

// knownAt are projects with these roots.
func knownAt(roots ...string) (all []result.Known) {
	for _, root := range roots {
		all = append(all, result.Known{Address: marker.Address{Root: root}})
	}
	return all
}
