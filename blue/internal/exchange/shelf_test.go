package exchange

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/ref"
)

// R029: a batch of texts is held, others are read from a file that is gone afterwards; where
// none can be written, nothing is lost.
func TestR029Shelf(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const size, texts = 1 << 20, 2 * ref.BatchBytes >> 20
	text := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, size) }
	for _, dir := range []string{filepath.Join(state, "sync"), filepath.Join(file, "sync")} {
		h := NewShelf(dir)
		for i := range texts {
			h.Put(fmt.Sprint(i), text(i))
			h.Put(fmt.Sprint(i), nil) // it is there
		}
		held := 0
		for _, text := range h.held {
			held += len(text)
		}
		if written := h.file != nil; written && held > ref.BatchBytes || !written && held != texts*size || written != (filepath.Dir(dir) == state) {
			t.Errorf("%s: %d bytes are held, written %v", dir, held, written)
		}
		for i := range texts {
			if got, err := h.Get(fmt.Sprint(i)); err != nil || !bytes.Equal(got, text(i)) || !h.Has(fmt.Sprint(i)) {
				t.Errorf("%s: text %d has %d bytes, %v", dir, i, len(got), err)
			}
		}
		if h.Has("other") {
			t.Error("it has a text that was not put")
		}
		h.Close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("it leaves %v", left)
		}
	}
}
