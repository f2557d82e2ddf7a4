package marker

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blue/errors"
)

// A job that hangs is left behind, keeps one place whatever is asked of its
// path, and costs nobody else anything.
func TestDiskHangs(t *testing.T) {
	t.Parallel()
	d, ctx, hold := newDiskLimiter(maxJobs), context.Background(), make(chan struct{})
	hang := func(path string) error {
		return d.runWithin(ctx, 20*time.Millisecond, path, func() { <-hold })
	}
	for range 20 {
		if err := hang("/mnt/dead"); !errors.Is(err, errors.FSTimeout) {
			t.Fatalf("a hanging job ends with %v", err)
		}
	}
	ran := false
	if err := d.runWithin(ctx, time.Minute, "/home/p", func() { ran = true }); err != nil || !ran {
		t.Errorf("another path ends with %v", err)
	}
	for i := range maxJobs {
		_ = hang(fmt.Sprintf("/mnt/%d", i))
	}
	if len(d.slots) != maxJobs {
		t.Errorf("%d jobs hang, at most %d may", len(d.slots), maxJobs)
	}
	close(hold)
	if err := d.runWithin(ctx, time.Minute, "/mnt/dead", func() {}); err != nil {
		t.Errorf("the mount is back, but a job ends with %v", err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		left := len(d.jobs) + len(d.slots)
		d.mu.Unlock()
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d slots and jobs are still taken", left)
		}
	}
}

// One deadline holds for all disk work of a call, and asking the client is no
// disk work. The clock is that of the test, so that the times are exact.
func TestDeadline(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "p")
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		r := NewRules("")
		go func() { _ = r.limiter.runWithin(context.Background(), time.Minute, base, func() { <-hold }) }()
		synctest.Wait()
		ask := func(context.Context) ([]Candidate, error) {
			time.Sleep(200 * time.Millisecond)
			return []Candidate{{Outcome: Empty}}, nil
		}
		begin := time.Now()
		_, err := Choose(context.Background(), r, slices.Values([]Candidate{{Source: Roots, Ask: ask}, {Source: Cwd, Value: base}, {Source: WorkspaceFolderPaths, Value: "/"}}))
		if took := time.Since(begin); took != 3200*time.Millisecond {
			t.Errorf("took %v", took)
		}
		want := base + " did not answer in time. Check the mount or pass 'cwd' parameter."
		if !errors.Is(err, errors.FSTimeout) || errors.Of(err).Message != want {
			t.Errorf("%v", err)
		}
		trace := errors.Of(err).Detail.(Failure).Trace
		if last := trace[len(trace)-1]; last.Source != Cwd || last.Outcome != Unusable {
			t.Errorf("trace ends with %+v", last)
		}
	})
}

// What is no path is refused without a look at the disk, here one on which
// every job hangs.
func TestRefusedBeforeTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, hold := NewRules(""), make(chan struct{})
		defer close(hold)
		for i := range maxJobs {
			go func() { _ = r.limiter.runWithin(context.Background(), time.Minute, fmt.Sprint(i), func() { <-hold }) }()
		}
		synctest.Wait()
		begin := time.Now()
		for _, value := range []string{"/" + strings.Repeat("x", 5000), "/a\x00b", "/a\nb", "/a\u202eb", "/a\u200bb", "/a\xffb", "file:///a%FF", "//host/share", `\\host\share`,
			"file:////host/share", "vscode-remote://wsl%2Bx/p", "file://host/share", "relative"} {
			for _, source := range chain[:len(chain)-1] { // the last one takes a list apart on the disk
				_, err := Choose(context.Background(), r, slices.Values([]Candidate{{Source: source, Value: value}}))
				if want := map[bool]errors.Kind{true: errors.BadPath, false: errors.NoProject}[source.Explicit()]; !errors.Is(err, want) {
					t.Errorf("%.20q from %s: %v", value, source, err)
				}
			}
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("waited %v for the disk", took)
		}
		if _, err := Choose(context.Background(), r, slices.Values([]Candidate{{Source: Argument, Value: dir}})); !errors.Is(err, errors.FSTimeout) {
			t.Errorf("a path is looked at without the disk: %v", err)
		}
	})
}

// A panic belongs to the call that made it, and says where it was.
func TestDiskPanic(t *testing.T) {
	t.Parallel()
	d := newDiskLimiter(maxJobs)
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.HasPrefix(fault, "boom\n") || !strings.Contains(fault, "disk_test.go") {
			t.Errorf("recovered %v", fault)
		}
		if err := d.runWithin(context.Background(), time.Minute, "/a", func() {}); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}()
	_ = d.runWithin(context.Background(), time.Minute, "/a", func() { panic("boom") })
}

// Drives in URIs, as Windows reads them.
func TestDrive(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/C:/x": "C:/x", "/c:/x": "C:/x", "/c:": "C:/", "/c:x": "/c:x", "/srv": "/srv", "/cc:/x": "/cc:/x"} {
		if got := trimDriveSlash(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
