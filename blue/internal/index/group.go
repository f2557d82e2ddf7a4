package index

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// group runs functions concurrently.
type group struct {
	waiting  sync.WaitGroup
	mu       sync.Mutex
	panicked any // what one of them panicked with, and the stack
}

// Go runs a function in another goroutine.
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

// Wait waits until all functions have returned. If one of them panicked, Wait panics.
func (g *group) Wait() {
	if g.waiting.Wait(); g.panicked != nil {
		panic(g.panicked)
	}
}

// Background runs a function in another goroutine. The returned function waits for it and passes on its
// panic.
func Background(run func()) (wait func()) {
	var g group
	g.Go(run)
	return g.Wait
}
