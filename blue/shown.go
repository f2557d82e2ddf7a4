package blue

import (
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// showNote returns a note with everything that is known of it, safe to show. Of other
// notes those that are not visible are not named, from whatever side they are linked.
func (p *Project) showNote(row index.Row, data []byte, past []store.Past, visible func(index.Row) bool) Note {
	n := note.ParseText(row.Name, data)
	body, hidden := note.CountHidden(n.Body)
	out := Note{
		ID: row.ID, Path: ".blue/" + row.Name, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type), Tags: showWords(n.Tags, note.WordLimit),
		Author: note.ShowWord(n.Author), Status: note.ShowWord(n.Status), Supersedes: showWords(n.Supersedes, note.TitleLimit), Files: p.checkCited(n.Files),
		Body: body, Hidden: hidden, Revisions: []string{}, Links: []Link{}, Backlinks: []Link{},
		Private: note.IsPrivate(row.Name), Problem: note.ShowLabel(n.Problem, note.ProblemLimit), Conflicted: n.Conflicted,
	}
	if !n.Created.IsZero() {
		out.Created = n.Created.Format(time.RFC3339)
	}
	for _, rev := range past {
		out.Revisions = append(out.Revisions, rev.Revision)
	}
	for _, to := range note.FindLinks(n.Body) {
		link := Link{ID: note.ShowTitle(to.ID), Missing: true}
		if rows := p.matchNotes(to.ID); len(rows) == 1 && visible(rows[0]) {
			link = Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
		}
		out.Links = append(out.Links, link)
	}
	for _, from := range p.index.Keyed("link:" + row.ID) {
		if from.Name != row.Name && visible(from) {
			out.Backlinks = append(out.Backlinks, Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
		}
	}
	return out
}

// fillPage puts as much of the notes on the page as there is room for, beginning at
// the place of the cursor, and counts the rest.
func (p *Page) fillPage(notes []Note, at []int, room int) {
	for i, n := range notes[min(at[0], len(notes)):] {
		if i == 0 && at[1] > 0 && at[1] <= len(n.Body) {
			n.Body, n.Offset = n.Body[at[1]:], at[1]
		}
		if room <= 0 {
			p.More += len(n.Body)
			continue
		}
		var more int
		least := min(room, leastBody)
		room -= n.boundLists(room)
		n.Body, more = cutBytes(n.Body, max(room, least))
		room -= len(n.Body)
		p.More += more
		p.Notes = append(p.Notes, n)
		if more > 0 {
			room, p.cutLast = 0, true
		}
	}
}

// nextPlace returns where the page after this one begins.
func (p *Page) nextPlace(at []int) []int {
	last := p.Notes[len(p.Notes)-1]
	if p.cutLast {
		return []int{at[0] + len(p.Notes) - 1, last.Offset + len(last.Body)}
	}
	return []int{at[0] + len(p.Notes), 0}
}

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

// boundLists cuts the lists of a note to a part of the room that a reply has, in bytes, and
// returns how much is said about the note.
func (n *Note) boundLists(room int) (size int) {
	room = max(min(room, readTokens*bytesPerToken)/8, leastList)
	n.Tags, n.LeftOut.Tags = keepFitting(n.Tags, room/2, wordSize)
	n.Supersedes, n.LeftOut.Supersedes = keepFitting(n.Supersedes, room/2, wordSize)
	n.Files, n.LeftOut.Files = keepFitting(n.Files, room, func(f note.Cited) int { return len(f.Path) + len(f.Hash) })
	linked := func(l Link) int { return len(l.ID) + len(l.Title) }
	n.Links, n.LeftOut.Links = keepFitting(n.Links, room, linked)
	n.Backlinks, n.LeftOut.Backlinks = keepFitting(n.Backlinks, room, linked)
	size = len("# \nid:  · type:  · revision:  · origin: \n\n\n") + len(n.Title) + len(n.ID) + len(n.Type) + len(n.Revision) + len(n.Origin)
	for _, fact := range n.Facts() {
		size += len(fact[0]) + len(fact[1]) + len(": \n")
	}
	return size
}

// keepFitting keeps the first entries of a list that fit into a room, and counts the rest.
func keepFitting[E any](list []E, room int, size func(E) int) (kept []E, more int) {
	for i, entry := range list {
		if room -= size(entry); room < 0 {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}

// revisionsShown is how many earlier revisions of a note are named in its text.
const revisionsShown = 5

// Facts are what is to be said of a note beside its title, id, type, revision and
// origin: pairs of a name and a value.
func (n Note) Facts() (facts [][2]string) {
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	fact("tags", strings.Join(n.Tags, ", "))
	fact("created", strings.TrimSuffix(n.Created[:min(len(n.Created), len(time.DateOnly))]+" by "+n.Author, " by "))
	fact("files", strings.Join(namePaths(n.Files), ", "))
	fact("links", strings.Join(nameLinks(n.Links), ", "))
	fact("backlinks", strings.Join(nameLinks(n.Backlinks), ", "))
	fact("supersedes", strings.Join(n.Supersedes, ", "))
	if n.Status != note.Active {
		fact("status", n.Status)
	}
	if n.Private {
		fact("private", "kept out of git")
	}
	kept := n.Revisions
	if more := len(kept) - revisionsShown; more > 0 {
		kept = append(kept[:revisionsShown:revisionsShown], fmt.Sprintf("and %d more that `blue history` lists", more))
	}
	fact("earlier revisions", strings.Join(kept, ", "))
	if n.Offset > 0 {
		fact("continued", fmt.Sprintf("from byte %d of the text", n.Offset))
	}
	fact("problem", n.Problem)
	if n.Conflicted {
		fact("conflicted", "holds the conflict markers of a merge")
	}
	fact("left out of these lists", n.LeftOut.String())
	if n.Hidden > 0 {
		fact("hidden characters", fmt.Sprintf("%d, shown as \\u{…}", n.Hidden))
	}
	return facts
}

func namePaths(files []note.Cited) (words []string) {
	for _, f := range files {
		if f.Changed {
			f.Path += " (changed since)"
		}
		words = append(words, f.Path)
	}
	return words
}

func nameLinks(links []Link) (words []string) {
	for _, l := range links {
		if l.Missing {
			l.ID += " (missing)"
		}
		words = append(words, l.ID)
	}
	return words
}
