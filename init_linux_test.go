package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A009: an init that the disk stops half-way leaves nothing behind either.
func TestA009FaultWhileMaking(t *testing.T) {
	met := 0
	for _, call := range []string{"mkdirat", "write", "fsync", "linkat,renameat"} {
		for n := 1; n <= 4; n++ {
			p := newPlace(t)
			dir, log := filepath.Join(p.base, "new"), filepath.Join(p.base, "trace")
			must(t, os.Mkdir(dir, 0o755))
			err := traced(t, p.command(t, "init", dir), log, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:error=ENOSPC:when=%d+", call, n)).Run()
			trace, readable := os.ReadFile(log)
			must(t, readable)
			if hit := injected.FindStringSubmatch(string(trace)); hit == nil || !strings.HasPrefix(hit[2], dir) {
				continue
			}
			met++
			left, _ := filepath.Glob(filepath.Join(dir, "*"))
			if hidden, _ := filepath.Glob(filepath.Join(dir, ".blue", "*")); err != nil && len(hidden)+len(left) > 0 {
				t.Errorf("%s %d failed, and left %q %q", call, n, left, hidden)
			}
			if _, gone := os.Lstat(filepath.Join(dir, ".blue")); (err != nil) != os.IsNotExist(gone) {
				t.Errorf("%s %d: init says %v, the marker %v", call, n, err, gone)
			}
		}
	}
	if met < 8 {
		t.Fatalf("%d faults were met", met)
	}
	t.Logf("%d faults", met)
}
