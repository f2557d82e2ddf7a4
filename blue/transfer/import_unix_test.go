//go:build unix

package transfer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"blue/blue/transfer"
	"blue/errors"
)

// TestImportOfAFIFO does not wait for somebody to write into it.
func TestImportOfAFIFO(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	put(t, from, "a.md", "# A\n\nText.\n")
	must(t, unix.Mkfifo(filepath.Join(from, "pipe.md"), 0o644))
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from})
	if r.Taken != 1 || r.LeftOut != 1 || !strings.Contains(r.Text(), "not a regular file") {
		t.Error(r.Text())
	}
	_, err := transfer.Import(t.Context(), u.Open(t, dir), transfer.Importing{Source: "memory-jsonl", Path: filepath.Join(from, "pipe.md")})
	isKind(t, err, errors.Invalid, "a FIFO")
}
