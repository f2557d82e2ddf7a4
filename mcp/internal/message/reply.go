package message

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
)

// Bounds of an error. One whose data is longer goes without, as data cannot be cut.
const (
	MaxErrorText = 2 << 10
	MaxErrorData = 16 << 10
)

// Reply is an answer to the client.
type Reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // as the client spelled it
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// Succeeded answers with a result.
func Succeeded(id, result json.RawMessage) Reply { return Reply{"2.0", id, result, nil} }

// Failed answers with an error, cut to what an error may be long. Without an id that is
// null.
func Failed(id json.RawMessage, fault jsonrpc.Error) Reply {
	inOwnWords(&fault)
	fault.Message = errors.Cut(fault.Message, MaxErrorText)
	if len(fault.Data) > MaxErrorData {
		fault.Data = nil
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return Reply{"2.0", id, nil, &fault}
}

// inOwnWords says what is wrong with params in the place of the SDK, which names its own
// steps and quotes params that it cannot decode, in whole: they may hold the body of a note.
func inOwnWords(fault *jsonrpc.Error) {
	switch {
	case strings.Contains(fault.Message, `missing required "params"`):
		fault.Message = "the request needs params, one object"
	case strings.Contains(fault.Message, `unmarshaling "`):
		fault.Message = "params of the wrong shape"
	case fault.Code == jsonrpc.CodeMethodNotFound && strings.Contains(fault.Message, `"`):
		_, name, _ := strings.Cut(fault.Message, `"`)
		name, _, _ = strings.Cut(name, `"`)
		fault.Message = "no method " + errors.Cut(name, 100)
	}
}

// EncodeLine returns a message as one line with its newline, without the escapes for HTML
// that encoding/json adds by default. A result has been encoded before, and is not looked
// through again.
func EncodeLine(message any) ([]byte, error) {
	if r, ok := message.(Reply); ok && r.Result != nil {
		return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), r.ID, []byte(`,"result":`), r.Result, []byte("}\n")), nil
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(message)
	return line.Bytes(), err
}
