package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Bounds of an error. One whose data is longer goes without, as data cannot be cut.
const (
	maxErrorText = 2 << 10
	maxErrorData = 16 << 10
)

// reply is an answer to the client.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // as the client spelled it
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// failed returns the reply with an error, within the bounds of errors. Without an id that is
// null.
func failed(id json.RawMessage, fault jsonrpc.Error) reply {
	fault.Message = errors.Cut(fault.Message, maxErrorText)
	if len(fault.Data) > maxErrorData {
		fault.Data = nil
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return reply{"2.0", id, nil, &fault}
}

// encodeLine returns a message as one line with its newline, without the escapes for HTML
// that encoding/json adds by default. A result has been encoded before, and is not looked
// through again.
func encodeLine(message any) ([]byte, error) {
	if r, ok := message.(reply); ok && r.Result != nil {
		return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), r.ID, []byte(`,"result":`), r.Result, []byte("}\n")), nil
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(message)
	return line.Bytes(), err
}

// faultOf returns an error with the code that plain errors of the SDK lack, within the bounds
// of errors.
func faultOf(err error, code int64) *jsonrpc.Error {
	fault := jsonrpc.Error{Code: code, Message: err.Error()}
	if cause, ok := errors.AsType[*jsonrpc.Error](err); ok && cause.Code != 0 {
		fault.Code, fault.Data = cause.Code, cause.Data
	}
	return failed(nil, fault).Error
}

// Faults is middleware that gives every error of a method its code and its bounds.
func Faults(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		if err == nil {
			return r, nil
		}
		code := int64(jsonrpc.CodeInternalError)
		if method == initialize { // the second one of a session
			code = jsonrpc.CodeInvalidRequest
		}
		return nil, faultOf(err, code)
	}
}
