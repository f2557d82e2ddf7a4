// Package transport serves the Model Context Protocol on stdio and over HTTP. Both hand
// messages to sessions of the SDK, after checks that the SDK does not make.
//
// On stdio two connections of the SDK, one for the legacy and one for the modern versions,
// share one reader and one locked writer; every answer that is owed when the input ends is
// still written. Over HTTP the SDK's handlers run behind the checks of docs/http.md. The
// sessions of the legacy versions and the single requests of the modern ones share one URL.
package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
)

// Limits of one frame.
const (
	maxFrame = 4 << 20 // bytes of a line without its newline
	maxDepth = 100     // nested objects and arrays, the message itself included
)

// frame is one JSON-RPC message as it was read. The SDK gets these values and never the
// line, so that the two cannot read one line differently.
type frame struct {
	id     json.RawMessage   // as the client spelled it; nil if there is none
	key    jsonrpc.ID        // the same id for the SDK
	method string            // of a request or notification
	params json.RawMessage   // as prepareParams leaves them
	modern bool              // params._meta names a modern version
	answer *jsonrpc.Response // the client's answer to a request of the server, or nil
}

// parse reads and checks one line, given without its newline, byte order mark or surrounding
// blanks. The caller sends a fault under the id of the frame, or null if that is nil. The SDK
// would end a stdio connection at the first line that is no message.
func parse(line []byte) (f frame, fault *jsonrpc.Error) {
	if len(line) > maxFrame {
		return f, invalidRequest("frame over %d bytes", maxFrame)
	}
	if !utf8.Valid(line) {
		return f, rpcError(jsonrpc.CodeParseError, "frame is not UTF-8")
	}
	deep := deepestNesting(line) > maxDepth
	if !deep && !json.Valid(line) {
		return f, rpcError(jsonrpc.CodeParseError, "frame is not one JSON value")
	}
	m, repeated := Members(line)
	id, named := m["id"]
	if key, ok := requestID(id); ok && repeated != "id" {
		f.id, f.key = id, key
	}
	_, asks := m["method"]
	_, succeeded := m["result"]
	_, failed := m["error"]
	answers := !asks && (succeeded || failed)
	switch {
	case deep:
		fault = invalidRequest("frame nests deeper than %d", maxDepth)
	case m == nil:
		fault = invalidRequest("frame is not a JSON object; batches are not taken")
	case repeated != "":
		fault = invalidRequest("member %q comes twice", errors.Cut(repeated, 80))
	case string(m["jsonrpc"]) != `"2.0"`:
		fault = invalidRequest(`member "jsonrpc" must be "2.0"`)
	case answers && failed && string(id) == "null":
		f.readAnswer(m) // the client could not read a line of ours
	case named && f.id == nil:
		fault = invalidRequest("id must be a string or an integer of at most %d", maxID)
	case asks:
		fault = f.readRequest(m["method"], m["params"])
	case failed, succeeded && named:
		f.readAnswer(m)
	default:
		fault = invalidRequest("neither a method nor an answer with an id")
	}
	if fault != nil && answers {
		f.id = nil // the id is that of our own request
	}
	return f, fault
}

// readRequest sets the method and params of a request or notification.
func (f *frame) readRequest(method, params json.RawMessage) *jsonrpc.Error {
	var ok bool
	if f.method, ok = stringOf(method); !ok {
		return invalidRequest("method must be a string")
	}
	if f.id != nil && strings.HasPrefix(f.method, "notifications/") {
		return invalidRequest("a notification has no id")
	}
	if f.id != nil && f.method != initialize && (params == nil || string(params) == "null") {
		params = json.RawMessage("{}")
	}
	f.params = params
	members, repeated := Members(params)
	if repeated != "" {
		return rpcError(jsonrpc.CodeInvalidParams, fmt.Sprintf("params hold %q twice", errors.Cut(repeated, 80)))
	}
	f.prepareParams(members)
	return nil
}

// readAnswer sets the answer. If its error is malformed it is still an answer: the call that
// waits for it must not wait on.
func (f *frame) readAnswer(m map[string]json.RawMessage) {
	f.answer = &jsonrpc.Response{ID: f.key, Result: m["result"]}
	if fault := m["error"]; fault != nil && string(fault) != "null" {
		wire := new(jsonrpc.Error)
		if json.Unmarshal(fault, wire) != nil {
			wire = invalidRequest("the client answered with a malformed error")
		}
		f.answer.Error = wire
	}
}

// maxID bounds the ids that are numbers: the SDK decodes them as float64, which rounds larger
// integers.
const maxID = 1<<53 - 1

// requestID reads an id: a string, or an integer in plain digits of at most maxID.
func requestID(raw json.RawMessage) (id jsonrpc.ID, ok bool) {
	var value any
	if s, ok := stringOf(raw); ok {
		value = s
	} else if n, err := strconv.ParseInt(string(raw), 10, 64); err != nil || n < -maxID || n > maxID {
		return jsonrpc.ID{}, false
	} else {
		value = float64(n)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

// Members returns the members of a JSON object as far as it is valid, nil for any other value.
// It also returns the name of a member that occurs twice: JSON decoders take the last value,
// and it is unknown which one the client meant.
func Members(object json.RawMessage) (members map[string]json.RawMessage, repeated string) {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, ""
	}
	members = map[string]json.RawMessage{}
	for d.More() {
		var value json.RawMessage
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok || d.Decode(&value) != nil {
			break
		}
		if _, seen := members[name]; seen {
			repeated = name
		}
		members[name] = value
	}
	return members, repeated
}

// stringOf decodes a JSON string and nothing else.
func stringOf(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// EncodeObject encodes an object. It cannot fail, since every value was decoded from JSON
// before.
func EncodeObject(object map[string]json.RawMessage) json.RawMessage {
	encoded, _ := json.Marshal(object)
	return encoded
}

// deepestNesting returns the deepest nesting of a line, which need not be valid JSON. It does
// not recurse.
func deepestNesting(line []byte) (deepest int) {
	var now int
	var quoted, escaped bool
	for _, b := range line {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = b == '\\', b != '"'
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			now++
			deepest = max(deepest, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return deepest
}

func rpcError(code int64, text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: text}
}

// invalidRequest returns the error for a value that is no message, or for a message that cannot
// be accepted now.
func invalidRequest(format string, args ...any) *jsonrpc.Error {
	return rpcError(jsonrpc.CodeInvalidRequest, fmt.Sprintf(format, args...))
}
