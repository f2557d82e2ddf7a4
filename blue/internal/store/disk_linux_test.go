package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"blue/errors"

	"golang.org/x/sys/unix"
)

// small mounts a small file system with a project in it, or skips.
func small(t *testing.T, options string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := unix.Mount("tmpfs", root, "tmpfs", 0, options); err != nil {
		t.Skipf("SKIPPED: mounting needs root: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(root, unix.MNT_DETACH) })
	write(t, root, "notes/x.md", "old")
	return root
}

// Promise 5: a full or read-only disk harms no old note.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for options, fill := range map[string]func(path string, i int) error{
		"size=256k":    func(path string, i int) error { return os.WriteFile(path, make([]byte, 4096), 0o644) },
		"nr_inodes=64": func(path string, i int) error { return os.WriteFile(path, nil, 0o644) },
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			root := small(t, options)
			s := open(t, root)
			h := lock(t, s)
			for i := 0; fill(filepath.Join(root, fmt.Sprint("fill", i)), i) == nil; i++ {
			}
			before := withoutHistory(tree(t, root))
			_, err := h.Create("notes/y.md", make([]byte, 5000))
			isKind(t, err, errors.Disk)
			_, err = h.Replace("notes/x.md", "", make([]byte, 5000))
			isKind(t, err, errors.Disk)
			if after := withoutHistory(tree(t, root)); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			noTemps(t, root)
			for i := range 4 {
				must(t, os.Remove(filepath.Join(root, fmt.Sprint("fill", i))))
			}
			_, err = h.Replace("notes/x.md", "", []byte("new"))
			must(t, err)
		})
	}
}

// withoutHistory leaves out what a failed edit may well have kept.
func withoutHistory(tree string) string {
	return regexp.MustCompile(`(?m)^history.*\n`).ReplaceAllString(tree, "")
}

func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	root := small(t, "size=1m")
	s := open(t, root)
	must(t, lock(t, s).Unlock())
	before := tree(t, root)
	err := error(unix.EBUSY)
	for range 1000 { // a process that another test is starting has our files until it runs
		if err = unix.Mount("tmpfs", root, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != unix.EBUSY {
			break
		}
		time.Sleep(time.Millisecond)
	}
	must(t, err)
	_, err = s.Lock(context.Background())
	isKind(t, err, errors.Disk)
	if content(t, s, "notes/x.md") != "old" || tree(t, root) != before {
		t.Errorf("before\n%s\nafter\n%s", before, tree(t, root))
	}
}
