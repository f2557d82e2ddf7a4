package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"blue/errors"
	"blue/fixtures"
)

func TestCorpus(t *testing.T) {
	if len(corpus) < 42 {
		t.Fatalf("%d frames", len(corpus))
	}
	for _, c := range corpus {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := append([]string{`"last" ok`}, c.want...)
			slices.Sort(want)
			if got := kinds(converse(t, c.in+"\n"+ping+"\n")); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestCorpusInOneStream gives each frame an id of its own place, since requests
// of one stream may not share one, and one handshake.
func TestCorpusInOneStream(t *testing.T) {
	in := bytes.NewBufferString(hello + "\n")
	for i, c := range corpus {
		if strings.Contains(c.in, `"initialize"`) || strings.HasPrefix(c.in, `{"jsonrpc":"2.0","method":"notifications/cancelled"`) || len(c.in) > maxFrame/2 {
			continue
		}
		fmt.Fprintf(in, "%s\n%s\n", strings.ReplaceAll(c.in, `"id":1,`, fmt.Sprintf(`"id":%d,`, 1000+i)), strings.Replace(ping, "last", fmt.Sprint("ping ", i), 1))
	}
	got := converse(t, in.String())
	for i, c := range corpus {
		id := fmt.Sprintf(`"ping %d"`, i)
		if strings.Contains(in.String(), id) && !hasReply(got, id) {
			t.Errorf("after %s: ping unanswered", c.name)
		}
	}
	if n := strings.Count(fmt.Sprint(kinds(got)), "-32700"); n < 8 {
		t.Errorf("only %d parse errors", n)
	}
}

func TestByteAtATime(t *testing.T) {
	in := "\ufeff" + hello + "\r\n\r\n" + toolCall(1, "echo", `{"text":"one"}`) + "nonsense\n" + strings.TrimSpace(toolCall(2, "echo", `{"text":"two"}`))
	got := kinds(converseFrom(t, iotest.OneByteReader(strings.NewReader(in))))
	if want := []string{`"hello" ok`, "1 ok", "2 ok", "null -32700"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailuresOfCalls(t *testing.T) {
	got := converse(t, hello+"\n"+toolCall(1, "nope", `{}`)+toolCall(2, "echo", `{"text":7}`))
	for _, m := range got {
		switch string(m.ID) {
		case "1":
			if m.kind() != "1 -32602" {
				t.Errorf("unknown tool: %s", m.line)
			}
		case "2":
			if !strings.Contains(m.line, `"isError":true`) {
				t.Errorf("wrong type: %s", m.line)
			}
		}
	}
	if len(got) != 3 {
		t.Errorf("%d replies", len(got))
	}
}

func TestPlainErrorsHaveACode(t *testing.T) {
	prompt := `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{%s"name":"fails"}}` + "\n"
	got := kinds(converse(t, hello+"\n"+fmt.Sprintf(prompt, 1, "")+fmt.Sprintf(prompt, 2, modern+",")))
	if want := []string{`"hello" ok`, "1 -32600", "2 -32600"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorsAreCut(t *testing.T) {
	long := strings.Repeat("é\u202e", 20_000)
	in := hello + "\n" + toolCall(1, long, `{}`) +
		`{"jsonrpc":"2.0","id":2,"method":"` + long + `"}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":["` + long + `"]}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"3` + long + `","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	got := converse(t, in)
	if len(got) != 5 {
		t.Fatalf("%d replies", len(got))
	}
	for _, m := range got {
		if string(m.ID) == `"hello"` {
			continue
		}
		if m.Error == nil || len(m.Error.Message) > maxErrorText || len(m.line) > 2*maxErrorData {
			t.Errorf("id %s: %d bytes of line", m.ID, len(m.line))
		}
	}
}

// TestFlood sends far more requests than may be owed before it reads anything.
func TestFlood(t *testing.T) {
	w := dial(t, t.Context())
	const n = 5000
	go func() {
		for i := range n {
			fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
		}
		w.in.Close()
	}()
	seen := map[string]bool{}
	for m := range w.got {
		seen[string(m.ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d answered", len(seen), n)
	}
	if err := w.wait(8 * time.Second); err != nil {
		t.Error(err)
	}
}

type brokenPipe struct{ after int }

var errPipe = errors.New("broken pipe")

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, errPipe
	}
	return len(p), nil
}

func TestBrokenOutputEndsServe(t *testing.T) {
	for after := range 3 {
		synctest.Test(t, func(t *testing.T) {
			in, inW := io.Pipe() // stays open: only the output can end serve
			defer in.Close()
			done := make(chan error, 1)
			go func() {
				done <- ServeStdio(t.Context(), toy(), new(Turns), in, &brokenPipe{after}, slog.New(slog.DiscardHandler))
			}()
			go io.WriteString(inW, hello+"\n"+toolCall(1, "slow", `{"ms":60000}`)+"bad frame\n"+toolCall(2, "echo", `{}`)+ping+"\n"+ping+"\n")
			select {
			case err := <-done:
				if !errors.Is(err, errPipe) {
					t.Errorf("after %d lines: %v", after, err)
				}
			case <-time.After(6 * time.Second):
				t.Fatalf("after %d lines: serve goes on", after)
			}
		})
	}
}

func TestBrokenInputIsAnError(t *testing.T) {
	var out bytes.Buffer
	in := io.MultiReader(strings.NewReader(ping+"\n"), iotest.ErrReader(errPipe))
	err := ServeStdio(t.Context(), toy(), new(Turns), io.NopCloser(in), &out, slog.New(slog.DiscardHandler))
	if !errors.Is(err, errPipe) || !strings.Contains(out.String(), `"last"`) {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

// panicking is a log whose first record of a refused frame panics.
type panicking struct{ slog.Handler }

func (p panicking) Enabled(context.Context, slog.Level) bool { return true }
func (p panicking) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "frame refused" {
		panic("in the guard")
	}
	return nil
}

func TestPanicInTheGuard(t *testing.T) { // promise 14
	var out bytes.Buffer
	in := io.NopCloser(strings.NewReader("bad\n" + ping + "\n"))
	must(t, ServeStdio(t.Context(), toy(), new(Turns), in, &out, slog.New(panicking{slog.DiscardHandler})))
	if !strings.Contains(out.String(), "-32603") || !strings.Contains(out.String(), `"last"`) {
		t.Errorf("got %s", out.String())
	}
}

// TestNoCrossing gives many clients the same ids and different texts (promise 25).
func TestNoCrossing(t *testing.T) {
	const clients = 32
	calls := calls()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			w := dial(t, t.Context())
			go func() {
				io.WriteString(w.in, hello+"\n")
				for i := range calls {
					line := toolCall
					if i%2 == 1 {
						line = modernCall
					}
					io.WriteString(w.in, line(i, "echo", fmt.Sprintf(`{"text":"client %d call %d"}`, c, i)))
				}
			}()
			seen := map[string]bool{}
			for m := range w.got {
				if want := fmt.Sprintf("client %d call %s", c, m.ID); string(m.ID) != `"hello"` && m.text() != want {
					t.Errorf("got %q, want %q", m.text(), want)
				}
				if seen[string(m.ID)] = true; len(seen) == calls+1 {
					w.in.Close()
				}
			}
			if len(seen) != calls+1 {
				t.Errorf("client %d: %d replies", c, len(seen))
			}
		})
	}
	all.Wait()
}

// The places of a request among the owed ones grow with its size, so that one of the
// largest is in memory at a time.
func TestPlacesOfRequests(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int64{0: 1, perPlace: 2, maxFrame - 100: 128} {
		if got := places(frame{params: make([]byte, size)}); got != want || got > maxOwed {
			t.Errorf("%d bytes take %d places of %d, want %d", size, got, maxOwed, want)
		}
	}
	in := hello + "\n"
	for i := range 12 {
		in += toolCall(i, "echo", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", maxFrame/4)))
	}
	if got := converse(t, in); len(got) != 13 {
		t.Errorf("%d answers to 13 requests", len(got))
	}
}

// calls is the number of calls of each of the 32 clients.
func calls() int { return fixtures.Size(8, 20, 300) }
