package mcp

import (
	"reflect"
	"runtime"
	"testing"
)

// What a session keeps of its initialize has no room for members that it does not have.
func TestCompact(t *testing.T) {
	was := func() map[string]any { // as the decoder of the SDK makes it
		object := make(map[string]any, 64)
		object["a"], object["b"] = 1.5, []any{"x"}
		return object
	}
	if got := compact(was()); !reflect.DeepEqual(got, any(was())) {
		t.Errorf("%v", got)
	}
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const many = 10_000
	kept, before := make([]any, many), used()
	for i := range kept {
		kept[i] = compact(was())
	}
	if after := used(); after > before+many*1024 {
		t.Errorf("an object of two members takes %d bytes", (after-before)/many)
	}
	runtime.KeepAlive(kept)
}
