package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	cuts       = flag.Int("cuts", 3, "cut the power this many times (promise 2: 200)")
	fileSystem = flag.String("fs", "ext4", "the file system that promise 2 is tested on: ext4, xfs or btrfs")
)

// makers are the commands that make a file system, and the options it is mounted
// with: as rarely flushed by itself as it lets us.
var makers = map[string]struct {
	make    []string
	size    int64
	options string
}{
	"ext4":  {[]string{"mkfs.ext4", "-q", "-F"}, 256 << 20, "commit=300,noauto_da_alloc"},
	"xfs":   {[]string{"mkfs.xfs", "-q", "-f"}, 320 << 20, "nouuid"},
	"btrfs": {[]string{"mkfs.btrfs", "-q", "-f"}, 256 << 20, "commit=300"},
}

// need skips the test without these commands.
func need(t *testing.T, commands ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: mounting needs root")
	}
	for _, name := range commands {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
	}
}

// command runs a command that must succeed.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// attach mounts the file system on a device by a loop device.
func attach(t *testing.T, d *device) (dir string) {
	t.Helper()
	m := fuse(t, d)
	dir = t.TempDir()
	command(t, "mount", "-t", *fileSystem, "-o", "loop,"+makers[*fileSystem].options, filepath.Join(m.dir, "disk"), dir)
	t.Cleanup(func() { command(t, "umount", dir) })
	return dir
}

// formatted is a device with an empty file system that lies mounted in dir.
func formatted(t *testing.T) (d *device, dir string) {
	t.Helper()
	maker := makers[*fileSystem]
	need(t, maker.make[0], "mount", "losetup")
	d = newDevice(maker.size)
	t.Run("mkfs", func(t *testing.T) {
		command(t, maker.make[0], append(maker.make[1:], filepath.Join(fuse(t, d).dir, "disk"))...)
		d.flush()
	})
	if len(d.stable) == 0 {
		t.SkipNow() // as the subtest has said
	}
	return d, attach(t, d)
}

// within is a project on the file system in dir; its user's directories are not.
func within(t *testing.T, dir string) place {
	t.Helper()
	p := place{t.TempDir(), filepath.Join(dir, "shop")}
	must(t, os.MkdirAll(p.project, 0o755))
	return p
}

// kept says of each block that was not flushed whether the cut leaves it.
var kept = []struct {
	name string
	keep func() bool
}{
	{"nothing that was not flushed", func() bool { return false }},
	{"half of it", func() bool { return rand.IntN(2) == 0 }},
	{"all of it", func() bool { return true }},
}

// Promise 2: what was acknowledged is there after a power cut. The file system
// lies on a device whose blocks this process keeps, so that the image of one
// instant is taken under running writers, with as much of the unflushed blocks as
// the cut leaves; the image is mounted, which replays its journal.
func TestPromise2PowerCuts(t *testing.T) {
	disk, dir := formatted(t)
	t.Run("a file that nobody flushed", func(t *testing.T) { forgets(t, disk, dir) })
	t.Run("a Blue that does not flush", func(t *testing.T) { careless(t, disk, dir) })
	p := within(t, dir)
	p.run(t, "init")
	var pens []*pen
	stop := p.writers(t, &pens, 4)
	all := func() map[string]hot {
		known := map[string]hot{}
		for _, pen := range pens {
			maps.Copy(known, pen.known())
		}
		return known
	}
	for i := range *cuts {
		t.Run(fmt.Sprintf("cut %d keeps %s", i+1, kept[i%3].name), func(t *testing.T) {
			time.Sleep(5*time.Millisecond + rand.N(60*time.Millisecond))
			before := all()
			image := disk.cut(kept[i%3].keep)
			after := all()
			for _, pen := range pens {
				pen.gate.Lock()
				defer pen.gate.Unlock()
			}
			there := within(t, attach(t, image))
			if faults := lost(t, there.project, before, after); len(faults) > 0 {
				t.Errorf("%d faults: %q", len(faults), faults)
			}
			there.run(t, "check")
		})
	}
	stop()
	known := all()
	if acknowledged(known) < *cuts/4 {
		t.Fatalf("only %d writes: nothing was tested", acknowledged(known))
	}
	if !t.Failed() {
		t.Logf("%s: %d power cuts, %d writes acknowledged to %d notes, 0 lost, 0 rolled back", *fileSystem, *cuts, acknowledged(known), len(known))
	}
}

// writers starts pens with a server each; stop ends them.
func (p place) writers(t *testing.T, pens *[]*pen, n int) (stop func()) {
	t.Helper()
	done := make(chan error, n)
	var servers []*server
	for i := range n {
		pen, s := newPen(string(rune('a'+i))), p.serve(t)
		*pens, servers = append(*pens, pen), append(servers, s)
		go func() { done <- pen.write(s) }()
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		for _, s := range servers {
			_ = s.cmd.Process.Kill()
			if err := <-done; err != nil {
				t.Error(err)
			}
			_ = s.cmd.Wait() // killed
		}
	}
	t.Cleanup(stop)
	return stop
}

