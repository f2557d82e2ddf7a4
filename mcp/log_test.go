package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A full file is followed by a new one, the number of files has a bound, and the youngest lines
// are kept. Files of another name stay.
func TestDebugLogFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, err := openDebug(dir, "hook")
	must(t, err)
	defer other.Close()
	file, err := openDebug(dir, "mcp")
	must(t, err)
	defer func() { _ = file.Close() }()
	file.limit = 4
	const lines = 3 * fileCount
	for i := range lines {
		if _, err := fmt.Fprintf(file, "%02d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "mcp-debug-*.log"))
	if len(files) != fileCount {
		t.Fatalf("%d files: %q", len(files), files)
	}
	for i, name := range files {
		first := lines - 2*(fileCount-i) // two lines fill a file
		if data, err := os.ReadFile(name); err != nil || string(data) != fmt.Sprintf("%02d\n%02d\n", first, first+1) {
			t.Errorf("file %d: %q, %v", i, data, err)
		}
		if info, err := os.Stat(name); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := os.Stat(other.Name()); err != nil {
		t.Error(err)
	}
}

// No file is made in a directory where everyone may write.
func TestDebugLogIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such modes here")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o777))
	if _, err := openDebug(dir, "mcp"); err == nil {
		t.Error("a file was made")
	}
}
