package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
)

// Codes of the transport. Legacy clients know them from other servers; the modern versions
// close their range to new servers.
const (
	codeTransport = -32000
	codeNoSession = -32001
)

// response writes the answer to one request. It turns plain-text errors of the SDK into
// JSON-RPC errors.
type response struct {
	http.ResponseWriter
	id     json.RawMessage // of the request, nil if it has none or could not be read
	modern bool
	turn   *turn // turn of a call that may have to wait for it, or nil

	request string                  // request id, on a server with many callers
	user    string                  // user of the request's token there
	verb    string                  // verb of the call there
	tooMany atomic.Pointer[tooMany] // set if the call was rejected because too many run

	held   int    // status of a plain text that Write turns into JSON
	status int    // status that was sent, 0 before
	reason string // why the request was rejected
}

// tooMany is why a call was rejected, and when to retry it.
type tooMany struct {
	seconds int
	reason  string
}

// Unwrap returns the writer that [http.ResponseController] flushes.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader sends the status. It delays the status of a plain-text error until Write has the
// text.
func (a *response) WriteHeader(status int) {
	kind := a.Header().Get("Content-Type")
	if status >= 400 && strings.HasPrefix(kind, "text/plain") {
		a.held = status
		return
	}
	if strings.HasPrefix(kind, "text/event-stream") {
		a.Header().Set("X-Accel-Buffering", "no") // tell a proxy not to buffer
	}
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *response) Write(p []byte) (int, error) {
	if over := a.tooMany.Swap(nil); over != nil {
		a.refuseFor(http.StatusTooManyRequests, over.seconds, over.reason)
		return len(p), nil
	}
	if a.held != 0 {
		status := a.held
		a.held = 0
		a.refuse(status, a.refusalOf(status, strings.TrimSpace(string(p))))
		return len(p), nil
	}
	if a.turn != nil && a.turn.cancelled {
		a.Header().Del("Content-Type")
		a.WriteHeader(http.StatusAccepted)
		return len(p), nil
	}
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	a.noteReason(p)
	return a.ResponseWriter.Write(p)
}

// refusalOf converts a plain-text error of the SDK.
func (a *response) refusalOf(status int, text string) *jsonrpc.Error {
	switch {
	case status == http.StatusUnauthorized:
		challenge := `Bearer realm="blue"`
		if text == auth.ErrInvalidToken.Error() {
			challenge += `, error="invalid_token"`
		}
		a.Header().Set("WWW-Authenticate", challenge)
	case status == http.StatusNotFound && !a.modern:
		return noSession()
	}
	return a.transportFault(text)
}

func (a *response) transportFault(text string) *jsonrpc.Error {
	if a.modern {
		return rpcError(jsonrpc.CodeInvalidRequest, text)
	}
	return rpcError(codeTransport, text)
}

func noSession() *jsonrpc.Error { return rpcError(codeNoSession, "Session not found") }

// refuse answers with an error. If the id of the request is unknown, legacy answers have the id
// null. Modern answers, and those with status 401 or 403, then have no id.
func (a *response) refuse(status int, fault *jsonrpc.Error) {
	if a.status != 0 {
		return
	}
	capped := failed(a.id, *fault)
	if a.id == nil && (a.modern || status == http.StatusUnauthorized || status == http.StatusForbidden) {
		capped.ID = nil
	}
	a.reason = capped.Error.Message
	body, _ := encodeLine(capped) // encoding an error cannot fail
	a.Header().Del("Content-Length")
	a.Header().Set("Content-Type", "application/json")
	a.WriteHeader(status)
	_, _ = a.ResponseWriter.Write(body) // a client that has disconnected needs no error
}

// noteReason keeps the code of an error of the SDK for the log; its message may quote a note.
func (a *response) noteReason(p []byte) {
	var answer reply
	if a.status >= 400 && json.Unmarshal(p, &answer) == nil && answer.Error != nil {
		a.reason = fmt.Sprint("error ", answer.Error.Code)
	}
}

// StatusOf returns the status of an answer, 0 if none was sent yet.
func StatusOf(w http.ResponseWriter) int { return w.(*response).status }

// finish answers a request whose handler panicked or set an error status without a text.
func (a *response) finish(log *slog.Logger) {
	fault := recover()
	if fault == nil {
		if a.held != 0 {
			_, _ = a.Write(nil) // a status without a text
		}
		return
	}
	if fault == http.ErrAbortHandler {
		panic(fault)
	}
	log.Error("panic while answering", "fault", fault, "stack", string(debug.Stack()))
	a.refuse(http.StatusInternalServerError, rpcError(jsonrpc.CodeInternalError, "internal error (logged)"))
}

// showJSON answers GET and HEAD with a JSON value.
func (a *response) showJSON(r *http.Request, value any) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		a.notAllowed(http.MethodGet, http.MethodHead)
		return
	}
	a.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(a).Encode(value) // a client that has disconnected needs no error
}

func (a *response) notAllowed(verbs ...string) {
	a.Header().Set("Allow", strings.Join(verbs, ", "))
	a.refuse(http.StatusMethodNotAllowed, a.transportFault("Method Not Allowed"))
}

// Limits of an error. Longer data is omitted, because data cannot be truncated.
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

// failed returns a reply with a bounded error. A nil id becomes null.
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

// encodeLine encodes a message as one line with its newline, without the HTML escapes that
// encoding/json adds by default. A result is already encoded and is not scanned again.
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

// faultOf converts an error of the SDK to a JSON-RPC error. Plain errors, such as that of a call
// before the handshake, say that the request is invalid.
func faultOf(err error) jsonrpc.Error {
	fault := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	if cause, ok := errors.AsType[*jsonrpc.Error](err); ok && cause.Code != 0 {
		fault.Code, fault.Data = cause.Code, cause.Data
	}
	return fault
}
