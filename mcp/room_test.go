package mcp

import (
	"strings"
	"testing"
	"time"

	"blue/fixtures"
	"blue/mcp/internal/transport"
)

// Promise 24: few large messages are taken at once; small ones pass them.
func TestRoomForLargeMessages(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base, w := scene(t)
	s := w.serve(t, base, HTTP{}, func(s *transport.Server) { s.BodyTime = time.Second })
	v := s.visit(`{}`)
	large := strings.Repeat(" ", 16<<10) + pingBody
	if h := v.post(large); h.status != 200 {
		t.Errorf("a large message: %s", h)
	}
	for range cap(s.d.web.Large) {
		s.d.web.Large <- struct{}{}
	}
	if h := v.post(large); h.status != 503 || h.code() != -32000 {
		t.Errorf("one too many: %s", h)
	}
	if h := v.post(pingBody); h.status != 200 {
		t.Errorf("a small message meanwhile: %s", h)
	}
	<-s.d.web.Large
	if h := v.post(large); h.status != 200 || len(s.d.web.Large) != cap(s.d.web.Large)-1 {
		t.Errorf("when there is room again: %s, %d taken", h, len(s.d.web.Large))
	}
}
