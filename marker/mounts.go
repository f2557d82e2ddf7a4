package marker

import "strings"

// slowKinds are the types of file systems that may not answer.
var slowKinds = []string{"nfs", "cifs", "smb", "fuse", "9p", "afs", "ceph", "gluster", "lustre", "beegfs", "virtiofs", "vboxsf", "prl_fs"}

// MayHang reports whether a table of mounts, as Linux shows it (proc_pid_mountinfo(5)),
// puts a directory on a file system that may not answer. It does not touch the directory.
func MayHang(mounts, dir string) bool {
	longest, slow := 0, false
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 {
			continue
		}
		point := strings.ReplaceAll(fields[4], `\040`, " ")
		if len(point) < longest || dir != point && !strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/") {
			continue
		}
		longest, slow = len(point), false
		for _, kind := range slowKinds {
			slow = slow || strings.HasPrefix(after, kind)
		}
	}
	return slow
}
