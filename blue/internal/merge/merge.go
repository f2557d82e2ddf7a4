// Package merge makes one note of two that were changed apart, three ways: from what both
// began with, what is here (ours) and what has come (theirs). It is pure: texts go in, one
// comes out, and nothing of either side is dropped without a word.
//
// A front matter is merged key by key, a body line by line. Where both sides have changed
// one thing, ours stays and [Result] says so, for the caller to keep theirs elsewhere. No
// conflict marker is ever written. But for such a place, it does not matter which side is
// ours, and merging the result once more changes nothing.
package merge

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// sizeLimit is how many bytes a merged note may have, so that it can be read again.
const sizeLimit = 1 << 20

// Sides are three texts of one note.
type Sides struct {
	Base         []byte // nil when the sides have no text that both began with
	Ours, Theirs []byte
}

// Result is what came of a merge.
type Result struct {
	Text    []byte
	Fields  []string // keys of the front matter that both have changed: ours stays, unless theirs alone can be parsed
	Overlap bool     // both have changed the same lines: the body is ours, or all of the text
}

// Kept reports whether something of theirs is not in the text.
func (r Result) Kept() bool { return r.Overlap || len(r.Fields) > 0 }

// Notes merges a note. The name gives a title to a text that has none. Where a merge would
// depend on the order of the sides, or go on when it is repeated, it counts as an overlap.
func Notes(name string, s Sides) Result {
	r, ok := mergeSides(name, s)
	swapped, okSwapped := mergeSides(name, Sides{s.Base, s.Theirs, s.Ours})
	ok = ok && okSwapped && slices.Equal(r.Fields, swapped.Fields) && (r.Kept() || bytes.Equal(r.Text, swapped.Text))
	for _, side := range [][]byte{s.Ours, s.Theirs} {
		if ok && !r.Kept() {
			again, _ := mergeSides(name, Sides{s.Base, r.Text, side})
			ok = !again.Kept() && bytes.Equal(again.Text, r.Text)
		}
	}
	if !ok {
		return Result{Text: s.Ours, Overlap: true}
	}
	return r
}

// mergeSides merges a note. It is not ok when the result has a fault that neither side has, or
// when the front matter cannot be merged.
func mergeSides(name string, s Sides) (r Result, ok bool) {
	switch {
	case bytes.Equal(s.Ours, s.Theirs), s.Base != nil && bytes.Equal(s.Theirs, s.Base):
		return Result{Text: s.Ours}, true
	case s.Base != nil && bytes.Equal(s.Ours, s.Base):
		return Result{Text: s.Theirs}, true
	}
	base, ours, theirs, eol := evenLineEnds(s)
	b, o, t := note.ParseText(name, []byte(base)), note.ParseText(name, []byte(ours)), note.ParseText(name, []byte(theirs))
	r, ok = mergeParts(b, o, t)
	if eol != "" {
		r.Text = []byte(strings.ReplaceAll(string(r.Text), "\n", eol))
	}
	merged := note.ParseText(name, r.Text)
	broken := merged.Problem != "" && o.Problem == "" && t.Problem == ""
	conflicted := merged.Conflicted && !o.Conflicted && !t.Conflicted
	return r, ok && !broken && !conflicted && len(r.Text) <= sizeLimit
}

// evenLineEnds gives the three texts the line end "\n" when they do not have the same
// kind; eol is then the one that the result is to have.
func evenLineEnds(s Sides) (base, ours, theirs, eol string) {
	base, ours, theirs = string(s.Base), string(s.Ours), string(s.Theirs)
	b, o, t := lineEnd(base), lineEnd(ours), lineEnd(theirs)
	if s.Base == nil {
		b = "\n"
	}
	if o == t && (s.Base == nil || b == o) {
		return base, ours, theirs, ""
	}
	plain := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
	eol, _ = pick(b, o, t)
	return plain(base), plain(ours), plain(theirs), eol
}

// mergeParts merges frame, front matter and body. It is not ok when the front matter cannot be
// merged.
func mergeParts(b, o, t note.Text) (r Result, ok bool) {
	front, fields, ok := mergeFront(b, o, t)
	body, apart := mergeLines(b.Body, o.Body, t.Body)
	if !apart {
		body = o.Body
	}
	opening, closing := mergeFrame(b, o, t, front != "")
	if closing != "" && !strings.HasSuffix(closing, "\n") && body != "" {
		closing += lineEnd(opening)
	}
	return Result{Text: []byte(opening + front + closing + body), Fields: fields, Overlap: !apart}, ok
}

// mergeFrame picks the lines around the front matter, from a side that has one when one is
// needed.
func mergeFrame(b, o, t note.Text, needed bool) (opening, closing string) {
	type frame [2]string
	of := func(n note.Text) (f frame) { f[0], f[1] = n.Frame(); return f }
	f, both := pick(of(b), of(o), of(t))
	if theirs := of(t); both && theirs[0]+theirs[1] < f[0]+f[1] {
		f = theirs
	}
	for _, side := range []note.Text{o, t} { // one of them has what is in it
		if needed && f[1] == "" {
			f = of(side)
		}
	}
	return f[0], f[1]
}

// Aside makes the note that keeps theirs beside a note of which ours stayed: theirs as it
// is when it would be too large to be read again. Its identity is the one that derives from
// its own id, so that it is the same on every machine.
func Aside(id string, theirs []byte) []byte {
	text, ok := markAside(id, theirs)
	if !ok { // its front matter takes no further key, or it is not text: it becomes a body
		text, _ = markAside(id, append([]byte("---\n---\n\n"), bytes.ToValidUTF8(theirs, []byte("\uFFFD"))...))
	}
	if len(text) > sizeLimit {
		return theirs
	}
	return text
}

// markAside writes into a note what it is in conflict with; ok says whether it can be read
// there.
func markAside(id string, text []byte) (marked []byte, ok bool) {
	n := note.ParseText(id+".md", text)
	if n.Problem != "" {
		return text, false
	}
	for _, key := range []string{"request", note.ImportedFrom, note.UIDKey} { // by which the other note is known again
		if n.HasKey(key) && (key != note.UIDKey || n.UID != "") {
			_ = n.SetKey(key, nil) // fails for values alone
		}
	}
	_ = n.SetKey("title", n.Title)
	_ = n.SetKey(note.ConflictWith, id)
	marked = n.Bytes()
	return marked, note.ParseText(id+".md", marked).ConflictWith == id
}
