package mcp

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"blue/fixtures"
)

// arriving is how many large bodies are taken in at once.
const arriving = 4

// The same over connections: the bodies that stall are refused, the write is not.
func TestWriteBesideStalledBodies(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	for range 3 * arriving {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.root, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: 1000000\r\n\r\n%s", conn.RemoteAddr(), s.tokens[0], strings.Repeat(" ", 20<<10))
	}
	within(t, "stalled bodies in all places", func() bool { return s.d.web.Load().Arriving == arriving })
	began := time.Now()
	o := v.call("write", args("cwd", base+"/shop", "title", "Long", "body", strings.Repeat("word ", 8<<10)))
	took := time.Since(began)
	if o.IsError || took > s.d.web.BodyTime/3 { // on a quiet machine it takes less than 2 s
		t.Errorf("after %v: %s", took, o.text())
	}
	t.Logf("a write of 40 kB beside %d stalled bodies took %v", 3*arriving, took)
}

// A body without a length is read like any other.
func TestBodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	r := v.request(http.MethodPost, "/mcp", pingBody, v.pairs...)
	r.ContentLength = -1
	if h := v.do(r, nil); h.status != http.StatusOK {
		t.Errorf("%s", h)
	}
	if n := s.d.web.Load().Arriving + len(s.d.web.Large); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}
