package marker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory on a file system that may not answer is known without touching it.
func TestMayHang(t *testing.T) {
	mounts := `22 1 0:20 / / rw - ext4 /dev/vda rw
30 22 0:30 / /home/dev/remote\040disk rw shared:1 - fuse.sshfs dev@host rw
31 22 0:31 / /srv rw - nfs4 host:/srv rw
32 31 0:32 / /srv/local rw - ext4 /dev/vdb rw
`
	for dir, want := range map[string]bool{
		"/home/dev/shop": false, "/home/dev/remote disk": true, "/home/dev/remote disk/shop": true, "/home/dev/remote disks": false,
		"/srv": true, "/srv/shop": true, "/srvx": false, "/srv/local/shop": false, "": false, "shop": false,
	} {
		_, inPart := mountOf(slowPart(parseMounts(mounts)), dir)
		if MayHang(mounts, dir) != want || inPart != want {
			t.Errorf("%q: %v", dir, !want)
		}
	}
}

// What is looked at is answered for, whatever stands there.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a line\nand another")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{dir, file, os.DevNull, filepath.Join(dir, "none"), ""}
	var said strings.Builder
	if err := RunProbe(strings.NewReader(strings.Join(paths, "\x00")+"\x00unfinished"), &said); err != nil || said.Len() != len(paths) {
		t.Errorf("it answers %q, %v", said.String(), err)
	}
}
