package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"blue/errors"
)

// maxOwed is how many requests may wait for their answers before reading pauses. It is far
// above the number of calls that run or queue, and bounds the memory of a client that writes
// without reading. A large request takes several places, one for each started perPlace bytes,
// so that few of the largest are in memory at once: each takes many times its size while it is
// decoded.
const (
	maxOwed  = 256
	perPlace = 32 << 10
)

// pauseTime is how long after its last answer a server on stdio releases the memory that the
// runtime keeps for the next one.
const pauseTime = time.Second

// Time limits of shutdown. owedLimit and overdueLimit add up to 5 s.
const (
	owedLimit    = 4750 * time.Millisecond // for owed answers after the end of input
	stopLimit    = 2 * time.Second         // for owed answers after the end of ctx
	closeLimit   = 1500 * time.Millisecond // for handlers whose answers are no longer needed
	overdueLimit = 250 * time.Millisecond  // the same, if owed answers have exceeded their limit
)

// stdio serves one client on a pair of streams. It has one reader, one locked writer, and two
// connections of the SDK, one for the legacy and one for the modern versions of the protocol,
// because the SDK allows one handshake per connection.
type stdio struct {
	log    *slog.Logger
	legacy *conn
	modern *conn
	owed   *semaphore.Weighted // places of requests whose answers are not yet written
	ending context.Context     // done when no more requests are accepted
	end    context.CancelFunc
	broken context.Context // done when out has failed; the cause says why
	fail   context.CancelCauseFunc

	mutex sync.Mutex // held while a line is written
	out   io.Writer
	pause *time.Timer // releases memory
}

// ServeStdio serves the protocol on in and out with two sessions of server, one for the legacy
// versions and one for the modern ones. It returns nil when the input has ended and all owed
// answers are written or their time is over (see finish), or when ctx has ended; otherwise it
// returns the error of the stream that failed. It closes in.
//
// No goroutine outlives it except those blocked where nothing can wake them: in a Read of in
// that Close does not end (a terminal, a file), in a Write of out to a client that does not
// read, in a tool that ignores its context.
//
// The SDK's own transport would end at the first line that is no message, lose the answers that
// are owed when the input ends, and accept only one handshake.
func ServeStdio(
	ctx context.Context, server *mcp.Server, turns *Turns, in io.ReadCloser, out io.Writer, log *slog.Logger,
) error {
	s := &stdio{
		log:   log,
		owed:  semaphore.NewWeighted(maxOwed),
		out:   out,
		pause: time.AfterFunc(pauseTime, debug.FreeOSMemory),
	}
	defer s.pause.Stop()
	s.ending, s.end = context.WithCancel(context.Background())
	s.broken, s.fail = context.WithCancelCause(context.Background())
	defer s.fail(nil)
	if err := s.connect(ctx, server, turns); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.read(in) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-s.broken.Done():
	}
	s.finish(ctx)
	go in.Close() // on Windows it may wait for a pending Read
	return errors.Join(err, context.Cause(s.broken))
}

// connect opens both sessions. The modern one starts as initialized, so that no request of it
// changes the answer to a later one.
func (s *stdio) connect(ctx context.Context, server *mcp.Server, turns *Turns) (err error) {
	s.legacy, s.modern = newConn(s), newConn(s)
	s.legacy.asks, s.legacy.turns = true, turns
	modern := &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{ProtocolVersion: FirstModern, Capabilities: &mcp.ClientCapabilities{}},
	}}
	if s.legacy.session, err = server.Connect(ctx, s.legacy, nil); err != nil {
		return fmt.Errorf("opening the session: %w", err)
	}
	if s.modern.session, err = server.Connect(ctx, s.modern, modern); err != nil {
		return fmt.Errorf("opening the session: %w", err)
	}
	return nil
}

// read reads lines until the input ends. The last line needs no newline.
func (s *stdio) read(in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines)
		if len(line) > 0 {
			s.routeLine(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the client: %w", err)
		}
	}
}

// readLine returns the next line without its newline, byte order mark and surrounding blanks.
// It truncates an overlong line to a length that parse still rejects.
func readLine(r *bufio.Reader) ([]byte, error) {
	const slack = len("\ufeff\r\n") + 1
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		room := maxFrame + slack - len(line)
		if part = part[:min(room, len(part))]; cap(line)-len(line) < len(part) {
			line = slices.Grow(line, min(room, max(len(part), len(line)))) // append alone would leave five times as much behind
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\ufeff"))
			return bytes.Trim(line, " \t\r"), err
		}
	}
}

