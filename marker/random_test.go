package marker_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// world is a tree as the model sees it: names below the site, with "dir", "file"
// or the name that a link leads to. It knows nothing of how detection works, only
// what must come of it.
type world map[string]string

var words = []string{"a", "b c", "50%", "x+y", "ü", "d#e", "foo..bar", "проект", "q?", "it's"}

func randomWorld(r *rand.Rand) world {
	w := world{".": "dir", "home": "dir"}
	dirs := []string{".", "home"}
	for range 6 + r.IntN(10) {
		parent := dirs[r.IntN(len(dirs))]
		name := path.Join(parent, words[r.IntN(len(words))])
		if w[name] != "" || strings.Count(name, "/") > 4 {
			continue
		}
		switch n := r.IntN(10); {
		case n == 0:
			w[name] = "file"
		case n == 1:
			w[name] = dirs[r.IntN(len(dirs))]
		default:
			w[name] = "dir"
			dirs = append(dirs, name)
		}
	}
	for _, dir := range dirs {
		switch n := r.IntN(20); {
		case n < 6:
			w[dir+"/.blue"] = "dir"
		case n == 6:
			w[dir+"/.blue"] = "file"
		case n == 7:
			w[dir+"/.blue"] = "none"
		}
	}
	return w
}

// make puts the world on the disk.
func (w world) make(s site) {
	s.check(os.MkdirAll(s.base, 0o755))
	for _, name := range slices.Sorted(maps.Keys(w))[1:] {
		switch target := w[name]; target {
		case "dir":
			s.check(os.Mkdir(s.path(name), 0o755))
		case "file":
			s.check(os.WriteFile(s.path(name), nil, 0o644))
		default:
			s.check(os.Symlink(s.path(target), s.path(name)))
		}
	}
}

// physical follows the links in name; empty when it leads nowhere.
func (w world) physical(name string) string {
	at := "."
	for i, part := range strings.Split(name, "/") {
		if w[at] != "dir" {
			return ""
		}
		at = path.Join(at, part)
		if i > 0 || part != "." {
			switch kind := w[at]; kind {
			case "dir", "file":
			case "":
				return ""
			default:
				at = kind
			}
		}
	}
	return at
}

// verdict of the model on one candidate.
type verdict struct {
	root    string
	kind    errors.Kind // of the failure when the source is explicit
	refused bool
	exists  bool // a directory that counts for the stop rule
}

func (w world) judge(name string) verdict {
	dir := w.physical(name)
	if dir != "" && w[dir] == "file" {
		dir = path.Dir(dir)
	}
	if dir == "" || dir == "." || dir == "home" {
		return verdict{kind: errors.NotDetected}
	}
	for at := dir; at != "." && at != "home"; at = path.Dir(at) {
		switch w[at+"/.blue"] {
		case "dir":
			return verdict{root: at}
		case "none":
			return verdict{kind: errors.BadMarker, refused: true}
		}
	}
	return verdict{kind: errors.NotDetected, exists: true}
}

// heard is a candidate before it is spelled.
type heard struct {
	source marker.Source
	name   string
}

// decide is the chain of docs/detection.md with the stop rule.
func (w world) decide(all []heard) (root string, source marker.Source, others []string, kind errors.Kind) {
	var stopper, won marker.Source
	for _, h := range all {
		if root != "" {
			v := w.judge(h.name)
			if h.source == won && v.root != "" && v.root != root && !slices.Contains(others, v.root) {
				others = append(others, v.root)
			}
			continue
		}
		if stopper != "" && stopper != h.source && !h.source.Explicit() {
			continue
		}
		v := w.judge(h.name)
		switch {
		case v.root != "":
			root, source, won = v.root, h.source, h.source
		case v.refused || h.source.Explicit():
			return "", "", nil, v.kind
		case v.exists && stopper == "" && (h.source == marker.Roots || h.source == marker.Initialize):
			stopper = h.source
		}
	}
	if root != "" {
		return root, source, others, ""
	}
	if stopper != "" {
		return "", "", nil, errors.NotDetected
	}
	return "", "", nil, errors.NoProject
}

// spell writes a name of the world as a client might.
func spell(r *rand.Rand, s site, h heard) marker.Candidate {
	text := filepath.ToSlash(s.path(h.name))
	c := marker.Candidate{Source: h.source, URI: h.source == marker.Roots}
	switch n := r.IntN(4); {
	case c.URI || n == 0:
		link := url.URL{Scheme: "file", Path: text}
		c.Value = link.String()
	case n == 1:
		c.Value = text + "/"
	case n == 2:
		c.Value = path.Dir(text) + "/.//" + path.Base(text)
	default:
		c.Value = text
	}
	return c
}

// memory is a site on a memory disk where there is one: a disk that others sync
// takes half a minute for two thousand trees.
func memory(t *testing.T) site {
	base, err := os.MkdirTemp("/dev/shm", "blue")
	if err != nil {
		return newSite(t)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	return site{t: t, base: base}
}

// Random trees with random sources: no difference from the model.
func TestRandomTrees(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: names and links of Unix")
	}
	r := rand.New(rand.NewPCG(20, 26))
	sources := marker.Sources()[:10]
	found, failed, top := 0, 0, memory(t)
	trees := fixtures.Size(500, 2000, 20_000)
	for i := range trees {
		s := site{t: t, base: top.path(fmt.Sprint(words[r.IntN(len(words))], i))}
		w := randomWorld(r)
		w.make(s)
		var names []string
		for name := range w {
			if path.Base(name) != ".blue" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		names = append(names, "missing")
		var all []heard
		var candidates []marker.Candidate
		for _, source := range sources {
			if r.IntN(3) > 0 {
				continue
			}
			for range 1 + r.IntN(3) {
				h := heard{source, names[r.IntN(len(names))]}
				all = append(all, h)
				candidates = append(candidates, spell(r, s, h))
				if source != marker.Roots && source != marker.Initialize {
					break
				}
			}
		}
		root, source, others, kind := w.decide(all)
		got, err := s.choose(s.rules(), candidates...)
		describe := func() string { return fmt.Sprintf("tree %d %q, heard %v", i, w, candidates) }
		if kind != "" {
			failed++
			if !errors.Is(err, kind) {
				t.Fatalf("%s: found %s, %v, want kind %s", describe(), got.Root, err, kind)
			}
			conform(t, failure(t, err).Trace, false)
			continue
		}
		found++
		if err != nil || got.Root != s.path(root) || got.Source != source {
			t.Fatalf("%s: found %s from %s, %v, want %s from %s", describe(), got.Root, got.Source, err, root, source)
		}
		for i := range others {
			others[i] = s.path(others[i])
		}
		if !slices.Equal(got.OtherRoots, others) {
			t.Fatalf("%s: others %v, want %v", describe(), got.OtherRoots, others)
		}
		conform(t, got.Trace, true)
	}
	if found < trees/7 || failed < trees/7 {
		t.Errorf("%d found and %d failed: the worlds are too much alike", found, failed)
	}
}
