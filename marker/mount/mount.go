// Package mount keeps a process from waiting for a file system that does not answer, such as
// one that is served over a network.
package mount

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

// Probe is the command of this program that looks at paths, see [Look].
const Probe = "__probe"

const (
	probeLimit = 2 * time.Second  // for a file system to answer
	probeKept  = 10 * time.Second // for which a path that was looked at is not looked at again
	tableKept  = time.Second      // for the table of mounts
	mostLooked = 10_000           // paths of which that is known
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

// known is what this process knows of the file systems that may not answer.
var known struct {
	sync.Mutex
	self   string // the program that looks at them
	table  string // of mounts, as far as it is about these
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
	known.table, known.read = slowPart(string(text)), time.Now()
	return known.table
}

// slowPart is what a table of mounts says of file systems that may not answer, and of those
// that are mounted below or in place of them.
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

// answers reports whether the file system mounted at mount answers about a path in it, and
// gives what stands there. While the process that was sent to look has not come back, it does not.
func answers(mount, path string) bool {
	known.Lock()
	p := known.probes[mount]
	if p == nil || p.isOver() {
		p = startProbe(known.self, mount)
		if known.probes == nil {
			known.probes = map[string]*probe{}
		}
		known.probes[mount] = p
	}
	known.Unlock()
	return p.look(path)
}

// probe is a process that looks at paths of a file system, one after another, until this one
// ends.
type probe struct {
	turn  chan struct{} // holds one while a path is looked at
	asked io.Writer
	seen  chan struct{} // one for each path that was looked at; closed when the process has ended
	rest  *time.Timer   // ends the process

	mu     sync.Mutex
	begun  time.Time // of the look that goes on
	looked map[string]time.Time
}

// startProbe starts a process that looks at what it is asked on its standard input.
func startProbe(program, mount string) *probe {
	c := exec.Command(program, Probe)
	c.Dir = "/"
	asks, asked := io.Pipe()
	says, said := io.Pipe()
	c.Stdin, c.Stdout, c.WaitDelay = asks, said, time.Second
	p := &probe{turn: make(chan struct{}, 1), asked: asked, seen: make(chan struct{}), looked: map[string]time.Time{}}
	p.rest = time.AfterFunc(probeKept, func() {
		known.Lock()
		defer known.Unlock()
		if known.probes[mount] == p && len(p.turn) == 0 {
			delete(known.probes, mount)
			_ = asked.Close()
		}
	})
	go func() {
		_ = said.CloseWithError(c.Run()) // that it answers is all that is asked
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
		return false // it is at work
	}
	select {
	case _, open := <-p.seen:
		return !open
	default:
		return false
	}
}

// look reports whether a path was looked at in time, now or a moment ago.
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

// lookNow looks, in its turn.
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

// Look does what a probe is asked to do, path by path, and says a byte after each: it reads the
// beginning of what stands there.
func Look(asked io.Reader, say io.Writer) error {
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
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() { // to open a device may do something
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
	if err := Check(path); err != nil {
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
	if err := Check(path); err != nil {
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
