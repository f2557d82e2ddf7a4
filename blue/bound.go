package blue

import (
	"strings"

	"blue/blue/internal/note"
)

// What a reply says about a note beside its text is bounded too: a note that came with
// a repository may have a thousand tags and ten thousand links.

// LeftOut counts what has no room in a reply about a note.
type LeftOut struct {
	Tags       int `json:"tags,omitempty"`
	Supersedes int `json:"supersedes,omitempty"`
	Files      int `json:"files,omitempty"`
	Links      int `json:"links,omitempty"`
	Backlinks  int `json:"backlinks,omitempty"`
}

// String names what was left out, empty when nothing was.
func (l LeftOut) String() string {
	var words []string
	for _, of := range []struct {
		count int
		word  string
	}{{l.Tags, "tag"}, {l.Supersedes, "superseded note"}, {l.Files, "file"}, {l.Links, "link"}, {l.Backlinks, "backlink"}} {
		if of.count > 0 {
			words = append(words, Plural(of.count, of.word))
		}
	}
	return strings.Join(words, ", ")
}

const (
	leastBody = 256 // bytes of a text that a reply shows however much is said about the note, if it has as much room
	leastList = 500 // bytes of each list
)

// bound cuts the lists of a note to a part of the room that a reply has, in bytes, and
// returns how much is said about the note.
func (n *Note) bound(room int) (size int) {
	room = max(min(room, readTokens*bytesPerToken)/8, leastList)
	n.Tags, n.LeftOut.Tags = within(n.Tags, room/2, wordSize)
	n.Supersedes, n.LeftOut.Supersedes = within(n.Supersedes, room/2, wordSize)
	n.Files, n.LeftOut.Files = within(n.Files, room, func(f note.Cited) int { return len(f.Path) + len(f.Hash) })
	linked := func(l Link) int { return len(l.ID) + len(l.Title) }
	n.Links, n.LeftOut.Links = within(n.Links, room, linked)
	n.Backlinks, n.LeftOut.Backlinks = within(n.Backlinks, room, linked)
	size = len("# \nid:  · type:  · revision:  · origin: \n\n\n") + len(n.Title) + len(n.ID) + len(n.Type) + len(n.Revision) + len(n.Origin)
	for _, fact := range n.Facts() {
		size += len(fact[0]) + len(fact[1]) + len(": \n")
	}
	return size
}

// within keeps the first entries of a list that fit into a room, and counts the rest.
func within[E any](list []E, room int, size func(E) int) (kept []E, more int) {
	for i, entry := range list {
		if room -= size(entry); room < 0 {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}

func citedWords(files []note.Cited) (words []string) {
	for _, f := range files {
		if f.Changed {
			f.Path += " (changed since)"
		}
		words = append(words, f.Path)
	}
	return words
}

func linkWords(links []Link) (words []string) {
	for _, l := range links {
		if l.Missing {
			l.ID += " (missing)"
		}
		words = append(words, l.ID)
	}
	return words
}
