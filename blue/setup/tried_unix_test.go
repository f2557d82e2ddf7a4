//go:build unix

package setup_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"blue/blue/setup"
)

// A hook that does not end is given up, with what it has started.
func TestSetupGivesUp(t *testing.T) {
	m := newMachine(t)
	pipe := filepath.Join(m.root, "pipe")
	must(t, unix.Mkfifo(pipe, 0o600))
	m.write(m.self, "#!/bin/sh\n/bin/sleep 600 >"+pipe+" &\nwait\n", 0o755)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		f, err := os.Open(pipe) // when the child has begun
		cancel()
		if err == nil {
			_, err = io.ReadAll(f) // until it ends
			_ = f.Close()
		}
		ended <- err
	}()
	done, err := m.verbs().Setup(ctx, m.call(m.project), setup.Registration{Client: "codex"})
	if err != nil || done.Sound() || !strings.Contains(done.Text(), "context canceled") {
		t.Errorf("%v\n%s", err, done.Text())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
