package transport

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

const ping = `{"jsonrpc":"2.0","id":"last","method":"ping"}`

// toy is a server whose tools show what the plumbing does to a call.
func toy() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "toy", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{},
		Logger:       slog.New(slog.DiscardHandler),
	})
	type input struct {
		Text string `json:"text,omitempty"`
		MS   int    `json:"ms,omitempty"`
	}
	add := func(name string, run func(context.Context, *mcp.CallToolRequest, input) string) {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: run(ctx, req, in)}}}, nil, nil
		})
	}
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, in input) string { return in.Text })
	add("slow", func(ctx context.Context, _ *mcp.CallToolRequest, in input) string {
		select {
		case <-time.After(time.Duration(in.MS) * time.Millisecond):
			return "slept"
		case <-ctx.Done():
			return "woken"
		}
	})
	add("deaf", func(_ context.Context, _ *mcp.CallToolRequest, in input) string {
		time.Sleep(time.Duration(in.MS) * time.Millisecond)
		return "deaf"
	})
	add("roots", func(ctx context.Context, req *mcp.CallToolRequest, _ input) string {
		roots, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return "no roots: " + err.Error()
		}
		return fmt.Sprintf("%d roots", len(roots.Roots))
	})
	add("ping", func(ctx context.Context, req *mcp.CallToolRequest, _ input) string {
		return fmt.Sprint(req.Session.Ping(ctx, nil))
	})
	add("who", func(_ context.Context, req *mcp.CallToolRequest, _ input) string {
		client := mcp.Implementation{}
		if c := req.ClientInfo(); c != nil {
			client = *c
		}
		captured := req.Session.InitializeParams().GetMeta()[CaptureKey]
		return fmt.Sprintf("%q %s %v", client.Name, req.ProtocolVersion(), captured)
	})
	server.AddPrompt(&mcp.Prompt{Name: "fails"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New("a plain error")
	})
	return server
}

// output is a line of the server.
type output struct {
	line   string
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// kind is the form of a want of the corpus.
func (m output) kind() string {
	if m.Error == nil {
		return string(m.ID) + " ok"
	}
	return fmt.Sprintf("%s %d", m.ID, m.Error.Code)
}

func (m output) text() string {
	var r struct{ Content []struct{ Text string } }
	if json.Unmarshal(m.Result, &r) != nil || len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// parseMessage reads a line of the server; every one must be JSON-RPC.
func parseMessage(t testing.TB, line string) output {
	t.Helper()
	m := output{line: line}
	d := json.NewDecoder(strings.NewReader(line))
	if err := d.Decode(&m); err != nil || !strings.HasPrefix(line, `{"jsonrpc":"2.0",`) {
		t.Errorf("not a JSON-RPC line: %.200q: %v", line, err)
	}
	return m
}

// converse runs one connection from its first byte to its end.
func converse(t testing.TB, in string) []output {
	t.Helper()
	return converseFrom(t, strings.NewReader(in))
}

func converseFrom(t testing.TB, in io.Reader) []output {
	t.Helper()
	var out bytes.Buffer
	if err := ServeStdio(t.Context(), toy(), new(Turns), io.NopCloser(in), &out, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatalf("serve: %v", err)
	}
	var got []output
	for line := range strings.Lines(out.String()) {
		got = append(got, parseMessage(t, strings.TrimSuffix(line, "\n")))
	}
	return got
}

func kinds(messages []output) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.kind())
	}
	slices.Sort(all)
	return all
}

func hasReply(messages []output, id string) bool {
	return slices.ContainsFunc(messages, func(m output) bool { return string(m.ID) == id })
}

func readLines(in []byte) (lines [][]byte) {
	r := bufio.NewReader(bytes.NewReader(in))
	for {
		line, err := readLine(r)
		if len(line) > 0 {
			lines = append(lines, line)
		}
		if err != nil {
			return lines
		}
	}
}

func toolCall(id any, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments) + "\n"
}

func modernCall(id any, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{%s,"name":%q,"arguments":%s}}`, id, modern, tool, arguments) + "\n"
}

func cancel(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n"
}

// wire is a client that reads and writes at once.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *io.PipeReader
	got  chan output
	done chan error
}

func dial(t *testing.T, ctx context.Context) *wire {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{t: t, in: inW, out: outR, got: make(chan output, 1000), done: make(chan error, 1)}
	go func() {
		w.done <- ServeStdio(ctx, toy(), new(Turns), inR, outW, slog.New(slog.DiscardHandler))
		outW.Close()
	}()
	go func() {
		defer close(w.got)
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			w.got <- parseMessage(t, lines.Text())
		}
	}()
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, strings.TrimSuffix(line, "\n")+"\n"); err != nil {
		w.t.Fatalf("sending %.100q: %v", line, err)
	}
}

func (w *wire) next() output {
	w.t.Helper()
	select {
	case m, ok := <-w.got:
		if !ok {
			w.t.Fatal("the server has ended")
		}
		return m
	case <-time.After(time.Minute):
		w.t.Fatal("no line of the server")
	}
	return output{}
}

func (w *wire) ask(line string) output {
	w.t.Helper()
	w.send(line)
	return w.next()
}

// end closes the input and returns what serve returned.
func (w *wire) end() error {
	w.t.Helper()
	w.in.Close()
	return w.wait(time.Minute)
}

func (w *wire) wait(limit time.Duration) error {
	w.t.Helper()
	select {
	case err := <-w.done:
		return err
	case <-time.After(limit):
		w.t.Fatalf("serve did not return in %v", limit)
	}
	return nil
}
