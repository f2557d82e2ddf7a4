package notebook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Catalog finds the notes of an index by their ids, titles, aliases, links and other keys.
type Catalog struct{ *index.Index }

// ReadBody reads the text of a note for a snippet. The text is empty if it cannot be read.
type ReadBody = func(index.Row) (body, revision string)

// BodyReader returns a ReadBody that reads the files of notes with read.
func BodyReader(read func(name string, inode uint64) ([]byte, error)) ReadBody {
	return func(row index.Row) (body, revision string) {
		data, err := read(row.Name, row.Stamp.Inode)
		if err != nil {
			return "", ""
		}
		return note.ParseBody(data), store.Revision(data)
	}
}

// All returns all notes, by title or newest first.
func (n Catalog) All(byTitle bool) []index.Row {
	rows, _ := n.List(index.Filter{}, byTitle, 0, math.MaxInt)
	return rows
}

// Linked returns the notes that a link may mean: the one of that id, else those of that title, else
// those of [Catalog.Matches]. Of several with one title or alias it returns those in force.
func (n Catalog) Linked(to string) []index.Row {
	if row, ok := n.InFile(to); ok {
		return []index.Row{row}
	}
	if rows := inForce(n.Keyed(titleKey + to)); len(rows) > 0 {
		return rows
	}
	return n.Matches(to)
}

// inForce returns the notes that are not set aside, or all of them if each one is.
func inForce(rows []index.Row) []index.Row {
	if len(rows) > 1 && slices.ContainsFunc(rows, func(row index.Row) bool { return !row.Superseded }) {
		return slices.DeleteFunc(rows, func(row index.Row) bool { return row.Superseded })
	}
	return rows
}

// LinkingTo returns the notes that link to another by its id, or by a title or alias that is
// unique.
func (n Catalog) LinkingTo(row index.Row) (rows []index.Row) {
	seen := map[string]bool{row.Name: true}
	for _, name := range namesOf(row) {
		links := n.Keyed(linkKey + name)
		if name != row.ID && len(links) > 0 {
			if to := n.Linked(name); len(to) != 1 || to[0].Name != row.Name {
				continue
			}
		}
		for _, from := range links {
			if !seen[from.Name] {
				rows = append(rows, from)
			}
			seen[from.Name] = true
		}
	}
	return rows
}

// MostLinked returns the notes to which at least two others link, those with the most links
// first.
func (n Catalog) MostLinked(most int) (rows []index.Row) {
	for _, link := range byCount(n.CountKeys(linkKey)) {
		if len(rows) == most || link.Count < 2 {
			break
		}
		if to := n.Linked(link.Word); len(to) == 1 {
			rows = append(rows, to[0])
		}
	}
	return rows
}

// LinkWord returns the name by which one note links to another: its id, its title or an alias.
func (n Catalog) LinkWord(from, to index.Row) string {
	for _, name := range namesOf(to) {
		if slices.ContainsFunc(n.Keyed(linkKey+name), func(row index.Row) bool { return row.Name == from.Name }) {
			return name
		}
	}
	return to.ID
}

func namesOf(row index.Row) []string {
	return append([]string{row.ID, row.Title}, ExtraOf(row).Aliases...)
}

// Conflicts returns the pairs of notes that two machines have made of one note. If id is not
// empty, it returns only the pairs with that note.
func (n Catalog) Conflicts(id string) (found []result.Clash) {
	for _, row := range n.inConflict() {
		c := result.Clash{ID: note.ShowTitle(ExtraOf(row).ConflictWith), With: note.ShowTitle(row.ID)}
		if id == "" || c.ID == id || c.With == id {
			found = append(found, c)
		}
	}
	return found
}

// inConflict returns the notes in force that hold another machine's text of a note.
func (n Catalog) inConflict() []index.Row {
	return slices.DeleteFunc(n.Keyed(conflictKey), IsSuperseded)
}

