package marker

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blue/errors"
)

// A walk stays on its file system unless told otherwise.
func TestMountBoundary(t *testing.T) {
	base := build(t, "p/.blue", "p/mnt", "home")
	mnt := filepath.Join(base, "p/mnt")
	if err := syscall.Mount("blue", mnt, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(mnt, syscall.MNT_DETACH) })
	start := filepath.Join(mnt, "x/y")
	if err := os.MkdirAll(start, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(mnt, 0o755); err != nil {
		t.Fatal(err)
	}
	rules := Rules{Home: filepath.Join(base, "home"), Ceilings: []string{base}}
	_, err := Find(context.Background(), rules, start)
	if !errors.Is(err, errors.NotDetected) || !strings.Contains(errors.Of(err).Text(), "3 levels, ended at mount boundary above "+mnt) {
		t.Errorf("%v", errors.Of(err).Text())
	}
	rules.AcrossFilesystems = true
	if root, err := Find(context.Background(), rules, start); err != nil || root != filepath.Join(base, "p") {
		t.Errorf("%s, %v", root, err)
	}
}

// The home directory is known by device and inode too, whatever its path.
func TestHomeUnderAnotherName(t *testing.T) {
	base := build(t, "u/home/.blue", "u/home/x", "other")
	other := filepath.Join(base, "other")
	if err := syscall.Mount(filepath.Join(base, "u/home"), other, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(other, syscall.MNT_DETACH) })
	rules := Rules{Home: filepath.Join(base, "u/home"), Ceilings: []string{base}}
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
	rules := Rules{Home: filepath.Join(base, "home"), Ceilings: []string{base}, Survey: true}
	found, err := Choose(context.Background(), rules, slices.Values([]Candidate{
		{Source: Roots, Value: "file://" + base + "/p", URI: true}, {Source: Roots, Value: "file://" + other, URI: true}, {Source: Cwd, Value: other}}))
	if last := found.Trace[len(found.Trace)-1]; err != nil || len(found.OtherRoots) > 0 || last.Outcome != Used {
		t.Errorf("others %v, trace ends with %+v, %v", found.OtherRoots, last, err)
	}
}
