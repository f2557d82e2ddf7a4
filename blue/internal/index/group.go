package index

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// group is functions that run beside one another.
type group struct {
	waiting  sync.WaitGroup
	mu       sync.Mutex
	panicked any // what one of them panicked with, and where
}

// Go runs a function beside the caller.
func (g *group) Go(run func()) {
	g.waiting.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		run()
	})
}

// Wait returns when all have ended. A panic of one goes on in the caller.
func (g *group) Wait() {
	if g.waiting.Wait(); g.panicked != nil {
		panic(g.panicked)
	}
}

// Beside runs a function beside the caller. The function that it returns waits for it, and
// a panic goes on there.
func Beside(run func()) (wait func()) {
	var g group
	g.Go(run)
	return g.Wait
}
