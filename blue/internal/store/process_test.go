package store_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
)

// The flags of this package's tests. With -child the binary is not a test but the
// other process of one, working in the project -root.
var (
	child = flag.String("child", "", "what the other process does")
	root  = flag.String("root", "", "the project that the other process works in")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *child == "" {
		fixtures.Parallel(8)
		m.Run()
		return
	}
	// On one thread, so that system calls can be traced and counted.
	runtime.LockOSThread()
	s, err := store.Open(*root, ".blue")
	if err == nil {
		err = children()[*child](s)
	}
	if err != nil {
		fmt.Println("failed", errors.Of(err).Kind, err)
	}
}

func children() map[string]func(*store.Store) error {
	return map[string]func(*store.Store) error{
		"hot": writeHotNotes, "edit": editOneNote, "hold": holdLock, "write": writeFifty, "replace": replaceOne, "lock": lockOnce,
	}
}

// command is the other process. It is killed at the end of the test at the latest.
func command(t testing.TB, root, what string, before ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	line := append(before, self, "-child="+what, "-root="+root)
	return exec.CommandContext(t.Context(), line[0], line[1:]...)
}

// writeFifty creates, replaces and removes, and replies to each.
func writeFifty(s *store.Store) error {
	for i := range 50 {
		name := fmt.Sprintf("notes/n%d.md", i)
		h, err := s.Lock(context.Background())
		if err != nil {
			return err
		}
		_, err = h.Create(name, []byte("one"))
		fmt.Println("created", err)
		_, err = h.Replace(name, "", []byte("two"))
		fmt.Println("replaced", err)
		_, _, err = h.Remove(name, "")
		fmt.Println("removed", err)
		if err := h.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

// replaceOne replaces the note x once.
func replaceOne(s *store.Store) error {
	h, err := s.Lock(context.Background())
	if err != nil {
		return err
	}
	defer h.Unlock()
	saved, err := h.Replace("notes/x.md", "", hot("notes/x.md", 2))
	if err == nil {
		fmt.Println("saved", saved.Durable)
	}
	return err
}

// crashes is how often a writer is killed.
func crashes() int { return fixtures.Size(8, 25, 1000) }

// swaps is how often a directory is swapped with a link.
func swaps() int { return fixtures.Size(150, 600, 100_000) }
