//go:build !linux

package index

// watch is nothing where the system queues no notes of changes at the moment they
// happen.
type watch struct{}

func startWatching(string, []string) *watch { return nil }

func (w *watch) drainEvents() ([]string, bool) { return nil, false }

func (w *watch) close() {}

func stampOf(string) (Stamp, bool) { return Stamp{}, true }
