package store

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

const (
	lockWait = 5 * time.Second // after that kind busy
	maxPause = 8 * time.Millisecond
)

// Lock takes the lock. It waits for other holders until ctx ends, but at most 5 s; the error is
// then of kind busy, with the holder's process id if that is known. It also removes what has
// outlived its use.
func (s *Store) Lock(ctx context.Context) (*Held, error) {
	deadline := time.Now().Add(lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		h, err := s.tryLock()
		if err == nil {
			h.removeLeftovers()
			return h, nil
		}
		if !errors.Is(err, errors.Busy) || time.Now().After(deadline) {
			return nil, err
		}
		// The pause is random, so that waiting processes do not all retry at once.
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock: %w", ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// Unlock releases the lock. A second call does nothing, so that it may be both deferred and
// called.
func (h *Held) Unlock() error {
	if h.file == nil {
		return nil
	}
	h.state.held = 0
	writeLock(h.file, h.state)
	err := h.file.Close()
	h.file = nil
	return err
}

// tryLock takes the lock if it is free.
func (s *Store) tryLock() (*Held, error) {
	file, err := s.openLock()
	if err != nil {
		return nil, err
	}
	h, err := s.lockFile(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return h, nil
}

// openLock opens .lock, which must be a regular file, and creates it if it is missing.
func (s *Store) openLock() (*os.File, error) {
	if seen, err := s.blue.Lstat(lockName); err == nil && !seen.Mode().IsRegular() {
		return nil, errors.E(errors.BadMarker, "%s is not a regular file", errors.Quote(s.pathOf(lockName))).
			Hint("", "", "remove it; Blue makes a new one").
			Hint("doctor", "", "see what Blue finds")
	}
	file, err := s.blue.OpenFile(lockName, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, 0o644)
	if err == nil {
		return file, nil
	}
	// A lock file that belongs to another user of the same project can still be locked.
	if errors.Is(err, fs.ErrPermission) {
		if file, err := s.blue.OpenFile(lockName, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			return file, nil
		}
	}
	return nil, errors.SaveFailed(filepath.Base(s.path)+"/"+lockName, err)
}

// lockFile locks file.
func (s *Store) lockFile(file *os.File) (*Held, error) {
	taken, err := atomicfile.TryLock(file)
	switch {
	case err == nil && !taken:
		return nil, errors.Locked(readLock(file).pid)
	case err != nil:
		return nil, errors.SaveFailed(filepath.Base(s.path)+"/"+lockName, err)
	}
	// A program that removes ignored files may have removed .lock after we opened it, and the
	// next process would lock another file. Our lock counts only if it has the name.
	opened, err := file.Stat()
	if err != nil {
		return nil, errors.SaveFailed(filepath.Base(s.path)+"/"+lockName, err)
	}
	if named, err := s.blue.Lstat(lockName); err != nil || !os.SameFile(opened, named) {
		return nil, errors.Locked(0)
	}
	return &Held{s: s, file: file}, nil
}
