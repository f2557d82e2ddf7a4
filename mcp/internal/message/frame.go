// Package message is one JSON-RPC message of the Model Context Protocol, whatever carries
// it: how it is read, what is known of its method, in which order the calls of a session
// are made, and how an answer is written.
package message

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
)

// Bounds of one frame.
const (
	MaxFrame = 4 << 20 // bytes of a line without its end
	maxDepth = 100     // objects and arrays inside each other, the message itself included
)

// Frame is one message as it was read. The SDK is handed these values and never the line,
// so that the two cannot read one line differently.
type Frame struct {
	ID      json.RawMessage   // as the client spelled it; nil when there is none
	Key     jsonrpc.ID        // the same id for the SDK
	Method  string            // of a request or notification
	Params  json.RawMessage   // as prepareParams leaves them
	Version json.RawMessage   // that params._meta names, nil when it names none
	Modern  bool              // that is a modern version
	Answer  *jsonrpc.Response // the client's answer to a request of ours, else nil
}

// Parse reads one line, without its end, byte order mark or blanks around it, and checks
// it. A fault is the error to answer with, under the id of the frame, or null when that is
// nil: what is not JSON has no id, what nests too deep the one before that.
func Parse(line []byte) (Frame, *jsonrpc.Error) {
	if len(line) > MaxFrame {
		return Frame{}, InvalidRequest("frame over %d bytes", MaxFrame)
	}
	if !utf8.Valid(line) {
		return Frame{}, notJSON("frame is not UTF-8")
	}
	deep := deepestNesting(line) > maxDepth
	if !deep && !json.Valid(line) {
		return Frame{}, notJSON("frame is not one JSON value")
	}
	m := readMembers(line)
	f := Frame{}
	var known bool
	if f.Key, known = requestID(m.values["id"]); known {
		f.ID = m.values["id"]
	}
	fault := m.checkMembers(known)
	if deep {
		fault = InvalidRequest("frame nests deeper than %d", maxDepth)
	}
	if fault == nil {
		fault = f.readRequest(m.values)
	}
	if fault != nil && m.answers() {
		f.ID = nil // it names a request of ours, not one that waits for us
	}
	return f, fault
}

// readRequest takes over the members of a message or of an answer.
func (f *Frame) readRequest(m map[string]json.RawMessage) *jsonrpc.Error {
	method, ok := m["method"]
	if !ok {
		return f.readAnswer(m)
	}
	if f.Method, ok = Text(method); !ok {
		return InvalidRequest("method must be a string")
	}
	if f.ID != nil && strings.HasPrefix(f.Method, "notifications/") {
		return InvalidRequest("a notification has no id")
	}
	f.Params = m["params"]
	if name := RepeatedMember(f.Params); name != "" {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("params hold %q twice", errors.Cut(name, 80))}
	}
	f.prepareParams()
	return nil
}

// readAnswer reads an answer. One with an error that is no error object is still an answer:
// the call that waits for it must not wait on.
func (f *Frame) readAnswer(m map[string]json.RawMessage) *jsonrpc.Error {
	result, succeeded := m["result"]
	fault, failed := m["error"]
	if !succeeded && !failed || !failed && f.ID == nil {
		return InvalidRequest("neither a method nor an answer with an id")
	}
	f.Answer = &jsonrpc.Response{ID: f.Key, Result: result}
	if !failed || string(fault) == "null" {
		return nil
	}
	wire := new(jsonrpc.Error)
	if json.Unmarshal(fault, wire) != nil {
		wire = InvalidRequest("the client answered with a malformed error")
	}
	f.Answer.Error = wire
	return nil
}

// requestID reads an id: a string, or an integer of 64 bits in plain digits. The SDK holds
// numbers as float64 on the way in, so that an integer it would round travels as a string
// that no sane client sends.
func requestID(raw json.RawMessage) (id jsonrpc.ID, ok bool) {
	var value any
	if s, ok := Text(raw); ok {
		value = s
	} else if n, err := strconv.ParseInt(string(raw), 10, 64); err != nil {
		return jsonrpc.ID{}, false
	} else if value = float64(n); math.Abs(float64(n)) >= 1<<53 {
		value = "\x00" + string(raw)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

func notJSON(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: text}
}

// InvalidRequest is the fault of what is no message, or of one that cannot be taken now.
func InvalidRequest(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}
