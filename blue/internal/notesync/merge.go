package notesync

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// sizeLimit is the largest merged note in bytes; larger ones could not be read.
const sizeLimit = 1 << 20

// versions are three texts of one note.
type versions struct {
	Base         []byte // nil if there is no common ancestor
	Ours, Theirs []byte
}

// mergeResult is the result of a merge.
type mergeResult struct {
	Text    []byte
	Fields  []string // keys that both have changed: ours is kept, unless only theirs can be parsed
	Overlap bool     // both have changed the same lines: the body, or all of the text, is ours
}

// Lossy reports whether the text lacks something of theirs.
func (r mergeResult) Lossy() bool { return r.Overlap || len(r.Fields) > 0 }

// mergeNotes merges a note: its front matter key by key, its body line by line. The result contains no
// conflict markers and everything of both sides, unless it is lossy. name gives a title to a text that
// has none. A merge that depends on the order of the sides, or that changes something when it is
// repeated, counts as an overlap. mergeNotes is a pure function.
func mergeNotes(name string, s versions) mergeResult {
	r, ok := mergeVersions(name, s)
	swapped, okSwapped := mergeVersions(name, versions{s.Base, s.Theirs, s.Ours})
	ok = ok && okSwapped && slices.Equal(r.Fields, swapped.Fields) && (r.Lossy() || bytes.Equal(r.Text, swapped.Text))
	for _, side := range [][]byte{s.Ours, s.Theirs} {
		if ok && !r.Lossy() {
			again, _ := mergeVersions(name, versions{s.Base, r.Text, side})
			ok = !again.Lossy() && bytes.Equal(again.Text, r.Text)
		}
	}
	if !ok {
		return mergeResult{Text: s.Ours, Overlap: true}
	}
	return r
}

// mergeVersions merges a note. It is not ok if the front matter cannot be merged, or if the result has
// a fault that neither side has.
func mergeVersions(name string, s versions) (r mergeResult, ok bool) {
	switch {
	case bytes.Equal(s.Ours, s.Theirs), s.Base != nil && bytes.Equal(s.Theirs, s.Base):
		return mergeResult{Text: s.Ours}, true
	case s.Base != nil && bytes.Equal(s.Ours, s.Base):
		return mergeResult{Text: s.Theirs}, true
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

// evenLineEnds converts the texts to the line end "\n" if their line ends differ; eol is then that of
// the result.
func evenLineEnds(s versions) (base, ours, theirs, eol string) {
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

// mergeParts merges frame, front matter and body. It is not ok if the front matter cannot be merged.
func mergeParts(b, o, t note.Text) (r mergeResult, ok bool) {
	front, fields, ok := mergeFront(b, o, t)
	body, apart := mergeLines(b.Body, o.Body, t.Body)
	if !apart {
		body = o.Body
	}
	opening, closing := mergeFrame(b, o, t, front != "")
	if closing != "" && !strings.HasSuffix(closing, "\n") && body != "" {
		closing += lineEnd(opening)
	}
	return mergeResult{Text: []byte(opening + front + closing + body), Fields: fields, Overlap: !apart}, ok
}

// mergeFrame merges the lines around the front matter. If they are needed it takes those of a side
// that has them.
func mergeFrame(b, o, t note.Text, needed bool) (opening, closing string) {
	type frame [2]string
	of := func(n note.Text) (f frame) { f[0], f[1] = n.Frame(); return f }
	f, both := pick(of(b), of(o), of(t))
	if theirs := of(t); both && theirs[0]+theirs[1] < f[0]+f[1] {
		f = theirs
	}
	for _, side := range []note.Text{o, t} { // one of them has the front matter
		if needed && f[1] == "" {
			f = of(side)
		}
	}
	return f[0], f[1]
}

// mergeLines merges two texts line by line. It is not ok if both have changed the same or adjacent
// lines.
//
// Lines that all three texts have separate regions in which at least one side differs. In each region
// the side that has changed wins.
func mergeLines(base, ours, theirs string) (text string, ok bool) {
	if text, both := pick(base, ours, theirs); !both {
		return text, true
	}
	b, bEnd := splitLines(base)
	o, oEnd := splitLines(ours)
	t, tEnd := splitLines(theirs)
	inOurs, inTheirs := note.MatchLines(b, o), note.MatchLines(b, t)
	var merged []string
	atB, atO, atT := 0, 0, 0
	for atB < len(b) || atO < len(o) || atT < len(t) {
		if atB < len(b) && inOurs[atB] == atO && inTheirs[atB] == atT {
			merged = append(merged, b[atB])
			atB, atO, atT = atB+1, atO+1, atT+1
			continue
		}
		endB, endO, endT := atB, len(o), len(t)
		for endB < len(b) && (inOurs[endB] < 0 || inTheirs[endB] < 0) {
			endB++
		}
		if endB < len(b) {
			endO, endT = inOurs[endB], inTheirs[endB]
		}
		region, ok := mergeRegion(b[atB:endB], o[atO:endO], t[atT:endT])
		if !ok {
			return "", false
		}
		merged = append(merged, region...)
		atB, atO, atT = endB, endO, endT
	}
	text = strings.Join(merged, "")
	if end, _ := pick(bEnd, oEnd, tEnd); !end {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text, true
}

func mergeRegion(b, o, t []string) (lines []string, ok bool) {
	switch {
	case slices.Equal(o, t), slices.Equal(t, b):
		return o, true
	case slices.Equal(o, b):
		return t, true
	}
	return nil, false
}

// splitLines returns the lines of a text with their ends. If the last line has none, it gets one and
// ended is false.
func splitLines(text string) (lines []string, ended bool) {
	ended = text == "" || strings.HasSuffix(text, "\n")
	if !ended {
		text += lineEnd(text)
	}
	return slices.Collect(strings.Lines(text)), ended
}

// pick merges a value. both reports that the sides have changed it to different values; the result is
// then ours.
func pick[V comparable](base, ours, theirs V) (value V, both bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, false
	case ours == base:
		return theirs, false
	}
	return ours, true
}

// lineEnd returns the end of the first line.
func lineEnd(text string) string {
	if first, _, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}
