package mount

import "testing"

// H016: a directory on a file system that may not answer is known without touching it.
func TestH016MayHang(t *testing.T) {
	mounts := `22 1 0:20 / / rw - ext4 /dev/vda rw
30 22 0:30 / /home/dev/remote\040disk rw shared:1 - fuse.sshfs dev@host rw
31 22 0:31 / /srv rw - nfs4 host:/srv rw
32 31 0:32 / /srv/local rw - ext4 /dev/vdb rw
`
	for dir, want := range map[string]bool{
		"/home/dev/shop": false, "/home/dev/remote disk": true, "/home/dev/remote disk/shop": true, "/home/dev/remote disks": false,
		"/srv": true, "/srv/shop": true, "/srvx": false, "/srv/local/shop": false, "": false, "shop": false,
	} {
		if MayHang(mounts, dir) != want {
			t.Errorf("%q: %v", dir, !want)
		}
	}
}
