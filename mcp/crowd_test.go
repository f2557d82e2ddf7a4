package mcp

import (
	"math"
	"testing"
)

// R009: whatever the number of files, some are connections, at least one call runs, and
// all of them together are no more than there are.
func TestR009ShareOfFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		files       uint64
		connections int64
		calls       int
	}{
		{0, math.MaxInt32, atOnce}, {1 << 62, math.MaxInt32, atOnce},
		{32, 7, 1}, {64, 18, 4}, {256, 118, atOnce}, {1024, 886, atOnce}, {enoughFiles, 2 * maxSessions, atOnce},
		{1, 3, 1},
	} {
		connections, calls := share(test.files)
		if connections != test.connections || calls != test.calls {
			t.Errorf("R009: %d files: %d connections, %d calls, want %+v", test.files, connections, calls, test)
		}
		if used := ownFiles + connections + int64(calls)*callFiles; test.files >= 32 && test.files < math.MaxInt32 && used > int64(test.files) {
			t.Errorf("R009: of %d files %d are used", test.files, used)
		}
	}
}

// R009: when half of the connections are taken, others end with their answer, and no
// stream begins, so that there is room for the messages of the streams that are open.
func TestR009TightCrowd(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	s := w.serve(t, base, HTTP{}, func(f *front) { f.crowd.most = 8 })
	v := s.visit(`{}`)
	for _, crowd := range []int64{0, 5} { // beside those of this client, two at most
		ends := crowd > 0
		s.f.crowd.open.Add(crowd)
		answer, err := s.client.Do(v.request("POST", "/mcp", pingBody, v.pairs...))
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != 200 || answer.Close != ends {
			t.Errorf("R009: beside %d connections: %d, ends %v, want %v", crowd, answer.StatusCode, answer.Close, ends)
		}
		s.f.crowd.open.Add(-crowd)
	}
	s.f.crowd.open.Add(5)
	if h := s.send("GET", "/mcp", "", v.pairs...); h.status != 503 || h.code() != codeTransport {
		t.Errorf("R009: a stream in a crowd: %s", h)
	}
	s.f.crowd.open.Add(-5)
}
