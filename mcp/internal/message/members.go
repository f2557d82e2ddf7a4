package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// eachMember visits the members of an object as far as it is JSON, and reports whether it
// is an object at all.
func eachMember(object json.RawMessage, visit func(name string, value json.RawMessage)) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			break
		}
		visit(fmt.Sprint(name), value)
	}
	return true
}

// RepeatedMember is a name that stands twice in an object, empty when there is none. Which
// of two values was meant nobody can know, and JSON decoders take the last.
func RepeatedMember(object json.RawMessage) (repeated string) {
	seen := map[string]bool{}
	eachMember(object, func(name string, _ json.RawMessage) {
		if seen[name] {
			repeated = name
		}
		seen[name] = true
	})
	return repeated
}

// members are the members of a message that JSON-RPC gives a meaning. Others are ignored.
type members struct {
	object bool
	values map[string]json.RawMessage
	odd    string // a name that came twice, or in another case: its value is nil
}

func readMembers(line []byte) members {
	m := members{values: map[string]json.RawMessage{}}
	m.object = eachMember(line, m.keepMember)
	return m
}

func (m *members) keepMember(name string, value json.RawMessage) {
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

// checkMembers says what keeps the members from being a message; known tells whether the id
// is a valid one.
func (m *members) checkMembers(known bool) *jsonrpc.Error {
	id, named := m.values["id"]
	_, failed := m.values["error"]
	switch {
	case !m.object:
		return InvalidRequest("frame is not a JSON object; batches are not taken")
	case m.odd != "":
		return InvalidRequest("member %q comes twice or in another case", m.odd)
	case string(m.values["jsonrpc"]) != `"2.0"`:
		return InvalidRequest(`member "jsonrpc" must be "2.0"`)
	case string(id) == "null" && failed && m.answers():
		return nil // a client that could not read a line of ours says so
	case named && !known:
		return InvalidRequest("id must be a string or a 64-bit integer")
	}
	return nil
}

// answers reports whether the members are an answer to a request of ours.
func (m *members) answers() bool {
	_, method := m.values["method"]
	_, result := m.values["result"]
	_, fault := m.values["error"]
	return !method && (result || fault)
}

// Text reads a JSON string and nothing else.
func Text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// EncodeObject cannot fail: every value has been decoded from JSON before.
func EncodeObject(object map[string]json.RawMessage) json.RawMessage {
	encoded, _ := json.Marshal(object)
	return encoded
}

// deepestNesting counts the deepest nesting of a line that need not be JSON, without
// recursion.
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
