package marker

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"blue/errors"
)

// ProbeCommand is the subcommand that runs [RunProbe].
const ProbeCommand = "__probe"

const (
	probeLimit = 2 * time.Second  // for a file system to answer
	probeKept  = 10 * time.Second // time after which a path is probed again
	tableKept  = time.Second      // time after which the table of mounts is read again
	mostLooked = 10_000           // probed paths that are cached
	mostLinks  = 40               // in one path, as on Linux
)

// slowKinds has prefixes of the types of file systems that may not answer.
var slowKinds = []string{"nfs", "cifs", "smb", "fuse", "9p", "afs", "ceph", "gluster", "lustre", "beegfs", "virtiofs", "vboxsf", "prl_fs", "autofs"}

// MayHang reports whether a directory is on a file system that may not answer, according to a table
// of mounts in the format of Linux (proc_pid_mountinfo(5)). It does not touch the directory.
func MayHang(mounts, dir string) bool {
	_, slow := mountOf(parseMounts(mounts), dir)
	return slow
}

// mountPoint is a line of a table of mounts.
type mountPoint struct {
	path string
	slow bool // the file system may not answer
}

// mountOf returns the mount point of the file system of a directory, and whether it may hang.
func mountOf(table []mountPoint, dir string) (at string, slow bool) {
	for _, m := range table {
		if len(m.path) >= len(at) && isBelow(dir, m.path) {
			at, slow = m.path, m.slow
		}
	}
	return at, slow
}

