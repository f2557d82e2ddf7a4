package notesync

import "os"

// spool holds texts by id: the first batchBytes of them in memory, the others in a temporary file.
type spool struct {
	dir    string // of the file
	memory map[string][]byte
	size   int // of the texts in memory
	file   *os.File
	end    int64
	places map[string][2]int64 // offset and size of a text in the file
}

// newSpool returns an empty spool that creates its file in dir.
func newSpool(dir string) *spool {
	return &spool{dir: dir, memory: map[string][]byte{}, places: map[string][2]int64{}}
}

// put adds a text. If the file cannot be written the text stays in memory.
func (s *spool) put(blob string, text []byte) {
	switch {
	case s.has(blob):
	case s.size+len(text) > batchBytes && s.write(text):
		s.places[blob] = [2]int64{s.end, int64(len(text))}
		s.end += int64(len(text))
	default:
		s.memory[blob] = text
		s.size += len(text)
	}
}

func (s *spool) write(text []byte) bool {
	if s.file == nil {
		_ = os.MkdirAll(s.dir, 0o700)
		file, err := os.CreateTemp(s.dir, "texts-*")
		if err != nil {
			return false
		}
		_ = os.Remove(file.Name()) // close does it where open files cannot be removed
		s.file = file
	}
	_, err := s.file.WriteAt(text, s.end)
	return err == nil
}

// has reports whether put was called with blob.
func (s *spool) has(blob string) bool {
	_, inMemory := s.memory[blob]
	_, written := s.places[blob]
	return inMemory || written
}

// get returns a text.
func (s *spool) get(blob string) ([]byte, error) {
	place, written := s.places[blob]
	if !written {
		return s.memory[blob], nil
	}
	text := make([]byte, place[1])
	_, err := s.file.ReadAt(text, place[0])
	return text, err
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
