package marker

import (
	"context"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"blue/errors"
)

// The home directory is known by device and inode too, whatever its path.
func TestHomeUnderAnotherName(t *testing.T) {
	base := build(t, "u/home/.blue", "u/home/x", "other")
	other := filepath.Join(base, "other")
	if err := syscall.Mount(filepath.Join(base, "u/home"), other, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(other, syscall.MNT_DETACH) })
	rules := Rules{Home: filepath.Join(base, "u/home")}
	for _, start := range []string{other, filepath.Join(other, "x")} {
		if root, err := Find(context.Background(), rules, start); !errors.Is(err, errors.NotDetected) {
			t.Errorf("%s, %v", root, err)
		}
	}
}

// One directory by two physical paths, as on a file system that ignores case, is
// one project.
func TestOneProjectByTwoPaths(t *testing.T) {
	base := build(t, "p/.blue", "other", "home")
	other := filepath.Join(base, "other")
	if err := syscall.Mount(filepath.Join(base, "p"), other, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(other, syscall.MNT_DETACH) })
	rules := Rules{Home: filepath.Join(base, "home")}
	found, err := Choose(context.Background(), rules, slices.Values([]Candidate{
		{Source: Roots, Value: "file://" + base + "/p", URI: true}, {Source: Roots, Value: "file://" + other, URI: true}, {Source: Cwd, Value: other}}))
	if last := found.Trace[len(found.Trace)-1]; err != nil || len(found.OtherRoots) > 0 || last.Outcome != Used {
		t.Errorf("others %v, trace ends with %+v, %v", found.OtherRoots, last, err)
	}
}
