package words

import (
	"iter"
	"unicode/utf8"
)

// Vocabulary is a set of words.
type Vocabulary interface {
	Contains(word string) bool
	NextLetters(beginning string) iter.Seq[string] // that follow a beginning in some word
}

// FindNear yields the words of a vocabulary at edit distance 1 of a word, exchanged
// neighbours included; some more than once.
//
// It walks along the word: whatever letter the vocabulary has next may take the place of
// the next one or come before it, provided the rest follows.
func FindNear(word string, known Vocabulary, yield func(word string)) {
	try := func(word string) {
		if known.Contains(word) {
			yield(word)
		}
	}
	for at := 0; at <= len(word); {
		head, tail := word[:at], word[at:]
		r, size := utf8.DecodeRuneInString(tail)
		for next := range known.NextLetters(head) {
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
