package notebook

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blue/blue/internal/index"
	"blue/blue/result"
	"blue/fixtures"
)

// To check a note that cites many missing files takes time in proportion to them. The
// time is the processor's, of this thread, beside that of a smaller note.
func TestManyCitedFiles(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := func(n int) time.Duration {
		var front strings.Builder
		for i := range n {
			fmt.Fprintf(&front, "  - file-%d\n", i)
		}
		all := &checker{nb: &Notebook{Handles: &Handles{index: Catalog{index.Open(t.TempDir())}}}, cited: newCitations(t.TempDir(), nil)}
		in := lint{all, "notes/x.md", []byte("---\nfiles:\n" + front.String() + "---\nx\n")}
		least := time.Hour
		for range 3 {
			var c result.Checked
			all.uids = map[string]string{}
			began := threadTime(t)
			in.text(&c)
			least = min(least, threadTime(t)-began)
			if last := len(c.Findings) - 1; c.Findings[last].Line != last+3 {
				t.Fatalf("%d findings, the last is %v", len(c.Findings), c.Findings[last])
			}
		}
		return least
	}
	small, large := took(1000), took(4000)
	if large > 8*small {
		t.Errorf("1,000 files take %v, 4,000 take %v", small, large)
	}
}

// threadTime is the processor time of this thread.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Rusage
	must(t, unix.Getrusage(unix.RUSAGE_THREAD, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
