package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"blue/fixtures"
)

func TestMain(m *testing.M) { os.Exit(fixtures.Main(m)) }

// addLinks writes a file in a directory outside of dir, and adds to dir a link to the file, a link to
// the directory, and a pipe, link and pipe with the extension of the file. Windows has none of these.
// It returns the directory outside.
func addLinks(t *testing.T, dir, file, text string) (outside string) {
	t.Helper()
	outside = t.TempDir()
	write(t, outside, file, text)
	if runtime.GOOS == "windows" {
		return outside
	}
	for link, to := range map[string]string{"link" + filepath.Ext(file): filepath.Join(outside, file), "linked": outside} {
		must(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	must(t, exec.Command("mkfifo", filepath.Join(dir, "pipe"+filepath.Ext(file))).Run())
	return outside
}

var must = fixtures.Must
