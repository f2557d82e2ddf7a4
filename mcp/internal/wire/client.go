package wire

import (
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
	"blue/mcp/internal/message"
)

// maxOwed is how many requests may wait for their answers before reading pauses. It is far
// above what runs or queues at once, and bounds what a client can pile up that writes and
// does not read. A large request counts as several: it takes a place for each started
// perPlace bytes, so that few of the largest are in memory at once, where each is many
// times its size while it is decoded.
const (
	maxOwed  = 256
	perPlace = 32 << 10
)

// stdio is one client on a pair of streams: one reader, one locked writer, and between them
// one connection of the SDK for the legacy versions of the protocol and one for the modern
// ones, because the SDK keeps one handshake a connection.
type stdio struct {
	log    *slog.Logger
	legacy *conn
	modern *conn
	owed   chan struct{} // the places of requests whose answers are not written
	ending chan struct{} // closed when no further request is taken
	broken chan struct{} // closed when out has failed

	mutex sync.Mutex // held while a line is written
	out   io.Writer
	err   error       // why out failed
	rest  *time.Timer // gives memory back
}

// restTime is how long after its last answer a server gives back the memory that the runtime
// keeps for the next one.
const restTime = time.Second

func (s *stdio) conn(f message.Frame) *conn {
	if f.Modern {
		return s.modern
	}
	return s.legacy
}

func (s *stdio) refuse(id json.RawMessage, fault *jsonrpc.Error) {
	s.log.Debug("frame refused", "code", fault.Code, "reason", fault.Message)
	_ = s.writeLine(message.Failed(id, *fault)) // that out is broken, Serve sees for itself
}

// places is how many a request takes among the owed ones.
func places(f message.Frame) int { return 1 + len(f.Params)/perPlace }

// reservePlaces waits for room for one more owed answer; false when the end came first.
func (s *stdio) reservePlaces(places int) bool {
	for taken := range places {
		select {
		case s.owed <- struct{}{}:
		case <-s.ending:
			s.releasePlaces(taken)
			return false
		}
	}
	return true
}

func (s *stdio) releasePlaces(places int) {
	for range places {
		<-s.owed
	}
}

// writeLine writes one line. The first failure is final.
func (s *stdio) writeLine(answer any) error {
	line, err := message.EncodeLine(answer)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, err := s.out.Write(line); err != nil {
		s.err = errors.ClientLost(err)
		close(s.broken)
	}
	s.rest.Reset(restTime)
	return s.err
}
