package segment

import (
	"encoding/binary"
	"math"
	"sort"
	"unicode/utf8"

	"blue/blue/internal/words"
)

// The table of terms is in order, in blocks of blockTerms, and for each block an entry
// says where it begins in terms and in data. A term is a byte, how many bytes it shares
// with the term before (none at the beginning of a block), the number of its own, the
// size of its data, and its own bytes. The data of all terms follow one another in the
// same order, so that a reader that goes along the terms knows where that of each is.
const (
	blockTerms = 8
	entrySize  = 8
)

type termTable struct {
	terms  int // so far
	before []byte
	line   []byte
}

// addTerm returns a term as the table has it, until the next call, and whether it begins a
// block.
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

// commonPrefix is the number of bytes with which two texts begin alike.
func commonPrefix(a []byte, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// TermIterator goes along the terms of a segment, forward.
type TermIterator struct {
	Key   []byte // the term, until the next one; empty behind the last
	Data  []byte // of the term, see segment.go
	terms []byte // what follows in the table
	data  []byte // what follows of the data
}

// HasPrefix reports whether the term begins with a text.
func (w *TermIterator) HasPrefix(text string) bool {
	return len(w.Key) >= len(text) && string(w.Key[:len(text)]) == text
}

// NextTerm goes to the next term.
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

// seek goes to the first term that is not less than key, from anywhere.
func (w *TermIterator) seek(s *Segment, key string) {
	w.terms, w.data = s.terms, s.data
	if behind := sort.Search(len(s.entries)/entrySize, func(i int) bool { return string(s.firstTerm(i)) > key }); behind > 1 {
		w.terms, w.data = s.terms[numberAt(s.entries, 2*behind-2):], s.data[numberAt(s.entries, 2*behind-1):]
	}
	for w.NextTerm(); len(w.Key) > 0 && string(w.Key) < key; {
		w.NextTerm()
	}
}

// firstTerm returns the first term of a block in place.
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

// termRoom is the number of bytes of most terms.
const termRoom = len(WordTerm) + words.TermLimit

// FindTerm returns the data of a term, nil when it is not there.
func (s *Segment) FindTerm(key string) []byte {
	var room [termRoom]byte
	w := TermIterator{Key: room[:0]}
	if w.seek(s, key); string(w.Key) == key {
		return w.Data
	}
	return nil
}

// nextLetters returns the letters that follow a beginning in some word.
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
			break // a damaged table leads back
		}
	}
	return letters
}

// FindNear yields the words at edit distance 1 of a word, exchanged neighbours included; some
// more than once.
//
// It walks along the word: whatever letter some word has next may take the place of the next
// one or come before it, provided the rest follows.
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
