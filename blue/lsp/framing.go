package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"

	"blue/errors"
)

const (
	headerLimit  = 4 << 10  // bytes of a header line
	headersLimit = 20       // header lines of a message
	messageLimit = 16 << 20 // bytes of a message
)

// framing reads and writes messages as the protocol frames them.
type framing struct {
	in  *bufio.Reader
	mu  sync.Mutex // held while a message is written
	out io.Writer
}

// send writes a message. If it fails, the client is gone and reading ends too.
func (f *framing) send(message map[string]any) {
	data, _ := json.Marshal(message)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(data), data)
}

// receive reads a message. One that is too large is skipped, and an empty one takes its place, which
// is answered by an error.
func (f *framing) receive() ([]byte, error) {
	size := int64(-1)
	for lines := 0; ; lines++ {
		line, err := f.in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 && lines == 0 {
			return nil, err
		} else if err != nil || lines > headersLimit {
			return nil, broken("the client ended a header of the protocol too early or too late")
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			if size, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err != nil {
				size = -1
			}
		}
	}
	if size < 0 {
		return nil, broken("the client sent a message without a valid Content-Length")
	}
	if size > messageLimit {
		if _, err := io.CopyN(io.Discard, f.in, size); err != nil {
			return nil, err
		}
		return []byte("{}"), nil
	}
	message := make([]byte, size)
	if _, err := io.ReadFull(f.in, message); err != nil {
		return nil, broken("the client ended in the middle of a message")
	}
	return message, nil
}

// broken returns the error for a stream in which no further message can be found.
func broken(what string) error {
	return errors.E(errors.Invalid, "%s", what).Hint("", "", "restart the language server in the editor")
}
