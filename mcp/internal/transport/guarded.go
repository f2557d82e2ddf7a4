package transport

import (
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"blue/errors"
)

// Pages is what a server has for browsers. Both functions are nil for a server without.
type Pages struct {
	Serves func(path string) bool
	Serve  http.HandlerFunc
}

func (p Pages) has(path string) bool { return p.Serves != nil && p.Serves(path) }

// StatusOf is the status with which a request was answered, 0 before.
func StatusOf(w http.ResponseWriter) int { return w.(*response).status }

// CallerOfRequest is whom Verify found for the token of a request, nil without one.
func CallerOfRequest(r *http.Request) any {
	if known := auth.TokenInfoFromContext(r.Context()); known != nil {
		return known.Extra[callerKey]
	}
	return nil
}

// ReadBody reads the body of a guarded route, within the time of any body. The error is of
// kind too_large or timeout.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a connection that is gone needs none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, errors.BodyTooLarge(limit)
	}
	if err != nil {
		return nil, errors.BodyLate()
	}
	_ = control.SetReadDeadline(time.Time{})
	return body, nil
}
