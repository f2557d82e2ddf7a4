// Package mount keeps a process from waiting for a file system that does not answer, such as
// one that is served over a network.
package mount

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blue/errors"
)

// Probe is the command of this program that looks at a path.
const Probe = "__probe"

const (
	probeLimit = 2 * time.Second  // for a file system to answer
	probeKept  = 10 * time.Second // for which one that has answered is not asked again
	tableKept  = time.Second      // for the table of mounts
	mostLinks  = 40               // as Linux follows in one path
)

// slowKinds are the types of file systems that may not answer.
var slowKinds = []string{"nfs", "cifs", "smb", "fuse", "9p", "afs", "ceph", "gluster", "lustre", "beegfs", "virtiofs", "vboxsf", "prl_fs", "autofs"}

// MayHang reports whether a table of mounts, as Linux shows it (proc_pid_mountinfo(5)),
// puts a directory on a file system that may not answer. It does not touch the directory.
func MayHang(mounts, dir string) bool {
	_, slow := mountOf(mounts, dir)
	return slow
}

// mountOf is where the file system of a directory is mounted, and whether that may not answer.
func mountOf(mounts, dir string) (at string, slow bool) {
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 {
			continue
		}
		point := strings.ReplaceAll(fields[4], `\040`, " ")
		if len(point) < len(at) || dir != point && !strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/") {
			continue
		}
		at, slow = point, isSlow(after)
	}
	return at, slow
}

func isSlow(kind string) bool {
	for _, slow := range slowKinds {
		if strings.HasPrefix(kind, slow) {
			return true
		}
	}
	return false
}

// known is what this process knows of the file systems that may not answer.
var known struct {
	sync.Mutex
	self   string // the program that looks at them
	table  string // of mounts, empty when it has no such file system
	read   time.Time
	probes map[string]*probe // by where they are mounted
}

// Use says which program looks, as its command [Probe], at a file system that may not answer,
// in the place of this process: no signal ends a thread that waits for one, and a process
// cannot end before its threads. Without a program such a file system is looked at as any other.
func Use(program string) {
	known.Lock()
	defer known.Unlock()
	known.self, known.table, known.read = program, "", time.Time{}
}

// probe is a process that looks at a file system.
type probe struct {
	begun time.Time
	ended chan struct{}
}

// Check returns an error of the kind FSTimeout when a path leads, perhaps by links, to a
// file system that does not answer; nil for any other path, there or not. This process does
// not touch a file system before it has answered.
func Check(path string) error {
	table := slowMounts()
	if table == "" || !filepath.IsAbs(path) {
		return nil
	}
	at, names := "/", strings.Split(path, "/")
	for links := 0; len(names) > 0 && links < mostLinks; {
		name := names[0]
		names = names[1:]
		next := filepath.Join(at, name)
		if mount, slow := mountOf(table, next); slow && !answers(mount, next) {
			return errors.DiskSilent(path)
		}
		target, err := os.Readlink(next)
		if err != nil { // no link, or nothing
			at = next
			continue
		}
		if links++; filepath.IsAbs(target) {
			at = "/"
		}
		names = append(strings.Split(target, "/"), names...)
	}
	return nil
}

// Resolve is [filepath.EvalSymlinks] of a path that is reachable.
func Resolve(path string) (string, error) {
	if err := Check(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// slowMounts is the table of mounts, empty when no file system in it may not answer.
func slowMounts() string {
	known.Lock()
	defer known.Unlock()
	if known.self == "" || time.Since(known.read) < tableKept {
		return known.table
	}
	text, _ := os.ReadFile("/proc/self/mountinfo") // of Linux
	known.table, known.read = "", time.Now()
	for line := range strings.Lines(string(text)) {
		if _, after, _ := strings.Cut(line, " - "); isSlow(after) {
			known.table = string(text)
		}
	}
	return known.table
}

// answers reports whether the file system mounted at mount answers about a path in it. While
// the process that was sent to look there has not come back, it does not.
func answers(mount, path string) bool {
	known.Lock()
	p := known.probes[mount]
	fresh := p == nil || p.hasEnded() && time.Since(p.begun) > probeKept
	if fresh {
		p = sendProbe(known.self, path)
		if known.probes == nil {
			known.probes = map[string]*probe{}
		}
		known.probes[mount] = p
	}
	known.Unlock()
	select {
	case <-p.ended:
		return true
	case <-time.After(probeLimit - time.Since(p.begun)):
		return p.hasEnded()
	}
}

func (p *probe) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// sendProbe starts a process that looks at a path.
func sendProbe(program, path string) *probe {
	p := &probe{begun: time.Now(), ended: make(chan struct{})}
	c := exec.Command(program, Probe, path)
	c.Dir = "/"
	if err := c.Start(); err != nil {
		close(p.ended)
		return p
	}
	go func() {
		_ = c.Wait() // that it answers is all that is asked
		close(p.ended)
	}()
	return p
}
