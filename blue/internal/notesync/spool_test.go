package notesync

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A batch of texts is held, others are read from a file that is gone afterwards; where
// none can be written, nothing is lost.
func TestShelf(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	const size, texts = 1 << 20, 2 * batchBytes >> 20
	text := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, size) }
	for _, dir := range []string{filepath.Join(state, "sync"), filepath.Join(file, "sync")} {
		h := newSpool(dir)
		for i := range texts {
			h.put(fmt.Sprint(i), text(i))
			h.put(fmt.Sprint(i), nil) // it is there
		}
		held := 0
		for _, text := range h.memory {
			held += len(text)
		}
		if written := h.file != nil; written && held > batchBytes || !written && held != texts*size || written != (filepath.Dir(dir) == state) {
			t.Errorf("%s: %d bytes are held, written %v", dir, held, written)
		}
		for i := range texts {
			if got, err := h.get(fmt.Sprint(i)); err != nil || !bytes.Equal(got, text(i)) || !h.has(fmt.Sprint(i)) {
				t.Errorf("%s: text %d has %d bytes, %v", dir, i, len(got), err)
			}
		}
		if h.has("other") {
			t.Error("it has a text that was not put")
		}
		h.close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("it leaves %v", left)
		}
	}
}
