package notesync

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// setKeys are the keys whose values are sets.
var setKeys = []string{"tags", "aliases", "alias", "supersedes", "files"}

// set is the value of such a key.
type set struct {
	order []string          // members: words, or paths and spans of citations
	words map[string]string // the evidence of each citation, empty for words
}

func setOf(key string, f front) set {
	n, _ := f.value(key)
	s := set{words: map[string]string{}}
	add := func(word, with string) {
		if _, there := s.words[word]; !there {
			s.order = append(s.order, word)
		}
		s.words[word] = with
	}
	words := map[string][]string{"tags": n.Tags, "aliases": n.Aliases, "alias": n.Aliases, "supersedes": n.Supersedes}
	for _, word := range words[key] {
		add(word, "")
	}
	if key == "files" {
		for _, file := range n.Files {
			add(file.Path+"\x00"+file.Span, file.Hash+"\x00"+file.Lines+"\x00"+file.SpanHash)
		}
	}
	return s
}

func (s set) equal(other set) bool { return maps.Equal(s.words, other.words) }

// mergeSet merges a key whose lines both have changed: what either has added is in, what either has
// removed is out. It renders the key only if both have changed its members.
func mergeSet(key string, b, o, t front) (lines string, both bool) {
	inB, inO, inT := setOf(key, b), setOf(key, o), setOf(key, t)
	switch {
	case inO.equal(inB) && inT.equal(inB): // only the formatting differs
		return min(o.lines[key], t.lines[key]), false
	case inO.equal(inB):
		return t.lines[key], false
	case inT.equal(inB):
		return o.lines[key], false
	}
	merged, both := mergeMembers(inB, inO, inT)
	above, differ := pick(b.commentsAbove(key), o.commentsAbove(key), t.commentsAbove(key))
	if differ {
		above = min(above, t.commentsAbove(key))
	}
	return above + merged.render(key, lineEnd(o.note.Front+t.note.Front)), both
}

func (f front) commentsAbove(key string) string {
	above, _ := splitComments(f.lines[key])
	return above
}

// mergeMembers merges the members of a set; both reports evidence that both have changed.
func mergeMembers(b, o, t set) (merged set, both bool) {
	merged.words = map[string]string{}
	added := map[string]bool{}
	for _, word := range slices.Concat(o.order, t.order) {
		was, inB := b.words[word]
		ours, inO := o.words[word]
		theirs, inT := t.words[word]
		switch {
		case inO && inT:
			with, differ := pick(was, ours, theirs)
			merged.words[word], both = with, both || differ
		case inB:
			continue // one side has removed it
		default:
			merged.words[word] = ours + theirs
		}
		added[word] = !inB
	}
	for _, word := range b.order {
		if _, in := merged.words[word]; in {
			merged.order = append(merged.order, word)
		}
	}
	maps.DeleteFunc(added, func(_ string, isNew bool) bool { return !isNew })
	merged.order = append(merged.order, slices.Sorted(maps.Keys(added))...)
	return merged, both
}

// render returns the lines of the key, none for an empty set.
func (s set) render(key, eol string) string {
	if len(s.order) == 0 {
		return ""
	}
	var value any = note.InlineList(s.order)
	if key == "files" {
		files := make([]note.Cited, len(s.order))
		for i, word := range s.order {
			path, span, _ := strings.Cut(word, "\x00")
			evidence := strings.SplitN(s.words[word], "\x00", 3)
			files[i] = note.Cited{Path: path, Span: span, Hash: evidence[0], Lines: evidence[1], SpanHash: evidence[2]}
		}
		value = files
	}
	n := note.ParseText("x.md", nil)
	if n.SetKey(key, value) != nil {
		return ""
	}
	return strings.ReplaceAll(n.Front, "\n", eol)
}

// markKeys are the keys that classify a note and are not part of what it says.
var markKeys = []string{"tags", "aliases", "alias", "verified", note.UIDKey}

// onlyMarks reports whether two texts of a note differ only in marks: tags, aliases, uid, verification
// or a status of superseded.
func onlyMarks(base, changed []byte) bool {
	if bytes.Equal(base, changed) {
		return true
	}
	plain := func(text []byte) note.Text {
		return note.ParseText("x.md", bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	}
	b, okB := splitFront(plain(base))
	c, okC := splitFront(plain(changed))
	if !okB || !okC || b.note.Problem != "" || c.note.Problem != "" || b.note.Body != c.note.Body || b.comments() != c.comments() {
		return false
	}
	for _, key := range slices.Concat(b.keys, c.keys) {
		_, was := splitComments(b.lines[key])
		_, is := splitComments(c.lines[key])
		switch {
		case was == is, slices.Contains(markKeys, key):
		case key == "status" && (note.IsSuperseded(b.note.Status) || note.IsSuperseded(c.note.Status)):
		case key == "files" && sameFiles(b.note, c.note):
		default:
			return false
		}
	}
	return true
}

// comments returns the comments of the whole front matter.
func (f front) comments() string {
	var all strings.Builder
	for _, key := range append(slices.Clone(f.keys), "") {
		all.WriteString(f.commentsAbove(key))
	}
	return all.String()
}

// sameFiles reports whether two texts cite the same files, apart from the evidence. Verification may
// have renamed the files.
func sameFiles(b, c note.Text) bool {
	same := func(x, y note.Cited) bool { return x.Ref() == y.Ref() }
	return slices.EqualFunc(b.Files, c.Files, same) || b.Verified != c.Verified && len(b.Files) == len(c.Files)
}
