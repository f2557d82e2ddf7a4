package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"blue/errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxErrorData is how many bytes error.data may have; more is left out, as it
// cannot be cut. error.message is cut at textLimit, whatever its source.
const maxErrorData = 16 << 10

// reply is an answer to the client.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // as the client spelled it; nil is written as null
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

func succeeded(id, result json.RawMessage) reply { return reply{"2.0", id, result, nil} }

// failed answers with an error, cut to what an error may be long.
func failed(id json.RawMessage, fault jsonrpc.Error) reply {
	fault.Message = cut(withoutParams(fault.Message), textLimit)
	if len(fault.Data) > maxErrorData {
		fault.Data = nil
	}
	return reply{"2.0", id, nil, &fault}
}

// encodeLine returns the message as one line with its newline, without the
// escapes for HTML that encoding/json adds by default.
func encodeLine(message any) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(message)
	return line.Bytes(), err
}

// fault gives an error of the SDK the form of the wire. The SDK sends its plain
// errors with code 0, which is none.
func (e *era) fault(method string, err error) jsonrpc.Error {
	wire := jsonrpc.Error{Message: err.Error()}
	if cause, ok := errors.AsType[*jsonrpc.Error](err); ok {
		wire.Code, wire.Data = cause.Code, cause.Data
	}
	if wire.Code == 0 {
		wire.Code = e.code(method)
	}
	return wire
}

// code says what a plain error of the SDK means: before the handshake that
// there was none, or that its params were bad; after it, for initialize, that
// it was the second; else that a method failed.
func (e *era) code(method string) int64 {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch {
	case e.ready && method == "initialize":
		return jsonrpc.CodeInvalidRequest
	case e.ready:
		return jsonrpc.CodeInternalError
	case method == "initialize":
		return jsonrpc.CodeInvalidParams
	case !needsHandshake(method):
		return jsonrpc.CodeMethodNotFound
	}
	return jsonrpc.CodeInvalidRequest
}

// needsHandshake names the methods that exist, but not before the handshake.
// The SDK refuses every method then, and a client that probes for one must
// learn that there is none.
func needsHandshake(method string) bool {
	switch method {
	case "tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete",
		"resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return false
}

// withoutParams drops the params that the SDK quotes, in whole and in part, when
// it cannot decode them: they may hold the body of a note.
func withoutParams(message string) string {
	if head, _, found := strings.Cut(message, `unmarshaling "`); found {
		return head + "params of the wrong shape"
	}
	return message
}