// CopiesOf returns the notes that hold another machine's text of a note.
func (n Catalog) CopiesOf(row index.Row) (copies []index.Row) {
	names := append(ExtraOf(row).Aliases, row.ID)
	for _, other := range n.inConflict() {
		if slices.Contains(names, ExtraOf(other).ConflictWith) && other.Name != row.Name {
			copies = append(copies, other)
		}
	}
	slices.SortFunc(copies, func(a, b index.Row) int { return cmp.Compare(a.Name, b.Name) })
	return copies
}

// OriginalOf returns the note of which copied holds another machine's text.
func (n Catalog) OriginalOf(copied index.Row) (row index.Row, ok bool) {
	of := ExtraOf(copied).ConflictWith
	if row, ok = n.InFile(of); ok {
		return row, row.Name != copied.Name
	}
	if rows := n.Aliased(of); of != "" && len(rows) == 1 {
		return rows[0], rows[0].Name != copied.Name
	}
	return row, false
}

// InConflict returns the files of all notes that are in a conflict.
func (n Catalog) InConflict() map[string]bool {
	names := map[string]bool{}
	for _, copied := range n.inConflict() {
		names[copied.Name] = true
		if row, ok := n.OriginalOf(copied); ok {
			names[row.Name] = true
		}
	}
	return names
}

// Aliased returns the notes with an alias.
func (n Catalog) Aliased(alias string) []index.Row { return n.Keyed(aliasKey + alias) }

// OfText returns the notes of one directory with the same type, title and text.
func (n Catalog) OfText(scope string, text note.Text) []index.Row {
	return n.Keyed(contentKey(scope, text.Type, text.Title, text.Body))
}

// OfUID returns the notes with an identity.
func (n Catalog) OfUID(uid string) []index.Row { return n.Keyed(uidKey + uid) }

// InFile returns the note in the file that a word names, with or without its directory.
func (n Catalog) InFile(word string) (row index.Row, ok bool) {
	for _, name := range []string{word + ".md", "notes/" + word + ".md", "private/" + word + ".md"} {
		if row, ok = n.Row(name); ok {
			break
		}
	}
	return row, ok
}

// Matches returns the notes that a word may mean: the one in the file of that name, else at
// most 20 whose ids begin with it, else those with that alias.
func (n Catalog) Matches(word string) (rows []index.Row) {
	if row, ok := n.InFile(word); ok {
		return []index.Row{row}
	}
	start := note.BareID(word)
	if !strings.ContainsFunc(start, tellsApart) || errors.Visible(start) != start {
		return nil // the start of every id, since ids are compared without such characters
	}
	seen := map[string]bool{}
	for _, row := range n.WithPrefix(start, 20) {
		if !seen[row.ID] { // a private note with the same id is not what the whole id means either
			rows = append(rows, row)
		}
		seen[row.ID] = true
	}
	if len(rows) == 0 {
		rows = inForce(n.Aliased(start))
	}
	return rows
}

