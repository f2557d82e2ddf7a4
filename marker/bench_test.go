package marker_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blue/marker"
)

// A call whose project lies five levels up, beside the bare questions to the disk
// that its walk cannot do without.
func BenchmarkChoose(b *testing.B) {
	s := newSite(b)
	s.build("home/src/p/.blue/project.yaml=format: 1\nid: k\nname: p\n", "home/src/p/a/b/c/d/e/")
	rules := s.rules()
	candidates := []marker.Candidate{{Source: marker.Cwd, Value: s.path("home/src/p/a/b/c/d/e")}}
	for b.Loop() {
		if _, err := marker.Choose(context.Background(), rules, slices.Values(candidates)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareWalk(b *testing.B) {
	s := newSite(b)
	s.build("home/src/p/.blue/", "home/src/p/a/b/c/d/e/")
	for b.Loop() {
		dir := s.path("home/src/p/a/b/c/d/e")
		for range 6 {
			_, _ = os.Lstat(dir)
			_, _ = os.Lstat(filepath.Join(dir, marker.Name))
			dir = filepath.Dir(dir)
		}
	}
}
