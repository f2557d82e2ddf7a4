package blue

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"blue/blue/result"
	"blue/fixtures"
	"blue/marker"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func roots(t *testing.T, r *registry) (roots []string) {
	t.Helper()
	all, err := r.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		roots = append(roots, p.Root)
	}
	return roots
}

func record(t *testing.T, r *registry, root, name string, at time.Time) {
	t.Helper()
	if err := r.recordUse(result.Known{Address: marker.Address{Root: root, Name: name, ID: root + "-id"}, Used: at}); err != nil {
		t.Fatal(err)
	}
}

func TestListAndForget(t *testing.T) {
	state := t.TempDir()
	r := openRegistry(state)
	if got := roots(t, r); got != nil {
		t.Errorf("an empty registry lists %q", got)
	}
	odd := fixtures.Abs("/work/\u202eline\nend")
	record(t, r, fixtures.Abs("/work/old"), "old", noon.Add(-time.Hour))
	record(t, r, fixtures.Abs("/work/shop"), "shop", noon)
	record(t, r, odd, "odd", noon.Add(-2*time.Hour))
	want := []string{fixtures.Abs("/work/shop"), fixtures.Abs("/work/old"), odd}
	if got := roots(t, openRegistry(state)); !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if err := r.forget(odd); err != nil {
		t.Error(err)
	}
	if err := r.forget(fixtures.Abs("/never")); !os.IsNotExist(err) {
		t.Errorf("forgetting what is not there: %v", err)
	}
	record(t, r, odd, "odd", noon)
	if got := roots(t, r); len(got) != 3 {
		t.Errorf("a project that is used again is listed again: %q", got)
	}
}

// A use is written once a day, and when the project has another name or id.
func TestWritesAreRare(t *testing.T) {
	state := t.TempDir()
	r := openRegistry(state)
	record(t, r, fixtures.Abs("/work/shop"), "shop", noon)
	file := filepath.Join(state, "projects")
	entries, _ := os.ReadDir(file)
	if len(entries) != 1 {
		t.Fatalf("%d files", len(entries))
	}
	path := filepath.Join(file, entries[0].Name())
	for _, step := range []struct {
		name    string
		after   time.Duration
		written bool
	}{{"shop", time.Second, false}, {"shop", 23 * time.Hour, false}, {"shop", 25 * time.Hour, true}, {"store", 26 * time.Hour, true}, {"store", 20 * time.Hour, true}} {
		for _, r := range []*registry{openRegistry(state), r} {
			before, _ := os.ReadFile(path)
			record(t, r, fixtures.Abs("/work/shop"), step.name, noon.Add(step.after))
			if after, _ := os.ReadFile(path); (string(before) != string(after)) != step.written {
				t.Errorf("%s after %v: written is %v", step.name, step.after, !step.written)
			}
			step.written = false // the other process finds it done
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
}

func TestForeignFilesArePassedOver(t *testing.T) {
	state := t.TempDir()
	r := openRegistry(state)
	record(t, r, fixtures.Abs("/work/shop"), "shop", noon)
	dir := filepath.Join(state, "projects")
	for name, text := range map[string]string{"empty": "", "half": `{"root":"/x"`, "relative": `{"root":"x"}`, "moved": `{"root":"/work/other"}`, ".tmp-1": `{"root":"/x"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := roots(t, r); !slices.Equal(got, []string{fixtures.Abs("/work/shop")}) {
		t.Errorf("listed %q", got)
	}
}

// Writers and readers at the same time: what is read is always whole.
func TestConcurrentUse(t *testing.T) {
	state := t.TempDir()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := openRegistry(state)
			for day := range 20 {
				record(t, r, fixtures.Abs("/work/shop"), "shop", noon.Add(time.Duration(day)*25*time.Hour))
				record(t, r, fixtures.Abs(fmt.Sprint("/work/", i)), "own", noon.Add(time.Duration(day)*25*time.Hour))
				if got := roots(t, r); !slices.Contains(got, fixtures.Abs("/work/shop")) {
					t.Errorf("the shared project is missing in %q", got)
				}
			}
		})
	}
	group.Wait()
	if got := roots(t, openRegistry(state)); len(got) != 9 {
		t.Errorf("%d projects of 9", len(got))
	}
}
