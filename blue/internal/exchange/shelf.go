package exchange

import (
	"os"

	"blue/blue/internal/ref"
)

// Shelf holds texts by their blobs: a batch of them in memory, and the others in a file.
type Shelf struct {
	dir    string // of the file
	held   map[string][]byte
	size   int // of the texts that are held
	file   *os.File
	end    int64
	places map[string][2]int64 // where a text stands in the file, and its size
}

// NewShelf is an empty one, whose file would lie in a directory.
func NewShelf(dir string) *Shelf {
	return &Shelf{dir: dir, held: map[string][]byte{}, places: map[string][2]int64{}}
}

// Put adds a text. Where no file can be written it is held.
func (h *Shelf) Put(blob string, text []byte) {
	switch {
	case h.Has(blob):
	case h.size+len(text) > ref.BatchBytes && h.write(text):
		h.places[blob] = [2]int64{h.end, int64(len(text))}
		h.end += int64(len(text))
	default:
		h.held[blob] = text
		h.size += len(text)
	}
}

func (h *Shelf) write(text []byte) bool {
	if h.file == nil {
		_ = os.MkdirAll(h.dir, 0o700)
		file, err := os.CreateTemp(h.dir, "texts-*")
		if err != nil {
			return false
		}
		_ = os.Remove(file.Name()) // at close where an open file cannot go
		h.file = file
	}
	_, err := h.file.WriteAt(text, h.end)
	return err == nil
}

// Has reports whether there is a text.
func (h *Shelf) Has(blob string) bool {
	_, held := h.held[blob]
	_, written := h.places[blob]
	return held || written
}

// Get returns a text that was put.
func (h *Shelf) Get(blob string) ([]byte, error) {
	place, written := h.places[blob]
	if !written {
		return h.held[blob], nil
	}
	text := make([]byte, place[1])
	_, err := h.file.ReadAt(text, place[0])
	return text, err
}

// Close gives up the file.
func (h *Shelf) Close() {
	if h.file != nil {
		_ = h.file.Close()
		_ = os.Remove(h.file.Name())
	}
}
