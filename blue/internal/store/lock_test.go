package store_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
)

const edits = 200

// editOneNote adds its lines to a note, each by an edit that names the revision
// it was made from.
func editOneNote(s *store.Store) error {
	for i := 0; i < edits; {
		data, revision, err := s.Read("notes/shared.md")
		if err != nil {
			return err
		}
		err = replace(s, revision, fmt.Appendf(data, "%d %d\n", os.Getpid(), i))
		if err == nil {
			i++
		} else if !errors.Is(err, errors.Conflict) && !errors.Is(err, errors.Busy) { // busy after 5 s, on a slow machine
			return err
		}
	}
	return nil
}

func replace(s *store.Store, revision string, data []byte) error {
	h, err := s.Lock(context.Background())
	if err != nil {
		return err
	}
	defer h.Unlock()
	_, err = h.Replace("notes/shared.md", revision, data)
	return err
}

// Promise 7: no lost update between processes.
func TestTwoEditorsLoseNoEdit(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/shared.md", "")
	first, second := command(t, root, "edit"), command(t, root, "edit")
	var said bytes.Buffer
	first.Stdout = &said
	must(t, first.Start())
	out, err := second.CombinedOutput()
	must(t, err)
	must(t, first.Wait())
	if said.Len()+len(out) > 0 {
		t.Fatalf("%s%s", &said, out)
	}
	lines := strings.Split(strings.TrimSpace(content(t, s, "notes/shared.md")), "\n")
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) != 2*edits {
		t.Fatalf("%d of %d edits are there", len(lines), 2*edits)
	}
}

// lockOnce takes the lock and lets it go.
func lockOnce(s *store.Store) error {
	h, err := s.Lock(context.Background())
	if err != nil {
		return err
	}
	fmt.Println("locked")
	return h.Unlock()
}

// holdLock holds the lock until its standard input ends.
func holdLock(s *store.Store) error {
	h, err := s.Lock(context.Background())
	if err != nil {
		return err
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return h.Unlock()
}

// hold starts a process that has the lock.
func hold(t *testing.T, root string) *exec.Cmd {
	t.Helper()
	holder := command(t, root, "hold")
	_, err := holder.StdinPipe()
	must(t, err)
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder says %q, %v", line, err)
	}
	t.Cleanup(func() { holder.Process.Kill(); holder.Wait() })
	return holder
}

func TestLockIsBusyFor5Seconds(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	root, s := project(t)
	holder := hold(t, root)
	begun := time.Now()
	_, err := s.Lock(context.Background())
	isKind(t, err, errors.Busy)
	if took := time.Since(begun); took < 4*time.Second {
		t.Errorf("waited for %s", took)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("process %d ", holder.Process.Pid)) {
		t.Errorf("%q does not name process %d", err, holder.Process.Pid)
	}
}

func TestLockWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	hold(t, root)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
}

func TestKilledHolderFreesTheLock(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	holder := hold(t, root)
	must(t, holder.Process.Kill())
	holder.Wait()
	lock(t, s)
}

// What has begun is finished, whatever becomes of the caller.
func TestWritesIgnoreTheCallersContext(t *testing.T) {
	t.Parallel()
	_, s := project(t)
	ctx, cancel := context.WithCancel(context.Background())
	h, err := s.Lock(ctx)
	must(t, err)
	defer h.Unlock()
	cancel()
	_, err = h.Create("notes/x.md", []byte("x"))
	must(t, err)
	if content(t, s, "notes/x.md") != "x" {
		t.Fatal("not written")
	}
}

func TestLockFileMustBeRegular(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("outside"), 0o644))
	symlink(t, outside, filepath.Join(root, ".blue", ".lock"))
	_, err := s.Lock(context.Background())
	isKind(t, err, errors.BadMarker)
	if data, _ := os.ReadFile(outside); string(data) != "outside" {
		t.Fatalf("written outside: %q", data)
	}
}
