package notebook

import (
	"crypto/sha256"
	"encoding/json"
	"path"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// What begins the keys under which notes are found: each has a method of [Notes].
const (
	fileKey       = "file:"
	linkKey       = "link:"
	titleKey      = "title:"
	aliasKey      = "alias:" // without an alias behind it, the key of all notes that have one
	sameKey       = "same:"
	requestKey    = "request:"
	uidKey        = "uid:"
	fromKey       = "from:"
	wasKey        = "was:"
	conflictKey   = "conflict"   // the whole key of the notes that hold another machine's text of a note
	supersedesKey = "supersedes" // the whole key of the notes that supersede others
)

// Extra is what a reply needs of a note beyond what the index knows.
type Extra struct {
	Files   []note.Cited `json:"f,omitempty"`
	Author  string       `json:"a,omitempty"`
	Problem string       `json:"p,omitempty"`
	Branch  string       `json:"b,omitempty"` // of a checkpoint, as Next
	Next    string       `json:"n,omitempty"`

	Status       string   `json:"s,omitempty"` // when it is not active
	Supersedes   []string `json:"u,omitempty"` // what it replaces: ids of notes, and paths of documents
	Aliases      []string `json:"l,omitempty"` // by which links may name it
	ConflictWith string   `json:"c,omitempty"` // the note of which this is another machine's text
}

// ExtraOf reads it; a damaged row shows less.
func ExtraOf(r index.Row) (more Extra) {
	if len(r.Extra) > len("{}") {
		_ = json.Unmarshal(r.Extra, &more)
	}
	return more
}

// indexDocument returns the document that a note is to the index, but for its stamp; its time is
// zero when the note says none.
func indexDocument(name string, data []byte) (index.Document, error) {
	n := note.ParseText(name, data)
	about := Extra{Files: n.Files, Author: n.Author, Problem: n.Problem, Supersedes: n.Supersedes, Aliases: n.Aliases, ConflictWith: n.ConflictWith}
	if n.Status != note.Active {
		about.Status = n.Status
	}
	if n.Type == note.TypeCheckpoint {
		about.Branch, about.Next = n.Branch, note.NextStep(n.Body)
	}
	more, err := json.Marshal(about)
	if err != nil {
		return index.Document{}, err
	}
	row := index.Row{
		Name: name, ID: note.IDOf(name), Title: n.Title, Type: n.Type, Tags: n.Tags, Time: n.Created,
		Superseded: note.IsSetAside(n.Status), Revision: store.Revision(data), Extra: more,
	}
	keys := append(linkKeys(n.Body), uidKey+n.Identity(), titleKey+n.Title, contentKey(note.ScopeOf(name), n.Type, n.Title, n.Body))
	keys = append(append(keys, importKeys(n.From)...), supersedesKeys(n.Supersedes)...)
	for _, alias := range n.Aliases {
		keys = append(keys, aliasKey+alias, aliasKey)
	}
	for _, f := range n.Files {
		whole, _, _ := strings.Cut(f.Path, "#") // written by hand, a path may name a part
		keys = append(keys, fileKey+f.Path, fileKey+whole)
	}
	if n.ConflictWith != "" && n.Status != note.Superseded {
		keys = append(keys, conflictKey)
	}
	if n.Request != "" {
		keys = append(keys, requestKey+n.Request)
	}
	return index.Document{Row: row, Body: n.Body, Keys: keys}, nil
}

// contentKey returns the key under which two notes of one scope, type, title and body
// meet.
func contentKey(scope, kind, title, body string) string {
	text := strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	sum := sha256.Sum256([]byte(scope + "\x00" + kind + "\x00" + title + "\x00" + text))
	return sameKey + string(sum[:16])
}

func linkKeys(body string) []string {
	var keys []string
	for _, link := range note.FindLinks(body) {
		keys = append(keys, linkKey+link.ID)
	}
	return keys
}

// importKeys returns the keys under which an import finds what it made: of the very same
// text, and of an earlier one.
func importKeys(from string) []string {
	at := strings.LastIndexByte(from, '#')
	if at < 0 {
		return nil
	}
	return []string{fromKey + from, wasKey + from[:at]}
}

// supersedesKeys are the keys under which a note is found by what it supersedes, notes and
// documents.
func supersedesKeys(words []string) (keys []string) {
	for _, word := range words {
		keys = append(keys, supersedesKey+":"+supersededWord(word))
	}
	if len(keys) > 0 {
		keys = append(keys, supersedesKey)
	}
	return keys
}

// supersededWord is the id of a note, or the path of a document, as a key has it.
func supersededWord(word string) string { return note.BareID(path.Clean(word)) }
