//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"

	"golang.org/x/sys/unix"
)

// Promise 21: what a listing has seen may have become anything since.
func TestReadWhatWasListed(t *testing.T) {
	t.Parallel()
	for name, become := range map[string]func(path string) error{
		"another note": func(path string) error { return os.WriteFile(path, []byte("another"), 0o644) },
		"a link":       func(path string) error { return os.Symlink("../project.yaml", path) },
		"a FIFO":       func(path string) error { return unix.Mkfifo(path, 0o644) },
		"a directory":  func(path string) error { return os.Mkdir(path, 0o755) },
		"a device": func(path string) error {
			err := unix.Mknod(path, unix.S_IFCHR|0o644, int(unix.Mkdev(1, 3)))
			if err != nil {
				return errors.Join(errSkip, err)
			}
			return nil
		},
		"nothing": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			write(t, root, "notes/x.md", "here")
			var seen store.File
			for file, err := range s.Files(t.Context()) {
				must(t, err)
				seen = file
			}
			texts := s.Texts()
			defer texts.Close()
			if data, err := texts.Read("notes/x.md", seen.Inode); string(data) != "here" || err != nil {
				t.Fatalf("before: %q, %v", data, err)
			}
			path := filepath.Join(root, ".blue", "notes", "x.md")
			must(t, os.Rename(path, path+".away")) // its inode stays in use
			if err := become(path); errors.Is(err, errSkip) {
				t.Skip("SKIPPED: a device needs root:", err)
			} else {
				must(t, err)
			}
			data, err := texts.Read("notes/x.md", seen.Inode)
			if name == "another note" {
				if string(data) != "another" || err != nil {
					t.Errorf("%q, %v", data, err)
				}
				return
			}
			if err == nil || len(data) > 0 {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

var errSkip = errors.New("cannot be made here")