// tellsApart reports whether a character can tell one id from another.
func tellsApart(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// NearestIDs returns at most three ids that a word may be meant for, the closest first.
func (n Catalog) NearestIDs(word string) (ids []string) {
	found, err := n.Search(context.Background(), index.Query{Text: strings.ReplaceAll(word, "-", " "), Limit: 20})
	if err != nil {
		return ids
	}
	words := wordsOfID(word)
	for _, hit := range found.Hits {
		near := isNear(words, hit.Row) || len(words) > 1 && isNear(words[:len(words)-1], hit.Row) // the last one is chance in an id
		if near && len(ids) < 3 && !slices.Contains(ids, hit.ID) {
			ids = append(ids, hit.ID)
		}
	}
	return ids
}

// isNear reports whether the id and the title of a note hold more than half of the words, as they are or
// with a slip of the pen.
func isNear(words []string, row index.Row) bool {
	held, all := 0, wordsOfID(row.ID+" "+row.Title)
	for _, word := range words {
		if slices.ContainsFunc(all, func(other string) bool {
			return word == other || len(word) > 3 && (strings.Contains(other, word) || errors.Misspelled(word, other))
		}) {
			held++
		}
	}
	return 2*held > len(words)
}

// wordsOfID returns the words of an id or a title in lower case.
func wordsOfID(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// Prefixes of the keys under which the index finds notes.
const (
	fileKey       = "file:" // the path of a file that the note is about
	linkKey       = "link:"
	titleKey      = "title:"
	aliasKey      = "alias:"
	sameKey       = "same:"    // a hash of directory, type, title and text
	requestKey    = "request:" // of a draft with a request key
	uidKey        = "uid:"
	fromKey       = "from:"       // the place and text that an import has read
	wasKey        = "was:"        // the place alone
	conflictKey   = "conflict"    // the whole key of the notes that hold another machine's text of a note
	supersedesKey = "supersedes:" // the path of a document
)

// Extra is what results need of a note beyond its index row.
type Extra struct {
	note.Details        // without the status active; the branch only of a checkpoint
	Next         string `json:"n,omitempty"` // next step of a checkpoint
}

// ExtraOf decodes the extra data of a row. A note that another one replaces has the status
// superseded. A damaged row yields less.
func ExtraOf(r index.Row) (more Extra) {
	if len(r.Extra) > len("{}") {
		_ = json.Unmarshal(r.Extra, &more)
	}
	if r.Replaced {
		more.Status = note.Superseded
	}
	return more
}

// indexDocument returns the index entry of a note. A note without a time gets the modification
// time of its file.
func indexDocument(name string, data []byte, stamp index.Stamp) (index.Document, error) {
	n := note.ParseText(name, data)
	about := Extra{Details: n.Details}
	if n.Status == note.Active {
		about.Status = ""
	}
	if about.Branch = ""; n.Type == note.TypeCheckpoint {
		about.Branch, about.Next = n.Branch, note.NextStep(n.Body)
	}
	more, err := json.Marshal(about)
	if err != nil {
		return index.Document{}, err
	}
	row := index.Row{
		Name: name, ID: note.IDOf(name), Title: n.Title, Type: n.Type, Tags: n.Tags, Time: n.Created,
		Superseded: note.IsSetAside(n.Status), Revision: store.Revision(data), Extra: more, Stamp: stamp,
	}
	if row.Time.IsZero() {
		row.Time = time.Unix(0, stamp.ModTime).UTC()
	}
	keys := []string{uidKey + n.Identity(), titleKey + n.Title, contentKey(note.ScopeOf(name), n.Type, n.Title, n.Body)}
	for _, link := range note.FindLinks(n.Body) {
		keys = append(keys, linkKey+link.ID)
	}
	if at := strings.LastIndexByte(n.From, '#'); at >= 0 {
		keys = append(keys, fromKey+n.From, wasKey+n.From[:at])
	}
	var replaces []string
	for _, word := range n.Supersedes {
		if !note.Replaces(n.Status) {
			break
		}
		id := supersededWord(word)
		if replaces = append(replaces, note.FileOf(id, false), note.FileOf(id, true)); path.Ext(id) != "" {
			keys = append(keys, supersedesKey+id)
		}
	}
	for _, alias := range n.Aliases {
		keys = append(keys, aliasKey+alias)
	}
	for _, f := range n.Files {
		whole, _, _ := strings.Cut(f.Path, "#") // a path written by hand may name a section
		keys = append(keys, fileKey+f.Path, fileKey+whole)
	}
	if n.ConflictWith != "" {
		keys = append(keys, conflictKey)
	}
	if n.Request != "" {
		keys = append(keys, requestKey+n.Request)
	}
	return index.Document{Row: row, Body: n.Body, Keys: keys, Replaces: replaces}, nil
}

// contentKey is equal for notes of the same scope, type, title and body.
func contentKey(scope, kind, title, body string) string {
	text := strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	sum := sha256.Sum256([]byte(scope + "\x00" + kind + "\x00" + title + "\x00" + text))
	return sameKey + string(sum[:16])
}

// supersededWord returns the id of a note, or the path of a document as keys contain it.
func supersededWord(word string) string { return note.BareID(path.Clean(word)) }

// Successors returns the notes that supersede a note, newest first.
func (n Catalog) Successors(row index.Row) []index.Row { return n.Replacing(row.Name) }

// SupersededDocuments returns the documents that notes supersede, by path, each with the newest
// such note.
func (n Catalog) SupersededDocuments() map[string]index.Row {
	by := map[string]index.Row{}
	for word := range n.CountKeys(supersedesKey) {
		for _, row := range n.Keyed(supersedesKey + word) {
			for _, name := range ExtraOf(row).Supersedes {
				name = path.Clean(name)
				if last, ok := by[name]; supersededWord(name) == word && (!ok || row.Time.After(last.Time)) {
					by[name] = row
				}
			}
		}
	}
	return by
}

// Successor returns the newest note that supersedes a note.
func (n Catalog) Successor(row index.Row) (by index.Row, ok bool) {
	if !row.Replaced {
		return by, false
	}
	rows := n.Successors(row)
	if len(rows) == 0 {
		return by, false
	}
	return rows[0], true
}

// Current follows a note to the one that replaces it now. For a note in force it returns the
// note itself. It reports false if the last note is set aside too.
func (n Catalog) Current(row index.Row) (index.Row, bool) {
	for seen := []string{row.Name}; row.Superseded; seen = append(seen, row.Name) {
		next, ok := n.Successor(row)
		if !ok || slices.Contains(seen, next.Name) {
			return row, false
		}
		row = next
	}
	return row, true
}

// IsSuperseded reports whether another note replaces a note, or its status says so.
func IsSuperseded(row index.Row) bool {
	return row.Superseded && note.IsSuperseded(ExtraOf(row).Status)
}

// IsProposed reports whether a note waits for a person to accept it.
func IsProposed(row index.Row) bool {
	return !row.Replaced && bytes.Contains(bytes.ToLower(row.Extra), []byte(note.Proposed)) && // far cheaper than to decode it
		note.IsProposed(ExtraOf(row).Status)
}

// proposedLast returns rows, or what stands for rows, with those of proposed notes after all others.
func proposedLast[T any](all []T, row func(T) index.Row) []T {
	var first, last []T
	for _, one := range all {
		if IsProposed(row(one)) {
			last = append(last, one)
		} else {
			first = append(first, one)
		}
	}
	return append(first, last...)
}

func itself(row index.Row) index.Row { return row }

// NamedRows returns the notes with the given whole ids, as far as they exist.
func (n Catalog) NamedRows(ids []string) (rows []index.Row) {
	for _, id := range ids {
		for _, private := range []bool{false, true} {
			if row, ok := n.Row(note.FileOf(note.BareID(id), private)); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Supersedes reports whether a note supersedes the note with an id, directly or through others.
func (n Catalog) Supersedes(row index.Row, id string) bool {
	return n.supersedes(row, id, map[string]bool{})
}

func (n Catalog) supersedes(row index.Row, id string, seen map[string]bool) bool {
	if seen[row.Name] {
		return false
	}
	seen[row.Name] = true
	return slices.ContainsFunc(n.NamedRows(ExtraOf(row).Supersedes), func(older index.Row) bool {
		return older.ID == id || n.supersedes(older, id, seen)
	})
}

// State returns the status of a note by which notes are grouped.
func (e Extra) State() string { return note.State(e.Status) }

// CountFacets counts the notes by type, tag, author and status.
func (n Catalog) CountFacets() result.Facets {
	types, tags, authors, statuses := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, row := range n.All(false) {
		more := ExtraOf(row)
		types[row.Type]++
		statuses[more.State()]++
		for _, tag := range row.Tags {
			tags[tag]++
		}
		if more.Author != "" {
			authors[more.Author]++
		}
	}
	return result.Facets{Types: byCount(types), Tags: byCount(tags), Authors: byCount(authors), Statuses: byCount(statuses)}
}

// byCount returns the words with their counts, most frequent first.
func byCount(counts map[string]int) []result.Facet {
	all := []result.Facet{}
	for word, count := range counts {
		all = append(all, result.Facet{Word: word, Shown: note.ShowWord(word), Count: count})
	}
	slices.SortFunc(all, func(a, b result.Facet) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Word, b.Word)) })
	return all
}
