package marker

import (
	"context"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"blue/errors"
)

// diskLimiter limits the work of detection on file systems that may hang. A job that hangs is
// abandoned and keeps its slot. Each path has at most one job, so that a dead mount cannot use up
// all slots.
type diskLimiter struct {
	slots chan struct{} // a semaphore

	mu   sync.Mutex
	jobs map[string]*diskJob // by path
}

// diskJob is the job of a path that is running or waits for a slot.
type diskJob struct {
	begun time.Time
	done  chan struct{}
}

func newDiskLimiter(slots int) *diskLimiter {
	return &diskLimiter{slots: make(chan struct{}, slots), jobs: map[string]*diskJob{}}
}

// runWithin runs the job for path within limit. It does not run it if the previous job for path has
// been running for longer. If it returns an error, the job may still be running, and its results
// must not be read.
func (d *diskLimiter) runWithin(ctx context.Context, limit time.Duration, path string, job func()) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.FSTimeout)
	defer cancel()
	mine, err := d.beginJob(ctx, limit, path)
	if err != nil {
		return err
	}
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		d.endJob(path, mine)
		return timeoutCause(ctx)
	}
	done := make(chan any, 1)
	go func() {
		defer func() {
			fault := recover()
			if fault != nil {
				fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			done <- fault
			<-d.slots
			d.endJob(path, mine)
		}()
		job()
	}()
	select {
	case fault := <-done:
		if fault != nil {
			panic(fault) // in the caller, which recovers it
		}
		return nil
	case <-ctx.Done():
		return timeoutCause(ctx)
	}
}

// beginJob waits until no other job of the path is running.
func (d *diskLimiter) beginJob(ctx context.Context, limit time.Duration, path string) (*diskJob, error) {
	for ctx.Err() == nil {
		d.mu.Lock()
		before := d.jobs[path]
		if before == nil {
			mine := &diskJob{begun: time.Now(), done: make(chan struct{})}
			d.jobs[path] = mine
			d.mu.Unlock()
			return mine, nil
		}
		d.mu.Unlock()
		if time.Since(before.begun) > limit {
			return nil, errors.FSTimeout
		}
		select {
		case <-before.done:
		case <-ctx.Done():
		}
	}
	return nil, timeoutCause(ctx)
}

func (d *diskLimiter) endJob(path string, job *diskJob) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.jobs, path)
	close(job.done)
}

// timeoutCause distinguishes a file system that does not answer from a canceled call.
func timeoutCause(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(err, errors.FSTimeout) {
		return err
	}
	return fmt.Errorf("looking for the project: %w", err)
}

// describeDiskError describes a disk error in words that follow a path.
func describeDiskError(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read: permission denied"
	case errors.Is(err, syscall.ELOOP), strings.Contains(err.Error(), "too many links"): // the error of filepath.EvalSymlinks has no type of its own
		return "leads through too many links"
	case errors.Is(err, syscall.ENOTDIR):
		return "lies below something that is not a directory"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "has a name that is too long for the disk"
	case errors.Is(err, syscall.EIO):
		return "cannot be read: the disk reports a fault"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "cannot be used: " + e.Err.Error()
	}
	return err.Error()
}
