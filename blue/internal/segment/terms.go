package segment

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sort"
	"unicode/utf8"

	"blue/blue/internal/words"
)

// The table of terms is sorted and divided into blocks of blockTerms. For each block an entry has
// its offsets in terms and in data. A term is encoded as the number of bytes that it shares with
// the previous term (one byte, 0 at the beginning of a block), the number of its remaining bytes,
// the size of its data, and its remaining bytes. The data of the terms is stored in the same order,
// so that a reader of the table knows the offset of each.
const (
	blockTerms = 8
	entrySize  = 8
)

type termTable struct {
	terms  int // so far
	before []byte
	line   []byte
}

// addTerm returns a term as encoded in the table, valid until the next call, and whether it begins
// a block.
func (t *termTable) addTerm(key string, size int) (line []byte, block bool) {
	shared := 0
	if block = t.terms%blockTerms == 0; !block {
		shared = min(commonPrefix(t.before, key), math.MaxUint8)
	}
	t.terms++
	t.before = append(t.before[:0], key...)
	t.line = binary.AppendUvarint(append(t.line[:0], byte(shared)), uint64(len(key)-shared))
	t.line = append(binary.AppendUvarint(t.line, uint64(size)), key[shared:]...)
	return t.line, block
}

// commonPrefix returns the length of the common prefix of two texts.
func commonPrefix(a []byte, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// TermIterator iterates over the terms of a segment in ascending order.
type TermIterator struct {
	Key   []byte // the term, valid until the next one; empty after the last
	Data  []byte // of the term, see segment.go
	terms []byte // rest of the table
	data  []byte // rest of the data
}

// HasPrefix reports whether the term begins with text.
func (w *TermIterator) HasPrefix(text string) bool {
	return len(w.Key) >= len(text) && string(w.Key[:len(text)]) == text
}

// NextTerm moves to the next term.
func (w *TermIterator) NextTerm() {
	if len(w.terms) == 0 {
		w.Key = w.Key[:0]
		return
	}
	own, rest := uvarint(w.terms[1:])
	size, rest := uvarint(rest)
	w.Key = append(w.Key[:w.terms[0]], rest[:own]...)
	w.terms = rest[own:]
	w.Data, w.data = w.data[:size], w.data[size:]
}

// seek moves to the first term that is not less than key, forward or backward.
func (w *TermIterator) seek(s *Segment, key string) {
	w.terms, w.data = s.terms, s.data
	if behind := sort.Search(len(s.entries)/entrySize, func(i int) bool { return string(s.firstTerm(i)) > key }); behind > 1 {
		w.terms, w.data = s.terms[numberAt(s.entries, 2*behind-2):], s.data[numberAt(s.entries, 2*behind-1):]
	}
	for w.NextTerm(); len(w.Key) > 0 && string(w.Key) < key; {
		w.NextTerm()
	}
}

// firstTerm returns the first term of a block without copying it.
func (s *Segment) firstTerm(block int) []byte {
	own, rest := uvarint(s.terms[numberAt(s.entries, 2*block)+1:])
	_, rest = uvarint(rest)
	return rest[:own]
}

// TermsFrom returns an iterator at the first term that is not less than key.
func (s *Segment) TermsFrom(key string) *TermIterator {
	w := &TermIterator{Key: make([]byte, 0, termRoom)}
	w.seek(s, key)
	return w
}

// termRoom is the size in bytes that fits most terms.
const termRoom = len(WordTerm) + words.TermLimit

// FindTerm returns the data of a term, or nil if the segment does not have it.
func (s *Segment) FindTerm(key string) []byte {
	if !s.filter.mayHold(key) {
		return nil
	}
	var room [termRoom]byte
	w := TermIterator{Key: room[:0]}
	if w.seek(s, key); string(w.Key) == key {
		return w.Data
	}
	return nil
}

// termFilter knows of most terms that a segment does not have them. Segments in memory have one: dozens
// of them may be asked for each word of a query. Without one every term may be there.
type termFilter struct {
	seed  maphash.Seed
	marks []uint64
}

// newTermFilter returns a filter of the terms of a segment, of 16 bits each.
func newTermFilter(s *Segment) termFilter {
	f := termFilter{maphash.MakeSeed(), make([]uint64, 2*len(s.entries)/entrySize)}
	for w := s.TermsFrom(""); len(w.Key) > 0; w.NextTerm() {
		at, bits := f.place(maphash.Bytes(f.seed, w.Key))
		f.marks[at] |= bits
	}
	return f
}

func (f termFilter) mayHold(key string) bool {
	if len(f.marks) == 0 {
		return true
	}
	at, bits := f.place(maphash.String(f.seed, key))
	return f.marks[at]&bits == bits
}

// place returns where a term with that hash is marked, and the two bits that mark it.
func (f termFilter) place(hash uint64) (at int, bits uint64) {
	return int((hash >> 12) % uint64(len(f.marks))), 1<<(hash&63) | 1<<(hash>>6&63)
}

// nextLetters returns the letters that follow a prefix in the words of the segment.
func (s *Segment) nextLetters(beginning string) (letters []string) {
	head := WordTerm + beginning
	for w := s.TermsFrom(head); w.HasPrefix(head); {
		rest := w.Key[len(head):]
		if len(rest) == 0 {
			w.NextTerm()
			continue
		}
		_, size := utf8.DecodeRune(rest)
		letters = append(letters, string(rest[:size]))
		before := len(w.terms)
		if w.seek(s, head+string(rest[:size])+"\xff"); len(w.terms) >= before {
			break // a damaged table might lead backward
		}
	}
	return letters
}

// FindNear yields the words at edit distance 1 of a word, which includes transpositions. It may
// yield a word more than once.
//
// At each offset it replaces the next letter of the word by the letters that follow there in the
// words of the segment, inserts them, deletes the letter, or swaps it with the next one, and looks
// up the result.
func (s *Segment) FindNear(word string, yield func(word string)) {
	try := func(word string) {
		if s.FindTerm(WordTerm+word) != nil {
			yield(word)
		}
	}
	for at := 0; at <= len(word); {
		head, tail := word[:at], word[at:]
		r, size := utf8.DecodeRuneInString(tail)
		for _, next := range s.nextLetters(head) {
			if next != string(r) {
				try(head + next + tail)
				if size > 0 {
					try(head + next + tail[size:])
				}
			}
		}
		if size == 0 {
			return
		}
		try(head + tail[size:])
		if q, more := utf8.DecodeRuneInString(tail[size:]); more > 0 && q != r {
			try(head + string(q) + string(r) + tail[size+more:])
		}
		at += size
	}
}
