package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Bounds of one frame.
const (
	maxFrame = 4 << 20 // bytes of a line without its end
	maxDepth = 100     // objects and arrays inside each other, the message itself included
)

// methodCancelled is the one notification whose receiver is named by an id.
const methodCancelled = "notifications/cancelled"

// frame is one message as the guard read it. The SDK is handed these values and
// never the line, so that the two cannot read one line differently.
type frame struct {
	id     json.RawMessage   // as the client spelled it; nil when there is none
	key    jsonrpc.ID        // the same id for the SDK
	method string            // of a request or notification
	params json.RawMessage   // rewritten by prepare
	modern bool              // params._meta names revision 2026-07-28 or later
	answer *jsonrpc.Response // the client's answer to a request of ours, else nil
}

// parseFrame reads one line, without its end, byte order mark or blanks around
// it, and makes the checks of a frame in their order. A fault
// is the error to answer with, under the id of the frame, or null when that is
// nil: what is not JSON has no id, what nests too deep the one before that.
func parseFrame(line []byte) (frame, *jsonrpc.Error) {
	if len(line) > maxFrame {
		return frame{}, invalidRequest("frame over %d bytes", maxFrame)
	}
	if !utf8.Valid(line) {
		return frame{}, notJSON("frame is not UTF-8")
	}
	deep := nesting(line) > maxDepth
	if !deep && !json.Valid(line) {
		return frame{}, notJSON("frame is not one JSON value on one line")
	}
	m := readMembers(line)
	f := frame{}
	var known bool
	if f.key, known = requestID(m.values["id"]); known {
		f.id = m.values["id"]
	}
	fault := m.check(known)
	if deep {
		fault = invalidRequest("frame nests deeper than %d", maxDepth)
	}
	if fault == nil {
		fault = f.fill(m.values)
	}
	if fault != nil && m.answers() {
		f.id = nil // it names a request of ours, not one that waits for us
	}
	return f, fault
}

// repeatedMember is a name that stands twice in an object, empty when there is none. Which
// of two values was meant nobody can know, and JSON decoders take the last.
func repeatedMember(object json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	seen := map[string]bool{}
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			return ""
		}
		if seen[fmt.Sprint(name)] {
			return fmt.Sprint(name)
		}
		seen[fmt.Sprint(name)] = true
	}
	return ""
}

// members are the members of a message that JSON-RPC gives a meaning. Others
// are ignored.
type members struct {
	object bool
	values map[string]json.RawMessage
	odd    string // a name that came twice, or in another case: its value is nil
}

// readMembers reads as far as the line is JSON.
func readMembers(line []byte) members {
	m := members{values: map[string]json.RawMessage{}}
	d := json.NewDecoder(bytes.NewReader(line))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return m
	}
	m.object = true
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			return m
		}
		m.add(fmt.Sprint(name), value)
	}
	return m
}

func (m *members) add(name string, value json.RawMessage) {
	for _, known := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if !strings.EqualFold(name, known) {
			continue
		}
		if _, seen := m.values[known]; seen || name != known {
			m.odd, value = known, nil
		}
		m.values[known] = value
		return
	}
}

// check says what keeps the members from being a message; known tells whether
// the id is a valid one.
func (m *members) check(known bool) *jsonrpc.Error {
	id, named := m.values["id"]
	_, failed := m.values["error"]
	switch {
	case !m.object:
		return invalidRequest("frame is not a JSON object; batches are not taken")
	case m.odd != "":
		return invalidRequest("member %q comes twice or in another case", m.odd)
	case string(m.values["jsonrpc"]) != `"2.0"`:
		return invalidRequest(`member "jsonrpc" must be "2.0"`)
	case string(id) == "null" && failed && m.answers():
		return nil // a client that could not read a line of ours says so
	case named && !known:
		return invalidRequest("id must be a string or a 64-bit integer")
	}
	return nil
}

func (m *members) answers() bool {
	_, method := m.values["method"]
	_, result := m.values["result"]
	_, fault := m.values["error"]
	return !method && (result || fault)
}

// fill takes over the members of a message or of an answer.
func (f *frame) fill(m map[string]json.RawMessage) *jsonrpc.Error {
	method, ok := m["method"]
	if !ok {
		return f.fillAnswer(m)
	}
	if f.method, ok = jsonString(method); !ok {
		return invalidRequest("method must be a string")
	}
	if f.id != nil && strings.HasPrefix(f.method, "notifications/") {
		return invalidRequest("a notification has no id")
	}
	f.params = m["params"]
	if name := repeatedMember(f.params); name != "" {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("params hold %q twice", cut(name, 80))}
	}
	f.prepare()
	return nil
}

// fillAnswer reads an answer. One with an error that is no error object is
// still an answer: the call that waits for it must not wait on.
func (f *frame) fillAnswer(m map[string]json.RawMessage) *jsonrpc.Error {
	result, succeeded := m["result"]
	fault, failed := m["error"]
	if !succeeded && !failed || !failed && f.id == nil {
		return invalidRequest("neither a method nor an answer with an id")
	}
	f.answer = &jsonrpc.Response{ID: f.key, Result: result}
	if !failed || string(fault) == "null" {
		return nil
	}
	wire := new(jsonrpc.Error)
	if json.Unmarshal(fault, wire) != nil {
		wire = invalidRequest("the client answered with a malformed error")
	}
	f.answer.Error = wire
	return nil
}

// requestID reads an id: a string, or an integer of 64 bits in plain digits.
// The SDK holds numbers as float64 on the way in, so that an integer it would
// round travels as a string that no sane client sends.
func requestID(raw json.RawMessage) (id jsonrpc.ID, ok bool) {
	var value any
	if s, ok := jsonString(raw); ok {
		value = s
	} else if n, err := strconv.ParseInt(string(raw), 10, 64); err != nil {
		return jsonrpc.ID{}, false
	} else if value = float64(n); math.Abs(float64(n)) >= 1<<53 {
		value = "\x00" + string(raw)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

// jsonString reads a JSON string and nothing else.
func jsonString(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// nesting counts the deepest nesting of a line that need not be JSON, without
// recursion.
func nesting(line []byte) (deepest int) {
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

func notJSON(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}
