//go:build unix

package transfer_test

import (
	"os"
	"path/filepath"
	"testing"

	"blue/blue/transfer"
	"blue/errors"
)

// A path in a project that a link puts outside of it is no place for an
// export and no source of notes.
func TestLinksOut(t *testing.T) {
	u := newUser(t)
	dir, outside := u.Project(t), physical(t)
	put(t, outside, "a.md", "# A\n\nText.\n")
	for _, target := range []string{outside, filepath.Join("..", filepath.Base(outside)), filepath.Join(outside, "nothing")} {
		at := filepath.Join(dir, "docs")
		must(t, os.Symlink(target, at))
		for _, to := range []string{filepath.Join(at, "site"), at} {
			_, err := transfer.Export(t.Context(), u.Open(t, dir), transfer.Exporting{Output: to})
			isKind(t, err, errors.Invalid, "an export to "+to+" -> "+target)
		}
		_, err := transfer.Import(t.Context(), u.Open(t, dir), transfer.Importing{Source: "markdown", Path: at})
		if !errors.Is(err, errors.Invalid) && !errors.Is(err, errors.BadPath) {
			t.Errorf("an import of %s -> %s: %v", at, target, err)
		}
		must(t, os.Remove(at))
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	must(t, os.Mkdir(filepath.Join(dir, "here"), 0o755))
	must(t, os.Symlink("here", filepath.Join(dir, "docs")))
	exported(t, u.Open(t, dir), transfer.Exporting{Output: filepath.Join(dir, "docs", "site")})
}
