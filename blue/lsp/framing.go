package lsp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"blue/errors"
)

const (
	headerLimit  = 4 << 10  // bytes of a header line
	headersLimit = 20       // header lines of a message
	messageLimit = 16 << 20 // bytes of a message
)

// framing reads and writes messages as the protocol frames them. It is the channel of the JSON-RPC
// library, whose own framing allocates whatever a header announces.
type framing struct {
	in  *bufio.Reader
	out io.Writer
}

// Send implements channel.Channel.
func (f *framing) Send(message []byte) error {
	_, err := fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(message), message)
	return err
}

// Recv implements channel.Channel. A message that is too large is skipped, and an empty one takes
// its place, to which the server answers with an error.
func (f *framing) Recv() ([]byte, error) {
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

// Close implements channel.Channel. The streams belong to the process.
func (f *framing) Close() error { return nil }

// broken returns the error for a stream in which no further message can be found.
func broken(what string) error {
	return errors.E(errors.Invalid, "%s", what).Hint("", "", "restart the language server in the editor")
}
