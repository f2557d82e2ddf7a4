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
	probeKept  = 10 * time.Second // before a path that was probed is probed again
	tableKept  = time.Second      // before the table of mounts is read again
	mostLooked = 10_000           // probed paths that are remembered
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

// mountOf returns where the file system of a directory is mounted, and whether it may hang.
func mountOf(mounts, dir string) (at string, slow bool) {
	for line := range strings.Lines(mounts) {
		if point, isSlow, ok := parseMount(line); ok && len(point) >= len(at) && isBelow(dir, point) {
			at, slow = point, isSlow
		}
	}
	return at, slow
}

func isBelow(dir, point string) bool {
	return dir == point || strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/")
}

// parseMount parses a line of a table of mounts.
func parseMount(line string) (point string, slow, ok bool) {
	before, kind, _ := strings.Cut(line, " - ")
	fields := strings.Fields(before)
	if len(fields) < 5 {
		return "", false, false
	}
	slow = slices.ContainsFunc(slowKinds, func(start string) bool { return strings.HasPrefix(kind, start) })
	return strings.ReplaceAll(fields[4], `\040`, " "), slow, true
}

// mounts holds what this process knows of file systems that may hang.
var mounts struct {
	sync.Mutex
	self   string // the program that probes them
	table  string // the lines of the table of mounts that are about them
	read   time.Time
	probes map[string]*probe // by mount point
}

// UseProbe sets the program that probes file systems that may hang, with [ProbeCommand]. Another
// process must do that: no signal ends a thread that waits for a file system, and a process
// cannot exit before its threads. Without a program such file systems are read like any other.
func UseProbe(program string) {
	mounts.Lock()
	defer mounts.Unlock()
	mounts.self, mounts.table, mounts.read = program, "", time.Time{}
}

// CheckMount returns an error of kind FSTimeout if a path leads, perhaps through links, to a file
// system that does not answer. It returns nil for any other path, whether it exists or not. This
// process does not touch a slow file system before a probe of it has answered.
func CheckMount(path string) error {
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

// Resolve calls [filepath.EvalSymlinks] after [CheckMount].
func Resolve(path string) (string, error) {
	if err := CheckMount(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// slowMounts returns the table of mounts, or "" if no file system in it may hang.
func slowMounts() string {
	mounts.Lock()
	defer mounts.Unlock()
	if mounts.self == "" || time.Since(mounts.read) < tableKept {
		return mounts.table
	}
	text, _ := os.ReadFile("/proc/self/mountinfo") // of Linux
	mounts.table, mounts.read = slowPart(string(text)), time.Now()
	return mounts.table
}

// slowPart returns the lines of a table of mounts for file systems that may hang, and for those
// mounted below or over them.
func slowPart(mounts string) string {
	var part strings.Builder
	var slow []string
	for line := range strings.Lines(mounts) {
		point, isSlow, _ := parseMount(line)
		if isSlow {
			slow = append(slow, point)
		}
		if slices.ContainsFunc(slow, func(at string) bool { return isBelow(point, at) }) {
			part.WriteString(line)
		}
	}
	return part.String()
}

// answers reports whether the file system mounted at mount answers about a path in it. It does
// not while an earlier probe is still waiting.
func answers(mount, path string) bool {
	mounts.Lock()
	p := mounts.probes[mount]
	if p == nil || p.isOver() {
		p = startProbe(mounts.self, mount)
		if mounts.probes == nil {
			mounts.probes = map[string]*probe{}
		}
		mounts.probes[mount] = p
	}
	mounts.Unlock()
	return p.look(path)
}

// probe is a child process that reads paths of a file system, one after another.
type probe struct {
	turn  chan struct{} // full while a path is probed
	asked io.Writer
	seen  chan struct{} // one value for each probed path; closed when the process has ended
	rest  *time.Timer   // ends the process

	mu     sync.Mutex
	begun  time.Time // of the current probe
	looked map[string]time.Time
}

// startProbe starts a process that probes the paths on its standard input.
func startProbe(program, mount string) *probe {
	c := exec.Command(program, ProbeCommand)
	c.Dir = "/"
	asks, asked := io.Pipe()
	says, said := io.Pipe()
	c.Stdin, c.Stdout, c.WaitDelay = asks, said, time.Second
	p := &probe{turn: make(chan struct{}, 1), asked: asked, seen: make(chan struct{}), looked: map[string]time.Time{}}
	p.rest = time.AfterFunc(probeKept, func() {
		mounts.Lock()
		defer mounts.Unlock()
		if mounts.probes[mount] == p && len(p.turn) == 0 {
			delete(mounts.probes, mount)
			_ = asked.Close()
		}
	})
	go func() {
		_ = said.CloseWithError(c.Run()) // only the answer counts
		_ = asks.Close()
	}()
	go func() {
		defer close(p.seen)
		for b := make([]byte, 1); ; p.seen <- struct{}{} {
			if _, err := says.Read(b); err != nil {
				return
			}
		}
	}()
	return p
}

// isOver reports whether the process has ended.
func (p *probe) isOver() bool {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	default:
		return false // a path is being probed
	}
	select {
	case _, open := <-p.seen:
		return !open
	default:
		return false
	}
}

// look reports whether a path was probed in time, now or within probeKept.
func (p *probe) look(path string) bool {
	for {
		p.mu.Lock()
		begun, fresh := p.begun, time.Since(p.looked[path]) < probeKept
		p.mu.Unlock()
		if fresh {
			return true
		}
		wait := probeLimit
		if !begun.IsZero() {
			wait -= time.Since(begun)
		}
		select {
		case p.turn <- struct{}{}:
			return p.lookNow(path)
		case <-time.After(wait):
		}
		p.mu.Lock()
		same := p.begun.Equal(begun)
		p.mu.Unlock()
		if same && !begun.IsZero() {
			return false
		}
	}
}

// lookNow probes a path. The caller holds the turn.
func (p *probe) lookNow(path string) bool {
	p.mu.Lock()
	p.begun = time.Now()
	p.mu.Unlock()
	p.rest.Reset(probeKept)
	go func() { _, _ = io.WriteString(p.asked, path+"\x00") }()
	end := func() {
		p.mu.Lock()
		if len(p.looked) >= mostLooked {
			clear(p.looked)
		}
		p.looked[path], p.begun = time.Now(), time.Time{}
		p.mu.Unlock()
		<-p.turn
	}
	select {
	case <-p.seen:
		end()
		return true
	case <-time.After(probeLimit):
		go func() { <-p.seen; end() }()
		return false
	}
}

// RunProbe reads paths from asked, each ended by a zero byte, reads the start of the file or
// directory there, and writes a byte to say after each.
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

// ReadFile reads a regular file of at most limit bytes. It follows no link and does not wait
// for a pipe that took the file's place.
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

// ReadLinked reads at most limit bytes of a regular file, which links may lead to.
func ReadLinked(path string, limit int64) ([]byte, error) {
	if err := CheckMount(path); err != nil {
		return nil, err
	}
	return readRegular(path, limit, nil)
}

// readRegular reads at most limit bytes of a regular file: that of before, if it is not nil.
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
