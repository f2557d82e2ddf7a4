package merge

import (
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// Pair is a note in conflict, and the note that holds the other text of it.
type Pair struct {
	Name         string // of the file of Ours
	Ours, Theirs []byte // Theirs as [Aside] has written it
	Earlier      [][]byte
}

// ownKeys are the keys that belong to a note, not to what is said in it.
var ownKeys = []string{note.ConflictWith, note.ImportedFrom, "request", note.UIDKey}

// Texts returns both texts with one front matter: the keys that only one has are in both,
// lists have the entries of both. They differ in the keys that have two values, and in the body.
func (p Pair) Texts() (ours, theirs []byte) {
	n := note.ParseText(p.Name, p.Theirs)
	drop := ownKeys
	if o := note.ParseText(p.Name, p.Ours); !o.HasKey("title") { // [Aside] has given it one
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
	return Notes(p.Name, Sides{Ours: p.Ours, Theirs: theirs}).Text, Notes(p.Name, Sides{Ours: theirs, Theirs: p.Ours}).Text
}

// Both returns ours with the body of theirs below a heading, once.
func (p Pair) Both(heading string) []byte {
	ours, theirs := p.Texts()
	n, body := note.ParseText(p.Name, ours), strings.TrimSpace(strings.ReplaceAll(note.ParseBody(theirs), "\r\n", "\n"))
	if !strings.Contains(strings.ReplaceAll(n.Body, "\r\n", "\n"), body) {
		n.AppendBody(heading + "\n\n" + body)
	}
	return n.Bytes()
}

// Marked merges both texts line by line, as far as that is sure: the other lines stand
// between markers with the names of the sides. marks is how many such places there are.
//
// Which side has changed a line is known by the earlier texts of the note. One of them is the
// text that both began with, and nobody knows which one: a side is taken only if all of them
// agree. Without any, all that differs is marked.
func (p Pair) Marked(ours, theirs string) (text []byte, marks int) {
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

// past says where an earlier text has the lines of both sides, see [note.MatchLines].
type past struct {
	ours, theirs []int
	size         int // in lines
}

const (
	byOurs = iota + 1
	byTheirs
)

// changedBy says which side alone has changed lines, 0 when both have or the earlier texts
// disagree.
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

// isKept reports whether an earlier text of so many lines has the same lines between the same
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