// routeLine checks one line and passes it to its connection. It must return soon, because
// answers to the server's own requests come in behind it.
func (s *stdio) routeLine(line []byte) {
	defer func() { // a bug in checking a line must not end the process
		if p := recover(); p != nil {
			s.log.Error("panic while judging a line", "panic", p, "stack", string(debug.Stack()))
			_ = s.writeLine(failed(nil, *rpcError(jsonrpc.CodeInternalError, "internal error")))
		}
	}()
	if s.ending.Err() != nil {
		return
	}
	f, fault := parse(line)
	if fault == nil {
		fault = f.refusal(f.modern)
	}
	switch {
	case fault != nil:
		s.refuse(f.id, fault)
	case f.answer != nil:
		s.legacy.deliverAnswer(f.answer)
	case f.id != nil:
		s.passRequest(f)
	case f.method == cancelled:
		s.cancel(f)
	default:
		s.conn(f).deliver(&jsonrpc.Request{Method: f.method, Params: f.params})
	}
}

// passRequest delivers a request. It rejects a request whose id is in use; the SDK would drop
// it without an answer.
func (s *stdio) passRequest(f frame) {
	c := s.conn(f)
	p := c.open(f)
	if p == nil {
		s.refuse(f.id, invalidRequest("id is in use by a request that is not yet answered"))
		return
	}
	if s.owed.Acquire(s.ending, p.places) == nil {
		c.deliver(&jsonrpc.Request{ID: f.key, Method: f.method, Params: f.params})
	}
}

// cancel marks a request as cancelled. It tells the SDK under the SDK's own spelling of the id,
// because the SDK would take 1.5 for 1.
func (s *stdio) cancel(f frame) {
	id, ok := cancelledID(f.params)
	if !ok {
		return
	}
	for _, c := range []*conn{s.conn(f), s.legacy, s.modern} {
		if c.cancel(id) {
			params, _ := json.Marshal(map[string]any{"requestId": id.Raw()})
			c.deliver(&jsonrpc.Request{Method: cancelled, Params: params})
			return
		}
	}
}

func (s *stdio) conn(f frame) *conn {
	if f.modern {
		return s.modern
	}
	return s.legacy
}

func (s *stdio) refuse(id json.RawMessage, fault *jsonrpc.Error) {
	s.log.Debug("frame refused", "code", fault.Code, "reason", fault.Message)
	_ = s.writeLine(failed(id, *fault)) // ServeStdio itself detects that out is broken
}

// places returns how many places a request takes among the owed ones.
func places(f frame) int64 {
	if methods[f.method].Endless {
		return 0
	}
	return int64(1 + len(f.params)/perPlace)
}

// writeLine writes one line. The first failure is final.
func (s *stdio) writeLine(answer any) error {
	line, err := encodeLine(answer)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.broken.Err() == nil {
		if _, err := s.out.Write(line); err != nil {
			s.fail(errors.E(errors.Disk, "the client takes no more replies: %w; what its calls have written is saved",
				err).
				Hint("log", "", "see what was written, also by calls whose replies are lost"))
		}
		s.pause.Reset(pauseTime)
	}
	return context.Cause(s.broken)
}

// finish ends both sessions. The SDK cancels every call when its input ends, so finish ends the
// input only after every owed answer is written or the time for that is over.
func (s *stdio) finish(ctx context.Context) {
	s.end()
	s.legacy.stopAsking()
	limit := closeLimit
	if !s.awaitOwed(ctx) {
		limit = overdueLimit
	}
	s.hangUp(limit)
}

// awaitOwed waits for the owed answers and reports whether all were written. It does so by
// acquiring all places, since each owed answer holds places until it is written.
func (s *stdio) awaitOwed(ctx context.Context) bool {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), owedLimit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopLimit, cancel) })()
	defer context.AfterFunc(s.broken, cancel)()
	err := s.owed.Acquire(wait, maxOwed)
	if err != nil && s.broken.Err() == nil {
		s.log.Warn("ending with requests unanswered")
	}
	return err == nil
}

// hangUp ends the input of both sessions and waits for their calls to return, at most for
// limit: a tool that ignores its context may take longer.
func (s *stdio) hangUp(limit time.Duration) {
	close(s.legacy.eof)
	close(s.modern.eof)
	gone := make(chan struct{})
	go func() {
		// Their errors are those of out, which ServeStdio returns.
		_ = s.legacy.session.Wait()
		_ = s.modern.session.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(limit):
		s.log.Warn("ending with calls still running")
	}
}
