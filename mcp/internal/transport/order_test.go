package transport

import (
	"context"
	"testing"
	"testing/synctest"
)

// inOrder enters calls of tools into one order, and says of each whether it may begin.
func inOrder(t *testing.T) (call func(ctx context.Context, tool string) (*turn, func() bool)) {
	var o order
	return func(ctx context.Context, tool string) (*turn, func() bool) {
		turn := o.enter([]byte(`{"name":"blue_` + tool + `"}`))
		begun := make(chan bool, 1)
		go func() {
			useFailed, err := turn.wait(ctx)
			if err != nil {
				turn.end(true)
				return
			}
			begun <- useFailed
		}()
		return turn, func() bool {
			synctest.Wait()
			select {
			case useFailed := <-begun:
				begun <- useFailed
				return true
			default:
				return false
			}
		}
	}
}

// The turns of three calls, one by one.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := inOrder(t)
		read, readBegins := call(t.Context(), "read")
		use, useBegins := call(t.Context(), "use")
		write, writeBegins := call(t.Context(), "write")
		if !readBegins() || useBegins() || writeBegins() {
			t.Error("the first call alone may begin")
		}
		read.end(false)
		if !useBegins() || writeBegins() {
			t.Error("blue_use may begin when the call before it has ended")
		}
		use.end(false)
		use.end(true)
		list, listBegins := call(t.Context(), "list")
		if !writeBegins() || !listBegins() {
			t.Error("calls may begin when blue_use has ended")
		}
		write.end(false)
		list.end(false)
		if n := use.order.count(); n != 0 {
			t.Errorf("%d turns are not given back", n)
		}
	})
}

// A blue_use that is given up before its turn holds nobody up, and what comes behind it
// does not begin before the blue_use in front of it has ended.
func TestUseThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := inOrder(t)
		ctx, cancel := context.WithCancel(t.Context())
		list, _ := call(t.Context(), "list")
		first, firstBegins := call(t.Context(), "use")
		_, secondBegins := call(ctx, "use")
		write := first.order.enter([]byte(`{"name":"blue_write"}`))
		begun := make(chan bool, 1)
		go func() {
			useFailed, err := write.wait(t.Context())
			begun <- useFailed && err == nil
		}()
		cancel()
		if secondBegins() || firstBegins() || len(begun) > 0 {
			t.Error("the second blue_use goes on, or the first has begun, or the write has")
		}
		list.end(false)
		if !firstBegins() || len(begun) > 0 {
			t.Error("the first blue_use has not begun, or the write has")
		}
		first.end(false)
		synctest.Wait()
		if len(begun) == 0 || !<-begun {
			t.Error("the write does not begin, or not as one behind a blue_use that came to nothing")
		}
	})
}
