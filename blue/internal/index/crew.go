package index

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// crew is functions that run beside one another.
type crew struct {
	group    sync.WaitGroup
	mu       sync.Mutex
	panicked any // what one of them panicked with, and where
}

// Go runs a function beside the caller.
func (c *crew) Go(run func()) {
	c.group.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		run()
	})
}

// Wait returns when all have ended. A panic of one goes on in the caller.
func (c *crew) Wait() {
	if c.group.Wait(); c.panicked != nil {
		panic(c.panicked)
	}
}
