package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Promise 24: few large messages are taken at once; small ones pass them.
func TestRoomForLargeMessages(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	s := w.serve(t, base, HTTP{SSE: true}, func(f *front) { f.bodyTime = time.Second })
	v := s.visit(`{}`)
	large := strings.Repeat(" ", smallBody) + pingBody
	if h := v.post(large); h.status != 200 {
		t.Errorf("a large message: %s", h)
	}
	for range largeAtOnce {
		s.f.large <- struct{}{}
	}
	for _, path := range []string{"/mcp", "/sse?sessionid=x"} {
		if h := s.send("POST", path, large, v.pairs...); h.status != 503 || h.code() != -32000 {
			t.Errorf("%s: one too many: %s", path, h)
		}
	}
	if h := v.post(pingBody); h.status != 200 {
		t.Errorf("a small message meanwhile: %s", h)
	}
	<-s.f.large
	if h := v.post(large); h.status != 200 || len(s.f.large) != largeAtOnce-1 {
		t.Errorf("when there is room again: %s, %d taken", h, len(s.f.large))
	}
}

// The places of a request among the owed ones grow with its size, so that one of the
// largest is in memory at a time.
func TestPlacesOfRequests(t *testing.T) {
	for size, want := range map[int]int{0: 1, perPlace: 2, maxFrame - 100: 128} {
		f := frame{params: make([]byte, size)}
		if got := f.places(); got != want || got > maxOwed {
			t.Errorf("%d bytes take %d places of %d, want %d", size, got, maxOwed, want)
		}
	}
	if testing.Short() {
		t.Skip("the longest frames take the race detector 10 s")
	}
	in := hello + "\n"
	for i := range 12 {
		in += toolCall(i, "echo", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", maxFrame/4)))
	}
	if got := talk(t, in); len(got) != 13 {
		t.Errorf("%d answers to 13 requests", len(got))
	}
}
