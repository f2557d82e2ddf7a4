package notesync

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// ConflictPair is a note in conflict and the note that keeps the other text.
type ConflictPair struct {
	Name         string   // of the file of Ours
	Ours, Theirs []byte   // Theirs is the text of a conflict note
	Earlier      [][]byte // revisions of the note
}

// ownKeys are the keys that belong to the conflict note alone.
var ownKeys = []string{note.ConflictWith, note.ImportedFrom, "request", note.UIDKey}

// Texts returns both texts with merged front matter: keys that only one has are in both, and
// lists have the members of both. The texts differ in keys with two values and in the body.
func (p ConflictPair) Texts() (ours, theirs []byte) {
	n := note.ParseText(p.Name, p.Theirs)
	drop := ownKeys
	if o := note.ParseText(p.Name, p.Ours); !o.HasKey("title") { // conflictText has added one
		drop = append(slices.Clone(drop), "title")
	}
	for _, key := range drop {
		if n.HasKey(key) {
			_ = n.SetKey(key, nil) // fails for values alone
		}
	}
	theirs = n.Bytes()
	if strings.TrimSpace(n.Front) == "" {
		theirs = []byte(n.Body)
	}
	return mergeNotes(p.Name, versions{Ours: p.Ours, Theirs: theirs}).Text, mergeNotes(p.Name, versions{Ours: theirs, Theirs: p.Ours}).Text
}

// Both returns ours with the body of theirs below a heading, unless ours has it already.
func (p ConflictPair) Both(heading string) []byte {
	ours, theirs := p.Texts()
	n, body := note.ParseText(p.Name, ours), strings.TrimSpace(strings.ReplaceAll(note.ParseBody(theirs), "\r\n", "\n"))
	if !strings.Contains(strings.ReplaceAll(n.Body, "\r\n", "\n"), body) {
		n.AppendBody(heading + "\n\n" + body)
	}
	return n.Bytes()
}

// Marked merges both texts line by line, and returns how many places it could not merge. Those have
// conflict markers with the names of the sides.
//
// The earlier revisions of the note tell which side has changed a line. One of them is the common
// ancestor, but it is unknown which: a side wins only if all of them agree. Without any, all
// differences are marked.
func (p ConflictPair) Marked(ours, theirs string) (text []byte, marks int) {
	oText, tText := p.Texts()
	eol := lineEnd(string(oText))
	o, _ := splitLines(string(oText))
	t, _ := splitLines(string(tText))
	var pasts []past
	for _, earlier := range p.Earlier {
		if body := note.ParseBody(earlier); body == note.ParseBody(p.Ours) || body == note.ParseBody(p.Theirs) {
			continue
		}
		lines, _ := splitLines(strings.ReplaceAll(strings.ReplaceAll(string(earlier), "\r\n", "\n"), "\n", eol))
		pasts = append(pasts, past{note.MatchLines(o, lines), note.MatchLines(t, lines), len(lines)})
	}
	var out []string
	inTheirs := note.MatchLines(o, t)
	for atO, atT := 0, 0; atO < len(o) || atT < len(t); {
		if atO < len(o) && inTheirs[atO] == atT {
			out = append(out, o[atO])
			atO, atT = atO+1, atT+1
			continue
		}
		endO, endT := atO, len(t)
		for endO < len(o) && inTheirs[endO] < 0 {
			endO++
		}
		if endO < len(o) {
			endT = inTheirs[endO]
		}
		switch changed := changedBy(pasts, [2]int{atO, endO}, [2]int{atT, endT}); changed {
		case byOurs:
			out = append(out, o[atO:endO]...)
		case byTheirs:
			out = append(out, t[atT:endT]...)
		default:
			marks++
			out = slices.Concat(out, []string{"<<<<<<< " + ours + eol}, o[atO:endO], []string{"=======" + eol}, t[atT:endT], []string{">>>>>>> " + theirs + eol})
		}
		atO, atT = endO, endT
	}
	return []byte(strings.Join(out, "")), marks
}

// past maps the lines of both sides to those of an earlier revision. See [note.MatchLines].
type past struct {
	ours, theirs []int
	size         int // in lines
}

const (
	byOurs = iota + 1
	byTheirs
)

// changedBy returns the side that alone has changed the lines, or 0 if both have or the
// revisions disagree.
func changedBy(pasts []past, ours, theirs [2]int) (side int) {
	for i, p := range pasts {
		keptOurs, keptTheirs := isKept(p.ours, ours, p.size), isKept(p.theirs, theirs, p.size)
		now := 0
		switch {
		case keptTheirs && !keptOurs:
			now = byOurs
		case keptOurs && !keptTheirs:
			now = byTheirs
		}
		if i > 0 && now != side {
			return 0
		}
		side = now
	}
	return side
}

// isKept reports whether an earlier revision of size lines has the same lines between the same
// neighbors.
func isKept(matched []int, lines [2]int, size int) bool {
	from, to := lines[0], lines[1]
	before, after := -1, size
	if from > 0 {
		if before = matched[from-1]; before < 0 {
			return false
		}
	}
	if to < len(matched) {
		after = matched[to]
	}
	return after-before == to-from+1 && !slices.Contains(matched[from:to], -1)
}

// conflictText returns the text of the note that keeps theirs next to the note id. It returns
// theirs unchanged if the result would be too large to be read. The uid derives from the id of
// the new note, so that it is the same on every machine.
func conflictText(id string, theirs []byte) []byte {
	text, ok := markConflict(id, theirs)
	if !ok { // the front matter takes no key, or this is not text: make it a body
		text, _ = markConflict(id, append([]byte("---\n---\n\n"), bytes.ToValidUTF8(theirs, []byte("\uFFFD"))...))
	}
	if len(text) > sizeLimit {
		return theirs
	}
	return text
}

// markConflict records in a text which note it conflicts with, and removes a status of superseded,
// which would hide the conflict. It is not ok if that cannot be read back.
func markConflict(id string, text []byte) (marked []byte, ok bool) {
	n := note.ParseText(id+".md", text)
	if n.Problem != "" {
		return text, false
	}
	for _, key := range []string{"request", note.ImportedFrom, note.UIDKey} { // these identify the other note
		if n.HasKey(key) && (key != note.UIDKey || n.UID != "") {
			_ = n.SetKey(key, nil) // fails only for values
		}
	}
	if n.Status == note.Superseded {
		_ = n.SetKey("status", nil)
	}
	_ = n.SetKey("title", n.Title)
	_ = n.SetKey(note.ConflictWith, id)
	marked = n.Bytes()
	return marked, note.ParseText(id+".md", marked).ConflictWith == id
}
