package transport

import (
	"math"
	"testing"
)

// Whatever the number of files, some are connections, at least one call runs, and
// all of them together are no more than there are.
func TestShareOfFiles(t *testing.T) {
	t.Parallel()
	const atOnce = 16
	for _, test := range []struct {
		files       uint64
		connections int64
		calls       int
	}{
		{0, math.MaxInt32, atOnce}, {1 << 62, math.MaxInt32, atOnce},
		{32, 7, 1}, {64, 18, 4}, {256, 118, atOnce}, {1024, 886, atOnce}, {ownFiles + atOnce*callFiles + 2*maxSessions, 2 * maxSessions, atOnce},
		{1, 3, 1},
	} {
		connections, calls := ShareFiles(test.files, atOnce)
		if connections != test.connections || calls != test.calls {
			t.Errorf("%d files: %d connections, %d calls, want %+v", test.files, connections, calls, test)
		}
		if used := ownFiles + connections + int64(calls)*callFiles; test.files >= 32 && test.files < math.MaxInt32 && used > int64(test.files) {
			t.Errorf("of %d files %d are used", test.files, used)
		}
	}
}
