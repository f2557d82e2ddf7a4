package mcp

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

	"blue/errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxOwed is how many requests may wait for their answers before reading
// pauses. It is far above what runs or queues at once, and bounds what a client
// can pile up that writes and does not read. A large request counts as several: it
// takes a place for each started perPlace bytes, so that few of the largest are in
// memory at once, where each is many times its size while it is decoded.
const (
	maxOwed  = 256
	perPlace = 32 << 10
)

// stdio is one client on a pair of streams: one reader, one locked writer, and
// between them one connection of the SDK for each era of the protocol, because
// the SDK keeps one handshake a connection.
type stdio struct {
	log    *slog.Logger
	legacy *era
	modern *era
	owed   chan struct{} // the places of requests whose answers are not written
	ending chan struct{} // closed when no further request is taken
	broken chan struct{} // closed when out has failed

	mutex sync.Mutex // held while a line is written
	out   io.Writer
	err   error // why out failed
}

// serve serves the protocol on in and out with two sessions of server, one for
// each era. It returns nil when the input has ended and everything owed is
// answered, or the time for that is over (see finish), or ctx has ended; else
// the error of the stream that failed. It closes in.
//
// No goroutine outlives it but those blocked where nothing can wake them: in a
// Read of in that Close does not end (a terminal, a file), in a Write of out to
// a client that does not read, in a tool that ignores its context.
func serve(ctx context.Context, server *mcp.Server, in io.ReadCloser, out io.Writer, log *slog.Logger) error {
	s := &stdio{
		log:    log,
		owed:   make(chan struct{}, maxOwed),
		ending: make(chan struct{}),
		broken: make(chan struct{}),
		out:    out,
	}
	s.legacy, s.modern = newEra(s), newEra(s)
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

// connect opens both sessions. The modern one is opened as initialized, so that
// no request of it changes what a later one is answered.
func (s *stdio) connect(ctx context.Context, server *mcp.Server) error {
	modern := &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{ProtocolVersion: firstModern, Capabilities: &mcp.ClientCapabilities{}},
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
			s.route(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the client: %w", err)
		}
	}
}

// readLine returns the next line without its end, byte order mark and blanks
// around it. Of one that is too long it keeps as much as makes the guard refuse
// it.
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

// route judges one line and hands it to the era that it is for. It must return
// soon: the answers to our own requests come in behind it.
func (s *stdio) route(line []byte) {
	defer s.recovered()
	if s.ended() {
		return
	}
	f, fault := parseFrame(line)
	switch {
	case fault != nil:
		s.refuse(f.id, fault)
	case f.answer != nil:
		s.legacy.answered(f.answer)
	case f.id != nil:
		s.request(f)
	case f.method == methodCancelled:
		s.cancel(f)
	default:
		s.era(f).deliver(&jsonrpc.Request{Method: f.method, Params: f.params})
	}
}

func (s *stdio) ended() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// recovered keeps a fault of the guard from ending the process.
func (s *stdio) recovered() {
	if p := recover(); p != nil {
		s.log.Error("panic in the frame guard", "panic", p, "stack", string(debug.Stack()))
		_ = s.send(failed(nil, jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}))
	}
}

func (s *stdio) refuse(id json.RawMessage, fault *jsonrpc.Error) {
	s.log.Debug("frame refused", "code", fault.Code, "reason", fault.Message)
	_ = s.send(failed(id, *fault)) // that out is broken, serve sees for itself
}

func (s *stdio) era(f frame) *era {
	if f.modern {
		return s.modern
	}
	return s.legacy
}

// request hands over a request. The SDK would drop one whose id is in use
// without an answer.
func (s *stdio) request(f frame) {
	e := s.era(f)
	if !e.open(f) {
		s.refuse(f.id, invalidRequest("id is in use by a request that is not yet answered"))
		return
	}
	if f.method == methodListen || s.reserve(f.places()) {
		e.deliverInTurn(&jsonrpc.Request{ID: f.key, Method: f.method, Params: f.params})
	}
}

// places is how many a request takes among the owed ones.
func (f *frame) places() int { return 1 + len(f.params)/perPlace }

// reserve waits for room for one more owed answer; false when the end came
// first.
func (s *stdio) reserve(places int) bool {
	for taken := range places {
		select {
		case s.owed <- struct{}{}:
		case <-s.ending:
			s.release(taken)
			return false
		}
	}
	return true
}

func (s *stdio) release(places int) {
	for range places {
		<-s.owed
	}
}

// send writes one line. The first failure is final.
func (s *stdio) send(message any) error {
	line, err := encodeLine(message)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, err := s.out.Write(line); err != nil {
		s.err = fmt.Errorf("writing to the client: %w", err)
		close(s.broken)
	}
	return s.err
}
