package atomicfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

func TestReplace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "below")
	path := filepath.Join(dir, "file")
	refuse := errors.New("changed meanwhile")
	for i, f := range []struct {
		atomicfile.Target
		want os.FileMode
		text string
	}{
		{atomicfile.Target{Path: path}, 0o600, "0"},
		{atomicfile.Target{Path: path, Mode: 0o644}, 0o644, "1"},
		{atomicfile.Target{Path: path, Mode: 0o600, Check: func() error { return refuse }}, 0o644, "1"},
		{atomicfile.Target{Path: path, Volatile: true}, 0o600, "3"},
	} {
		err := f.Replace(fmt.Append(nil, i))
		if (f.Check != nil) != errors.Is(err, refuse) {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		info, _ := os.Stat(path)
		if err != nil || string(text) != f.text || runtime.GOOS != "windows" && info.Mode().Perm() != f.want {
			t.Errorf("%d: %q, mode %v, %v", i, text, info.Mode(), err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%d: left behind: %v, %v", i, left, err)
		}
	}
}
