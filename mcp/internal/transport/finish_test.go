package transport

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEndOfInput(t *testing.T) {
	if owedLimit+overdueLimit > 5*time.Second || closeLimit > 2*time.Second {
		t.Errorf("the end may take %v, and %v when nothing is owed", owedLimit+overdueLimit, closeLimit)
	}
	listen := `{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{` + modern + `,"notifications":{"toolsListChanged":true}}}` + "\n"
	tests := []struct {
		name, in, later string // later is sent when the rest has come to run
		want            []string
		least, most     time.Duration
	}{
		{"nothing owed", hello, "", []string{`"hello" ok`}, 0, 2 * time.Second},
		{"slow call", hello + "\n" + toolCall(1, "slow", `{"ms":700}`), "", []string{`"hello" ok`, "1 ok"}, 700 * time.Millisecond, 5 * time.Second},
		{"endless call", hello + "\n" + toolCall(1, "slow", `{"ms":60000}`), "", []string{`"hello" ok`}, 4 * time.Second, 6 * time.Second},
		{"cancelled call", hello + "\n" + toolCall(1, "slow", `{"ms":60000}`), cancel("1"), []string{`"hello" ok`}, 0, 2 * time.Second},
		{"call cancelled at once", hello + "\n" + toolCall(1, "slow", `{"ms":60000}`) + cancel("1"), "", []string{`"hello" ok`}, 0, 2 * time.Second},
		{"cancelled modern call", modernCall(1, "slow", `{"ms":60000}`), cancel("1"), nil, 0, 2 * time.Second},
		{"cancelled call of a deaf tool", hello + "\n" + toolCall(1, "deaf", `{"ms":8000}`), cancel("1"), []string{`"hello" ok`}, 1400 * time.Millisecond, 3 * time.Second},
		{"cancelled in another spelling", hello + "\n" + toolCall(1, "slow", `{"ms":600}`), cancel("1.5"), []string{`"hello" ok`, "1 ok"}, 500 * time.Millisecond, 3 * time.Second},
		{"handshake is not cancelled", hello + "\n" + cancel(`"hello"`), "", []string{`"hello" ok`}, 0, 2 * time.Second},
		{"client owes roots", hello + "\n" + toolCall(1, "roots", `{}`), "\n", []string{`"hello" ok`, "1 ok"}, 0, 2 * time.Second},
		{"client is to owe roots", hello + "\n" + toolCall(1, "roots", `{}`), "", []string{`"hello" ok`, "1 ok"}, 0, 2 * time.Second},
		{"subscription open", listen + modernCall(1, "echo", `{}`), "\n", []string{"1 ok"}, 0, 2 * time.Second},
		{"subscription cancelled", listen, cancel(`"listen"`) + modernCall(1, "slow", `{"ms":100}`), []string{`"listen" ok`, "1 ok"}, 0, 2 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []output
				for _, m := range converseFrom(t, io.MultiReader(strings.NewReader(test.in), pause(test.later), strings.NewReader(test.later))) {
					if m.Method == "" {
						got = append(got, m)
					}
				}
				took := time.Since(start)
				slices.Sort(test.want)
				if all := kinds(got); !slices.Equal(all, test.want) {
					t.Errorf("got %q, want %q", all, test.want)
				}
				if took < test.least || took > test.most {
					t.Errorf("took %v, want %v to %v", took, test.least, test.most)
				}
				time.Sleep(time.Minute) // until a deaf tool has returned
			})
		})
	}
}

// pause is an empty input that ends after a while, if something follows it.
type pause string

func (p pause) Read([]byte) (int, error) {
	if p != "" {
		time.Sleep(200 * time.Millisecond)
	}
	return 0, io.EOF
}

func TestFourRequestsThenEnd(t *testing.T) { // promise 13
	for range 100 {
		in := hello + "\n" + toolCall(1, "echo", `{"text":"a"}`) + toolCall(2, "slow", `{"ms":1}`) + toolCall(3, "echo", `{}`)
		if got := kinds(converse(t, in)); !slices.Equal(got, []string{`"hello" ok`, "1 ok", "2 ok", "3 ok"}) {
			t.Fatalf("got %q", got)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := dial(t, ctx)
		w.ask(hello)
		w.send(toolCall(1, "slow", `{"ms":700}`))
		w.send(toolCall(2, "slow", `{"ms":60000}`))
		w.send(toolCall(3, "roots", `{}`))
		if m := w.next(); m.Method != "roots/list" {
			t.Fatalf("got %s", m.line)
		}
		start := time.Now()
		stop()
		if m := w.next(); m.kind() != "3 ok" {
			t.Errorf("call that waits for the client: %s", m.line)
		}
		w.send(toolCall(4, "echo", `{}`)) // is never answered
		if m := w.next(); m.text() != "slept" {
			t.Errorf("call that runs: %s", m.line)
		}
		if err := w.wait(5 * time.Second); err != nil {
			t.Errorf("serve: %v", err)
		}
		if took := time.Since(start); took < 1500*time.Millisecond || took > 4*time.Second {
			t.Errorf("took %v", took)
		}
		synctest.Wait() // for the end of reading
		var err error
		for i := 0; i < 100 && err == nil; i++ {
			_, err = io.WriteString(w.in, ping+"\n")
		}
		if m, open := <-w.got; err == nil || open {
			t.Errorf("the input is still read: %v", m)
		}
	})
}

func TestContextEndsWhileClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		in, inW := io.Pipe()
		out, outW := io.Pipe()
		defer out.Close() // frees the writer
		done := make(chan error, 1)
		go func() { done <- ServeStdio(ctx, toy(), new(Turns), in, outW, slog.New(slog.DiscardHandler)) }()
		go io.WriteString(inW, ping+"\n")
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil { // the rest of the answer blocks
			t.Fatal(err)
		}
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("serve waits for a client that does not read")
		}
	})
}

// TestSessionsEnd shows what session state can be freed by: Wait returns when
// serve does.
func TestSessionsEnd(t *testing.T) {
	server := toy()
	var out bytes.Buffer
	must(t, ServeStdio(t.Context(), server, new(Turns), io.NopCloser(strings.NewReader(hello+"\n")), &out, slog.New(slog.DiscardHandler)))
	for session := range server.Sessions() {
		t.Errorf("session %v outlives serve", session)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		converse(t, hello+"\n"+toolCall(1, "slow", `{"ms":1}`)+toolCall(2, "roots", `{}`)+toolCall(3, "slow", `{"ms":60000}`)+cancel("3")+modernCall(4, "echo", `{}`))
	}
	ctx, stop := context.WithCancel(t.Context())
	w := dial(t, ctx)
	w.ask(hello)
	stop()
	w.wait(5 * time.Second)
	var after int
	for range 100 {
		if after = runtime.NumGoroutine(); after <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
}
