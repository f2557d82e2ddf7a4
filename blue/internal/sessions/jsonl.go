package sessions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"os"
	"strings"

	"blue/errors"
)

// longestRecord is the length in bytes of the longest line, or array element that is read. A
// longer one is an image or the output of a tool, or it has no end.
const longestRecord = 4 << 20

// lines yields the lines of a file without their ends, in a buffer that the next one overwrites.
// It skips lines longer than longestRecord.
func lines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		in := bufio.NewReaderSize(file, 64<<10)
		var long []byte // a line that is longer than the buffer of in
		skips := false
		for {
			part, err := in.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				if skips = skips || len(long)+len(part) > longestRecord; !skips {
					long = append(long, part...)
				}
				continue
			}
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			line := part
			if len(long) > 0 {
				long = append(long, part...)
				line = long
			}
			line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\ufeff"))
			if !skips && !yield(line, nil) || err == io.EOF {
				return
			}
			long, skips = long[:0], false
		}
	}
}

// messages yields the elements of the array "messages" in a JSON file. Like the end of a line, the end
// of a file may be missing.
func messages(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		in := &limited{in: file}
		values := json.NewDecoder(in)
		if !enterMessages(values, in) {
			return
		}
		for in.allow(); values.More(); in.allow() {
			var element json.RawMessage
			if values.Decode(&element) != nil || !yield(element, nil) {
				return
			}
		}
	}
}

// enterMessages reads up to the first message, and reports whether there are any.
func enterMessages(values *json.Decoder, in *limited) bool {
	in.allow()
	start, _ := values.Token()
	for start == json.Delim('{') && values.More() {
		in.allow()
		name, err := values.Token()
		if err != nil {
			return false
		}
		if name == "messages" {
			array, _ := values.Token()
			return array == json.Delim('[')
		}
		var skipped json.RawMessage
		if values.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

// limited is a reader that fails when longestRecord bytes were read since the last call of allow,
// so that a value without an end does not fill the memory.
type limited struct {
	in   io.Reader
	left int
}

func (l *limited) allow() { l.left = longestRecord }

func (l *limited) Read(to []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the value is too long")
	}
	n, err := l.in.Read(to[:min(len(to), l.left)])
	l.left -= n
	return n, err
}

// A block is a part of a message in the formats of Anthropic, OpenAI and Google.
type block struct {
	Type    string
	Text    string
	Content json.RawMessage // of a tool result
	IsError bool            `json:"is_error"`
	Thought bool            // Google: the text is none that was said
}

// blocks decodes content, which is a text or an array of blocks.
func blocks(content json.RawMessage) (all []block) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	_ = json.Unmarshal(content, &all) // of another shape: it has no text
	return all
}

// texts returns the texts of content.
func texts(content json.RawMessage) string {
	var all []string
	for _, b := range blocks(content) {
		if b.Text != "" && !b.Thought {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n\n")
}
