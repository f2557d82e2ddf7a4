// Package wire serves the protocol on a pair of streams: one message a line, the legacy and
// the modern versions of the protocol behind one reader and one locked writer, and every
// answer written that is owed when the input ends.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/mcp/internal/message"
)

// Serve serves the protocol on in and out with two sessions of server, one for the legacy
// versions and one for the modern ones. It returns nil when the input has ended and
// everything owed is answered, or the time for that is over (see finish), or ctx has ended;
// else the error of the stream that failed. It closes in.
//
// No goroutine outlives it but those blocked where nothing can wake them: in a Read of in
// that Close does not end (a terminal, a file), in a Write of out to a client that does not
// read, in a tool that ignores its context.
func Serve(ctx context.Context, server *mcp.Server, in io.ReadCloser, out io.Writer, log *slog.Logger) error {
	s := &stdio{
		log:    log,
		owed:   make(chan struct{}, maxOwed),
		ending: make(chan struct{}),
		broken: make(chan struct{}),
		out:    out,
		rest:   time.AfterFunc(restTime, debug.FreeOSMemory),
	}
	defer s.rest.Stop()
	s.legacy, s.modern = newConn(s), newConn(s)
	s.legacy.asks = true
	if err := s.connect(ctx, server); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.read(in) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-s.broken:
	}
	s.finish(ctx)
	go in.Close() // on Windows it may wait for a pending Read
	select {
	case <-s.broken:
		return errors.Join(err, s.err)
	default:
		return err // a Write may still hold the mutex
	}
}

// connect opens both sessions. The modern one is opened as initialized, so that no request
// of it changes what a later one is answered.
func (s *stdio) connect(ctx context.Context, server *mcp.Server) error {
	modern := &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{ProtocolVersion: message.FirstModern, Capabilities: &mcp.ClientCapabilities{}},
	}}
	s.modern.ready = true
	var err error
	if s.legacy.session, err = server.Connect(ctx, s.legacy, nil); err != nil {
		return fmt.Errorf("opening the session: %w", err)
	}
	if s.modern.session, err = server.Connect(ctx, s.modern, modern); err != nil {
		return fmt.Errorf("opening the session: %w", err)
	}
	return nil
}

// read takes lines until the input ends. A last line needs no newline.
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

// readLine returns the next line without its end, byte order mark and blanks around it. Of
// one that is too long it keeps as much as makes Parse refuse it.
func readLine(r *bufio.Reader) ([]byte, error) {
	const slack = len("\ufeff\r\n") + 1
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		room := message.MaxFrame + slack - len(line)
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

// routeLine judges one line and hands it to the connection that it is for. It must return
// soon: the answers to our own requests come in behind it.
func (s *stdio) routeLine(line []byte) {
	defer s.recoverPanic()
	select {
	case <-s.ending:
		return
	default:
	}
	f, fault := message.Parse(line)
	switch {
	case fault != nil:
		s.refuse(f.ID, fault)
	case f.Answer != nil:
		s.legacy.deliverAnswer(f.Answer)
	case f.ID != nil:
		s.passRequest(f)
	case f.Method == message.Cancelled:
		s.cancel(f)
	default:
		s.conn(f).deliver(&jsonrpc.Request{Method: f.Method, Params: f.Params})
	}
}

// recoverPanic keeps a fault in judging a line from ending the process.
func (s *stdio) recoverPanic() {
	if p := recover(); p != nil {
		s.log.Error("panic while judging a line", "panic", p, "stack", string(debug.Stack()))
		_ = s.writeLine(message.Failed(nil, jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}))
	}
}

// passRequest hands over a request. The SDK would drop one whose id is in use without an
// answer.
func (s *stdio) passRequest(f message.Frame) {
	c := s.conn(f)
	p := c.open(f)
	if p == nil {
		s.refuse(f.ID, message.InvalidRequest("id is in use by a request that is not yet answered"))
		return
	}
	if message.Known(f.Method).Endless || s.reservePlaces(p.places) {
		c.deliverInTurn(p, &jsonrpc.Request{ID: f.Key, Method: f.Method, Params: f.Params})
	}
}
