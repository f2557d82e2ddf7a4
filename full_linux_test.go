package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// tmpfs is a project of the model on a small file system of its own.
func (tr trial) tmpfs(t *testing.T, verb, options string) trial {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("SKIPPED: mounting needs root: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return tr.again(t, verb, place{t.TempDir(), filepath.Join(dir, "shop")})
}

// fill uses up the file system of a trial, then lets go of some of it: pages of
// 4 KiB, or files where it is files that run out.
func (tr trial) fill(t *testing.T, size, free int) {
	t.Helper()
	name := func(i int) string { return filepath.Join(tr.p.project, fmt.Sprint("fill", i)) }
	made := 0
	for os.WriteFile(name(made), make([]byte, size), 0o644) == nil {
		made++
	}
	for i := range free {
		must(t, os.Remove(name(i)))
	}
	_ = os.Remove(name(made)) // what did not fit any more
}

// Promise 5: a full disk, one without inodes and a read-only one harm no old note;
// Blue says `disk` and leaves no temporary file. However little is free, a write
// that is acknowledged is whole.
func TestPromise5FullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: mounting needs root")
	}
	model := newTrial(t, newPlace(t))
	refused, took := 0, 0
	for verb := range trials {
		for _, kind := range []struct {
			options string
			size    int
		}{{"size=256k", 4096}, {"nr_inodes=64", 0}} {
			for free := range 9 {
				t.Run(fmt.Sprintf("%s with %s, %d free", verb, kind.options, free), func(t *testing.T) {
					tr := model.tmpfs(t, verb, kind.options)
					tr.fill(t, kind.size, free)
					o := try(tr.command(t))
					if wrong := tr.judge(t, o); len(wrong) > 0 || o.code != 0 && o.Error != "disk" {
						t.Errorf("%q; blue says %+v", wrong, o)
					}
					if o.code != 0 {
						refused++
					} else {
						took++
					}
				})
			}
		}
		t.Run(verb+" read-only", func(t *testing.T) {
			tr := model.tmpfs(t, verb, "size=1m")
			must(t, unix.Mount("tmpfs", filepath.Dir(tr.p.project), "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
			if o := try(tr.command(t)); o.Error != "disk" || len(tr.judge(t, o)) > 0 {
				t.Errorf("%q; blue says %+v", tr.judge(t, o), o)
			}
			tr.p.run(t, "read", tr.old)
			refused++
		})
	}
	if refused == 0 || took == 0 {
		t.Errorf("%d writes refused, %d taken: the disk was never full, or always", refused, took)
	}
	t.Logf("%d writes refused as disk, %d taken: old bytes identical, 0 temporary files", refused, took)
}
