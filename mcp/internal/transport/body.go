package transport

import (
	"io"
	"net/http"
	"time"

	"blue/errors"
)

// readBody reads the whole body within the limits of time and size, or rejects the request.
func (s *Server) readBody(a *response, r *http.Request) ([]byte, bool) {
	body, err := readWithin(a, r, maxBody, s.BodyTime)
	if err == nil {
		return body, true
	}
	a.Header().Set("Connection", "close")
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		a.refuse(http.StatusRequestEntityTooLarge, a.transportFault("body over 1 MiB"))
	} else {
		a.refuse(http.StatusRequestTimeout, a.transportFault("the body did not come in time"))
	}
	return nil, false
}

// ReadBody reads the body of a guarded route, within the time limit of any body. The kind of
// the error is TooLarge or Timeout.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := readWithin(w, r, limit, bodyTime)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, errors.E(errors.TooLarge, "the request is over %d MiB", limit>>20).
			Hint("", "", "send fewer notes in each")
	}
	if err != nil {
		return nil, errors.E(errors.Timeout, "the request did not come in time").Hint("", "", "try again")
	}
	return body, nil
}

// readWithin reads a body of at most limit bytes within a time. Streams live longer than that, so
// the server as a whole has no such limit.
func readWithin(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(within)) // a closed connection needs none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
	}
	return body, err
}
