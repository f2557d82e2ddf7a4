package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blue/blue/internal/index"
)

// Beyond the number of files that each call may list: while nothing watches yet,
// a call that follows another at once must not be told that nothing has changed.
func TestManyFilesAreSeenAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LOUD: only Linux watches; elsewhere so many files are listed once a second")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "notes"), 0o755))
	docs := make([]index.Document, 10_001)
	for i := range docs {
		docs[i].Name = fmt.Sprintf("notes/%05d.md", i)
	}
	x := mustOpen(t, docs...)
	for call := range 6 {
		must(t, os.WriteFile(filepath.Join(dir, "notes", fmt.Sprintf("new-%d.md", call)), nil, 0o644))
		if touched, all := x.Changes(false, dir, "notes"); !all && len(touched) == 0 {
			t.Errorf("call %d: nothing is said to have changed", call)
		}
		if err := x.Update(false).Commit(); err != nil { // in line with the files
			t.Fatal(err)
		}
	}
}
