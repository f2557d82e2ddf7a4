package mcp

import (
	"testing"

	"blue/mcp/internal/transport"
)

// When half of the connections are taken, others end with their answer, and no
// stream begins, so that there is room for the messages of the streams that are open.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	s := w.serve(t, base, HTTP{}, func(s *transport.Server) { s.Connections.Most = 8 })
	v := s.visit(`{}`)
	for _, crowd := range []int64{0, 5} { // beside those of this client, two at most
		ends := crowd > 0
		s.d.web.Connections.Open.Add(crowd)
		answer, err := s.client.Do(v.request("POST", "/mcp", pingBody, v.pairs...))
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != 200 || answer.Close != ends {
			t.Errorf("beside %d connections: %d, ends %v, want %v", crowd, answer.StatusCode, answer.Close, ends)
		}
		s.d.web.Connections.Open.Add(-crowd)
	}
	s.d.web.Connections.Open.Add(5)
	if h := s.send("GET", "/mcp", "", v.pairs...); h.status != 503 || h.code() != -32000 {
		t.Errorf("a stream in a crowd: %s", h)
	}
	s.d.web.Connections.Open.Add(-5)
}
