package message

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The turns of three calls, one by one.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o Order
		call := func(tool string) Turn {
			return o.Enter(Frame{ID: []byte("1"), Method: "tools/call", Params: []byte(`{"name":"blue_` + tool + `"}`)})
		}
		read, use, write := call("read"), call("use"), call("write")
		synctest.Wait()
		if !read.Now() || use.Now() || write.Now() {
			t.Error("the first call alone may begin")
		}
		read.End(false)
		synctest.Wait()
		if !use.Now() || write.Now() {
			t.Error("blue_use may begin when the call before it has ended")
		}
		use.End(false)
		use.End(false)
		if !write.Now() || !call("list").Now() {
			t.Error("calls may begin when blue_use has ended")
		}
	})
}

// A003: a blue_use that is given up before its turn keeps its place: what comes behind it
// does not begin before the blue_use in front of it has ended.
func TestUseThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o Order
		call := func(id int, tool string) (Frame, Turn) {
			m := Frame{ID: []byte("1"), Method: "tools/call", Params: []byte(`{"name":"blue_` + tool + `"}`)}
			m.Key, _ = jsonrpc.MakeID(float64(id))
			return m, o.Enter(m)
		}
		_, list := call(1, "list")
		_, first := call(2, "use")
		given, second := call(3, "use")
		_, write := call(4, "write")
		synctest.Wait()
		done := make(chan bool, 1)
		go func() { done <- o.Wait(t.Context(), given.Key, second) }()
		synctest.Wait()
		if !o.Cancel(given.Key) || <-done {
			t.Error("the second blue_use goes on")
		}
		synctest.Wait()
		if write.Now() {
			t.Error("the write does not wait for the first blue_use")
		}
		list.End(false)
		synctest.Wait()
		if !first.Now() || write.Now() {
			t.Error("the first blue_use has not begun, or the write has")
		}
		first.End(false)
		synctest.Wait()
		if !write.Now() || !strings.Contains(string(write.Warn(nil)), UseFailedKey) {
			t.Error("the write does not begin, or not as one behind a blue_use that came to nothing")
		}
	})
}
