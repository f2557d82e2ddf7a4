package merge

import (
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// setKeys are the keys whose order does not matter.
var setKeys = []string{"tags", "aliases", "alias", "supersedes", "files"}

// set is the value of such a key: for each word, or citation, what stands with it, the
// evidence of a citation.
type set struct {
	order []string
	words map[string]string
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
	switch key {
	case "tags":
		for _, tag := range n.Tags {
			add(tag, "")
		}
	case "aliases", "alias":
		for _, alias := range n.Aliases {
			add(alias, "")
		}
	case "supersedes":
		for _, id := range n.Supersedes {
			add(id, "")
		}
	default:
		for _, file := range n.Files {
			add(file.Path+"\x00"+file.Span, file.Hash+"\x00"+file.Lines+"\x00"+file.SpanHash)
		}
	}
	return s
}

func (s set) equal(other set) bool { return maps.Equal(s.words, other.words) }

// mergeSet merges a key that both sides have written differently: what either has added
// is in, what either has removed is out. The key is rendered anew only when both have
// changed its members.
func mergeSet(key string, b, o, t front) (lines string, both bool) {
	inB, inO, inT := setOf(key, b), setOf(key, o), setOf(key, t)
	switch {
	case inO.equal(inB) && inT.equal(inB): // the writing differs
		return min(o.lines[key], t.lines[key]), false
	case inO.equal(inB):
		return t.lines[key], false
	case inT.equal(inB):
		return o.lines[key], false
	}
	merged, both := mergeMembers(inB, inO, inT)
	above, differ := pick(comments(b, key), comments(o, key), comments(t, key))
	if differ {
		above = min(above, comments(t, key))
	}
	return above + merged.render(key, lineEnd(o.note.Front+t.note.Front)), both
}

func comments(f front, key string) string {
	above, _ := splitComments(f.lines[key])
	return above
}

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

// render writes the key as Blue writes it, nothing when the set is empty.
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
