package exchange

import (
	"os"

	"blue/blue/internal/ref"
)

// shelf holds texts by their blobs: a batch of them in memory, and the others in a file.
type shelf struct {
	dir    string // of the file
	held   map[string][]byte
	size   int // of the texts that are held
	file   *os.File
	end    int64
	places map[string][2]int64 // where a text stands in the file, and its size
}

func newShelf(dir string) *shelf {
	return &shelf{dir: dir, held: map[string][]byte{}, places: map[string][2]int64{}}
}

// put adds a text. Where no file can be written it is held.
func (h *shelf) put(blob string, text []byte) {
	switch {
	case h.has(blob):
	case h.size+len(text) > ref.BatchBytes && h.write(text):
		h.places[blob] = [2]int64{h.end, int64(len(text))}
		h.end += int64(len(text))
	default:
		h.held[blob] = text
		h.size += len(text)
	}
}

func (h *shelf) write(text []byte) bool {
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

func (h *shelf) has(blob string) bool {
	_, held := h.held[blob]
	_, written := h.places[blob]
	return held || written
}

// get returns a text that was put.
func (h *shelf) get(blob string) ([]byte, error) {
	place, written := h.places[blob]
	if !written {
		return h.held[blob], nil
	}
	text := make([]byte, place[1])
	_, err := h.file.ReadAt(text, place[0])
	return text, err
}

func (h *shelf) close() {
	if h.file != nil {
		_ = h.file.Close()
		_ = os.Remove(h.file.Name())
	}
}
