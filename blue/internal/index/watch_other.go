//go:build !linux

package index

// watch is a stub for systems whose kernel does not queue file events as they happen.
type watch struct{}

func startWatching(string, []string) *watch { return nil }

func (w *watch) drainEvents() ([]string, bool) { return nil, false }

func (w *watch) close() {}

func stampOf(string) (Stamp, bool) { return Stamp{}, true }