// forgets shows that a cut loses what was not flushed, and keeps what was.
func forgets(t *testing.T, disk *device, dir string) {
	file, err := os.Create(filepath.Join(dir, "control"))
	must(t, err)
	defer file.Close()
	_, err = file.WriteString("text")
	must(t, err)
	there := func() string {
		data := ""
		t.Run("look", func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(attach(t, disk.cut(kept[0].keep)), "control"))
			data = fmt.Sprint(string(raw), err)
		})
		return data
	}
	if data := there(); strings.Contains(data, "text") {
		t.Fatalf("a cut loses nothing: %s", data)
	}
	must(t, file.Sync())
	d, err := os.Open(dir)
	must(t, err)
	defer d.Close()
	must(t, d.Sync())
	if data := there(); !strings.HasPrefix(data, "text") {
		t.Fatalf("a cut loses what was flushed: %s", data)
	}
}

// careless shows that the cuts tell a Blue that flushes from one that does not.
func careless(t *testing.T, disk *device, dir string) {
	p := within(t, filepath.Join(dir, "careless"))
	p.run(t, "init")
	s := greet(t, traced(t, p.command(t, "mcp"), os.DevNull, "-e", "trace=fsync", "-e", "inject=fsync:retval=0"))
	pen := newPen("careless")
	for range 20 {
		if _, err := pen.step(s); err != nil {
			t.Fatal(err)
		}
	}
	s.close(t)
	known := pen.known()
	there := within(t, filepath.Join(attach(t, disk.cut(kept[0].keep)), "careless"))
	faults := lost(t, there.project, known, known)
	if len(faults) == 0 {
		t.Error("nothing is lost without a flush: the cuts show nothing")
	}
	t.Logf("%d of %d notes are missing", len(faults), len(known))
}

// A write whose Blue was killed between the new name and its flush, and that is
// sent again, is flushed before it is acknowledged, though nothing is left to write.
func TestPromise2SentAgain(t *testing.T) {
	disk, dir := formatted(t)
	for verb, row := range map[string]struct {
		flush string
		send  []string
	}{
		"create": {"notes", []string{"write", "--title", "New", "new text"}},
		"key":    {"notes", []string{"write", "--title", "New", "--key", "k", "new text"}},
		"edit":   {"notes", []string{"edit", "OLD", "--body", "new text"}},
		"stale":  {"notes", []string{"edit", "OLD", "--append", "new text", "--revision", "REVISION"}},
		"remove": {"trash", []string{"remove", "OLD"}},
		"return": {"notes", []string{"remove", "GONE", "--restore"}},
	} {
		t.Run(verb, func(t *testing.T) {
			p := within(t, filepath.Join(dir, verb))
			send := p.furnished(t, row.send)
			unsent := noteTexts(t, p)
			c := traced(t, p.command(t, send...), os.DevNull, "-P", filepath.Join(p.project, ".blue", row.flush), "-e", "trace=fsync", "-e", "inject=fsync:signal=KILL")
			if c.Run() == nil || noteTexts(t, p) == unsent {
				t.Fatal("it was not killed after the new name and before its flush")
			}
			answer := p.run(t, append(send, "--json")...)
			now := noteTexts(t, p)
			there := within(t, filepath.Join(attach(t, disk.cut(kept[0].keep)), verb))
			if after := noteTexts(t, there); after != now {
				t.Errorf("sent again, it says\n%sand there is\n%swith the power cut there is\n%s", answer, now, after)
			}
		})
	}
}

// furnished makes the place a project with a note in notes/ and one in the trash,
// and puts their ids for OLD and GONE, and the revision of the first for REVISION.
func (p place) furnished(t *testing.T, args []string) []string {
	t.Helper()
	p.run(t, "init")
	args = slices.Clone(args)
	for _, title := range []string{"GONE", "OLD"} {
		p.run(t, "write", "--title", title, "old text of "+title)
		id := strings.TrimSuffix(filepath.Base(p.notes(t)[0]), ".md")
		if title == "GONE" {
			p.run(t, "remove", id)
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], title, id)
		}
	}
	data, err := os.ReadFile(p.notes(t)[0])
	must(t, err)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "REVISION", revisionOf(data))
	}
	return args
}

// noteTexts are the notes and the trash of a place.
func noteTexts(t *testing.T, p place) (texts string) {
	t.Helper()
	for _, name := range append(p.notes(t), p.trash(t)...) {
		data, err := os.ReadFile(name)
		must(t, err)
		texts += fmt.Sprintf("%s: %q\n", filepath.Base(name), data)
	}
	return texts
}

func (p place) trash(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.project, ".blue", "trash", "*.md"))
	must(t, err)
	return names
}
