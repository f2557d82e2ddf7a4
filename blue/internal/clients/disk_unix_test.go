//go:build unix

package clients_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"blue/blue/internal/clients"
	"blue/errors"
)

// TestOwner: root edits the file of somebody else, who still owns it after.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, write(path, nil, []byte("one")))
	must(t, os.Chown(path, 12345, 23456))
	must(t, write(path, []byte("one"), []byte("two")))
	info, err := os.Stat(path)
	must(t, err)
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 12345 || is.Gid != 23456 {
		t.Errorf("%s belongs to %d:%d", path, is.Uid, is.Gid)
	}
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := clients.Load(path)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, errors.Untouched) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("reading a pipe hangs")
	}
}
