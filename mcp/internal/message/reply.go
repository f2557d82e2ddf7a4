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
	fault.Message = errors.Cut(withoutParams(fault.Message), MaxErrorText)
	if len(fault.Data) > MaxErrorData {
		fault.Data = nil
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return Reply{"2.0", id, nil, &fault}
}

// withoutParams drops the params that the SDK quotes, in whole and in part, when it cannot
// decode them: they may hold the body of a note.
func withoutParams(text string) string {
	if head, _, found := strings.Cut(text, `unmarshaling "`); found {
		return head + "params of the wrong shape"
	}
	return text
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