// isBelow reports whether a physical path is a directory or lies below it.
func isBelow(path, dir string) bool {
	const separator = string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// parseMounts parses a table of mounts.
func parseMounts(text string) (table []mountPoint) {
	for line := range strings.Lines(text) {
		before, kind, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 {
			continue
		}
		slow := slices.ContainsFunc(slowKinds, func(start string) bool { return strings.HasPrefix(kind, start) })
		table = append(table, mountPoint{strings.ReplaceAll(fields[4], `\040`, " "), slow})
	}
	return table
}

// mounts holds what this process knows of file systems that may hang.
var mounts struct {
	sync.Mutex
	self   string       // program that probes them
	table  []mountPoint // mounts that slowMounts returned last
	read   time.Time
	probes map[string]*probe // running probes by mount point
}

// UseProbe sets the program that probes file systems that may hang, with [ProbeCommand]. Another
// process must do that: no signal ends a thread that waits for a file system, and a process
// cannot exit before its threads. Without a program such file systems are read like any other.
func UseProbe(program string) {
	mounts.Lock()
	defer mounts.Unlock()
	mounts.self, mounts.table, mounts.read, mounts.probes = program, nil, time.Time{}, map[string]*probe{}
}

// CheckMount returns an error of kind FSTimeout if a path leads, perhaps through links, to a file
// system that does not answer. It returns nil for any other path, whether it exists or not. This
// process does not touch a slow file system before a probe of it has answered.
func CheckMount(path string) error {
	table := slowMounts()
	if len(table) == 0 || !filepath.IsAbs(path) {
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
		if err != nil { // not a link, or missing
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

// Resolve calls [filepath.EvalSymlinks] after [CheckMount].
func Resolve(path string) (string, error) {
	if err := CheckMount(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// slowMounts returns the mounts of file systems that may hang and those below them, or nil if no
// file system may hang.
func slowMounts() []mountPoint {
	mounts.Lock()
	defer mounts.Unlock()
	if mounts.self == "" || time.Since(mounts.read) < tableKept {
		return mounts.table
	}
	text, _ := os.ReadFile("/proc/self/mountinfo") // exists on Linux only
	mounts.table, mounts.read = slowPart(parseMounts(string(text))), time.Now()
	return mounts.table
}

// slowPart returns the mounts of file systems that may hang, and those mounted below or over them.
func slowPart(table []mountPoint) (part []mountPoint) {
	for i, m := range table {
		isOver := func(other mountPoint) bool { return other.slow && isBelow(m.path, other.path) }
		if slices.ContainsFunc(table[:i+1], isOver) {
			part = append(part, m)
		}
	}
	return part
}

// answers reports whether the file system mounted at mount answers for a path in it. It returns
// false while an earlier probe still waits after the time limit.
func answers(mount, path string) bool {
	for {
		mounts.Lock()
		p := mounts.probes[mount]
		if p == nil {
			p = startProbe(mounts.self, mount)
		}
		if p == nil || time.Since(p.looked[path]) < probeKept {
			mounts.Unlock()
			return true
		}
		wait := probeLimit
		if !p.begun.IsZero() {
			wait -= time.Since(p.begun)
		}
		mounts.Unlock()
		if wait <= 0 {
			return false
		}
		q := question{path, make(chan struct{})}
		select {
		case p.questions <- q:
			select {
			case <-q.answered:
				return true
			case <-time.After(probeLimit):
				return false
			}
		case <-p.ended: // start or ask the next process
		case <-time.After(wait): // check again which path is being probed
		}
	}
}

// probe is a child process that reads paths of a file system, one after another. The lock of
// mounts guards begun and looked.
type probe struct {
	questions chan question
	ended     chan struct{} // closed when no more questions are answered
	begun     time.Time     // start of the current probe, zero for none
	looked    map[string]time.Time
}

// question is a path to probe.
type question struct {
	path     string
	answered chan struct{}
}

// startProbe starts a process that probes paths. It returns nil if that fails. The caller holds
// the lock of mounts.
func startProbe(program, mount string) *probe {
	c := exec.Command(program, ProbeCommand)
	c.Dir = "/"
	asked, err := c.StdinPipe()
	if err != nil {
		return nil
	}
	says, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		return nil
	}
	p := &probe{questions: make(chan question), ended: make(chan struct{}), looked: map[string]time.Time{}}
	mounts.probes[mount] = p
	go func() {
		p.serve(asked, says)
		mounts.Lock()
		delete(mounts.probes, mount)
		mounts.Unlock()
		close(p.ended)
		_ = asked.Close() // ends the process
		_ = c.Wait()
	}()
	return p
}

// serve asks the process one question after another. It returns when the process has ended or there
// was no question for probeKept.
func (p *probe) serve(asked io.Writer, says io.Reader) {
	for {
		select {
		case q := <-p.questions:
			p.mark(time.Now(), "")
			_, _ = io.WriteString(asked, q.path+"\x00")
			_, err := says.Read(make([]byte, 1))
			p.mark(time.Time{}, q.path)
			close(q.answered)
			if err != nil {
				return
			}
		case <-time.After(probeKept):
			return
		}
	}
}

// mark records the start of the current probe, and that a path has just been probed.
func (p *probe) mark(begun time.Time, path string) {
	mounts.Lock()
	defer mounts.Unlock()
	if len(p.looked) >= mostLooked {
		clear(p.looked)
	}
	if p.begun = begun; path != "" {
		p.looked[path] = time.Now()
	}
}

// RunProbe reads paths from asked, each terminated by a zero byte. For each it reads the start of
// the file or directory there and then writes a byte to say.
func RunProbe(asked io.Reader, say io.Writer) error {
	for in := bufio.NewReader(asked); ; {
		path, err := in.ReadString(0)
		if err != nil {
			return nil
		}
		lookAt(strings.TrimSuffix(path, "\x00"))
		if _, err := say.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
}

func lookAt(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() { // opening a device may have an effect
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if info.IsDir() {
		_, _ = f.Readdirnames(1)
	} else {
		_, _ = f.Read(make([]byte, 1))
	}
}

// ReadFile reads a regular file of at most limit bytes. It does not follow a link as the last
// element, and does not block on a pipe that has replaced the file.
func ReadFile(path string, limit int64) ([]byte, error) {
	if err := CheckMount(path); err != nil {
		return nil, err
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text, err := readRegular(path, limit+1, before)
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("longer than %d bytes", limit)
	}
	return text, err
}

// ReadLinked reads at most limit bytes of a regular file, following links.
func ReadLinked(path string, limit int64) ([]byte, error) {
	if err := CheckMount(path); err != nil {
		return nil, err
	}
	return readRegular(path, limit, nil)
}

// readRegular reads at most limit bytes of a regular file. If before is not nil, the file must be
// the same one.
func readRegular(path string, limit int64, before os.FileInfo) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	now, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case before != nil && !os.SameFile(before, now):
		return nil, errors.New("replaced while it was opened")
	case !now.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
