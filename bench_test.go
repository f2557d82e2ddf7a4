package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/marker"
)

// The figures of the README, each beside the floor that it stands on. One run:
//
//	go test -run '^$' -bench . -benchtime 2s .

// emptyServer is the floor of a server: the SDK alone, one tool that does nothing.
func emptyServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "empty", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "blue_search"}, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && err != io.EOF {
		slog.Error("empty server", "err", err)
	}
}

// dial starts a server and returns when it has answered `initialize`.
func dial(b *testing.B, c *exec.Cmd) *server {
	b.Helper()
	s := &server{cmd: c}
	var err error
	if s.in, err = c.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(s.in, hello); err != nil {
		b.Fatal(err)
	}
	if _, err := s.out.ReadBytes('\n'); err != nil {
		b.Fatal(err)
	}
	return s
}

func hangUp(s *server) {
	s.in.Close()
	_ = s.cmd.Wait()
}

func emptyBinary(b *testing.B) string {
	b.Helper()
	path, err := exec.LookPath("empty")
	if err != nil {
		b.Skip("the empty server runs only under testscript.Main")
	}
	return path
}

func BenchmarkInitialize(b *testing.B) {
	p := newPlace(b)
	b.Run("blue", func(b *testing.B) {
		for b.Loop() {
			s := dial(b, p.command(b, "mcp"))
			b.StopTimer()
			hangUp(s)
			b.StartTimer()
		}
	})
	b.Run("floor=empty-server", func(b *testing.B) {
		path := emptyBinary(b)
		for b.Loop() {
			s := dial(b, exec.Command(path))
			b.StopTimer()
			hangUp(s)
			b.StartTimer()
		}
	})
}

// corpus writes notes of made-up words, whose frequencies fall as those of a
// language do.
func corpus(b *testing.B, p place, n int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 20_000)
	dir := filepath.Join(p.project, ".blue", "notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		var text strings.Builder
		fmt.Fprintf(&text, "---\ntype: note\ntitle: %s %s\n---\n\n", word(zipf.Uint64()), word(zipf.Uint64()))
		for range 220 {
			text.WriteString(word(zipf.Uint64()) + " ")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%05d.md", i)), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func word(n uint64) string {
	var b strings.Builder
	for n += 30; n > 0; n /= 20 {
		b.WriteByte("bcdfghjklmnprstvwxyz"[n%20])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000} {
		p := newPlace(b)
		corpus(b, p, n)
		b.Run(fmt.Sprintf("blue/notes=%d", n), func(b *testing.B) { searches(b, p.command(b, "mcp")) })
	}
	b.Run("floor=empty-call", func(b *testing.B) { searches(b, exec.Command(emptyBinary(b))) })
}

func searches(b *testing.B, c *exec.Cmd) {
	s := dial(b, c)
	defer hangUp(s)
	random := rand.New(rand.NewPCG(3, 4))
	if _, err := s.call("search", map[string]any{"query": "warm"}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		query := word(random.Uint64N(500)) + " " + word(random.Uint64N(5000)) + " " + word(random.Uint64N(20_000))
		if _, err := s.call("search", map[string]any{"query": query}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDetection(b *testing.B) {
	p := newPlace(b)
	deep := filepath.Join(p.project, "a", "b", "c", "d", "e")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		b.Fatal(err)
	}
	b.Run("blue", func(b *testing.B) {
		rules := marker.NewRules(filepath.Join(p.base, "home"))
		for b.Loop() {
			_, err := marker.Choose(context.Background(), rules, func(yield func(marker.Candidate) bool) {
				yield(marker.Candidate{Source: marker.Argument, Value: deep})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor=stats", func(b *testing.B) {
		for b.Loop() {
			for dir := deep; dir != p.base; dir = filepath.Dir(dir) {
				_, _ = os.Lstat(filepath.Join(dir, ".blue"))
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	body := strings.Repeat("A line of a note of two thousand bytes, about. ", 42)
	b.Run("blue", func(b *testing.B) {
		p := newPlace(b)
		s := dial(b, p.command(b, "mcp"))
		defer hangUp(s)
		i := 0
		for b.Loop() {
			i++
			a, err := s.call("write", map[string]any{"title": fmt.Sprint("note ", i), "body": fmt.Sprint(body, i)})
			if err != nil || a.ID == "" {
				b.Fatal(a, err)
			}
		}
	})
	b.Run("floor=two-fsyncs", func(b *testing.B) {
		dir := b.TempDir()
		i := 0
		for b.Loop() {
			i++
			if err := writeDurably(dir, fmt.Sprint(i, ".md"), body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// writeDurably is the least that survives a power cut.
func writeDurably(dir, name, text string) error {
	f, err := os.Create(filepath.Join(dir, ".tmp"))
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := firstError(err, f.Sync(), f.Close(), os.Rename(f.Name(), filepath.Join(dir, name))); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return firstError(d.Sync(), d.Close())
}
