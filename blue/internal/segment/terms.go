package segment

import (
	"encoding/binary"
	"iter"
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
	s     *Segment
	Key   []byte // the term, until the next one; empty behind the last
	terms []byte // what follows in the table
	rest  []byte // the data of the term, and what follows
	size  uint32 // of the data of the term
}

// Data is that of the term, see segment.go.
func (w *TermIterator) Data() []byte { return w.rest[:w.size] }

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
	shared, own := w.readEntry()
	w.Key = append(w.Key[:shared], own...)
}

// readEntry is next without the key. It takes some of the table away, whatever a damaged
// one says.
func (w *TermIterator) readEntry() (shared int, own []byte) {
	n, size, after := uint32(w.terms[1]), uint32(w.terms[2]), w.terms[3:]
	if n|size >= 0x80 { // not a byte each, as most are
		n, after = uvarint(w.terms[1:])
		size, after = uvarint(after)
	}
	shared, own = int(w.terms[0]), after[:n]
	w.terms, w.rest, w.size = after[n:], w.rest[w.size:], size
	return shared, own
}

// seekTerm goes to the first term that is not less than key, from anywhere and without
// making w.key of it: it is the shared bytes of key and its own.
func (w *TermIterator) seekTerm(key string) (shared int, own []byte) {
	s := w.s
	w.terms, w.rest, w.size = s.terms, s.data, 0
	if behind := sort.Search(len(s.entries)/entrySize, func(i int) bool { return string(s.firstTerm(i)) > key }); behind > 1 {
		w.terms, w.rest = s.terms[numberAt(s.entries, 2*behind-2):], s.data[numberAt(s.entries, 2*behind-1):]
	}
	for same := 0; len(w.terms) > 0; { // bytes that key shares with the term before
		if shared, own = w.readEntry(); shared > same {
			continue // it differs from key where the term before does
		}
		n := commonPrefix(own, key[shared:])
		if same = shared + n; same == len(key) || n < len(own) && own[n] > key[same] {
			return shared, own
		}
	}
	return 0, nil
}

// seekKey is seek with the key.
func (w *TermIterator) seekKey(key string) {
	shared, own := w.seekTerm(key)
	w.Key = append(append(w.Key[:0], key[:shared]...), own...)
}

// skipPrefix goes behind the terms that begin with a text, as the present one does. Where a
// damaged table would lead back, the walk is at its end.
func (w *TermIterator) skipPrefix(text string) {
	before := len(w.terms)
	if w.seekKey(text + "\xff"); len(w.terms) >= before {
		w.Key = w.Key[:0]
	}
}

// TermsFrom goes to the first term that is not less than key.
func (s *Segment) TermsFrom(key string) *TermIterator {
	w := &TermIterator{s: s, Key: make([]byte, 0, len(WordTerm)+words.TermLimit)}
	w.seekKey(key)
	return w
}

// FindTerm returns the data of a term, nil when it is not there.
func (s *Segment) FindTerm(key string) []byte {
	w := TermIterator{s: s}
	if shared, own := w.seekTerm(key); string(own) == key[shared:] {
		return w.Data()
	}
	return nil
}

// firstTerm is the first term of a block in place.
func (s *Segment) firstTerm(block int) []byte {
	w := TermIterator{terms: s.terms[numberAt(s.entries, 2*block):]}
	_, key := w.readEntry()
	return key
}

// Contains and [segment.NextLetters] make a segment a vocabulary.
func (s *Segment) Contains(word string) bool { return s.FindTerm(WordTerm+word) != nil }

// NextLetters yields the letters that follow a beginning in some word.
func (s *Segment) NextLetters(beginning string) iter.Seq[string] {
	head := WordTerm + beginning
	return func(yield func(string) bool) {
		for w := s.TermsFrom(head); w.HasPrefix(head); {
			rest := w.Key[len(head):]
			if len(rest) == 0 {
				w.NextTerm()
				continue
			}
			_, size := utf8.DecodeRune(rest)
			next := string(rest[:size])
			if !yield(next) {
				return
			}
			w.skipPrefix(head + next)
		}
	}
}
