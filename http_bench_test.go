package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The figures of HTTP: a warm search beside an empty call of the SDK's bare
// handler, and how many calls a second 32 clients get of each. Blue lets a session
// make 50 calls a second, so its clients spread over many sessions.

// emptyHTTP is the floor: the SDK's handler alone, one tool that does nothing.
func emptyHTTP(b *testing.B) *served {
	s := mcp.NewServer(&mcp.Implementation{Name: "empty", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "blue_search"}, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	b.Cleanup(h.Close)
	return &served{url: h.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

func BenchmarkHTTPSearch(b *testing.B) {
	p := newPlace(b)
	corpus(b, p, 1000)
	for name, start := range map[string]func(*testing.B) *served{
		"blue/notes=1000": func(b *testing.B) *served {
			return p.httpServer(b, nil, "--http", "127.0.0.1:0", "--allow-root", p.base)
		},
		"floor=empty-call": emptyHTTP,
	} {
		b.Run("latency/"+name, func(b *testing.B) { httpLatency(b, start(b), p) })
		b.Run("clients=32/"+name, func(b *testing.B) { httpThroughput(b, start(b), p, searchCall) })
		b.Run("clients=32/ping/"+name, func(b *testing.B) { httpThroughput(b, start(b), p, pingCall) })
	}
}

func searchCall(p place, random *rand.Rand, id int) string {
	query := word(random.Uint64N(500)) + " " + word(random.Uint64N(5000)) + " " + word(random.Uint64N(20_000))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_search","arguments":{"query":%q,"cwd":%q}}}`, id, query, filepath.ToSlash(p.project))
}

func pingCall(_ place, _ *rand.Rand, id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
}

// perSession is how many calls a session makes here: below the burst that Blue
// lets pass.
const perSession = 190

func httpLatency(b *testing.B, s *served, p place) {
	random := rand.New(rand.NewPCG(3, 4))
	session := s.open(b, `{}`)
	if _, _, err := s.post(session, searchCall(p, random, 0)); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		if len(took)%perSession == perSession-1 {
			b.StopTimer()
			session = s.open(b, `{}`)
			b.StartTimer()
		}
		began := time.Now()
		answer, _, err := s.post(session, searchCall(p, random, 1))
		took = append(took, time.Since(began))
		if err != nil || len(answer) < 20 {
			b.Fatal(err, answer)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func httpThroughput(b *testing.B, s *served, p place, call func(place, *rand.Rand, int) string) {
	var done atomic.Int64
	var clients sync.WaitGroup
	began := time.Now()
	for client := range 32 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(client)))
			session := ""
			for i := 0; done.Add(1) <= int64(b.N); i++ {
				if i%perSession == 0 {
					session = s.open(b, `{}`)
				}
				if answer, _, err := s.post(session, call(p, random, i)); err != nil || len(answer) < 20 {
					b.Error(err, answer)
					return
				}
			}
		})
	}
	clients.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "calls/s")
}
