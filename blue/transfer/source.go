package transfer

import (
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"blue/errors"
)

// documentLimit is the size in bytes up to which one Markdown file is read.
const documentLimit = 1 << 20

// recordsLimit is the size in bytes up to which a file of records is read.
const recordsLimit = 256 << 20

// document is one text of a source, with what the source says of it.
type document struct {
	Path     string    // where it stands: below the directory named, or by name in a file of records
	Hash     string    // first 16 hex digits of the SHA-256 of what was read
	ID       string    // the id that it has and should keep; empty when it has none
	Names    []string  // by which links call it, beside its path, the most precise first
	Text     string    // Markdown with its front matter, if it has any; line ends are "\n"
	Title    string    // for a text that neither has one nor begins with a heading
	Type     string    // for a text without one
	Tags     []string  // beside those of its front matter
	Created  string    // when its front matter does not say so as "created"; any common form
	Modified time.Time // of the file, zero when it says nothing about the text
	Status   string    // of a decision record

	Supersedes, SupersededBy []string // names or paths of decision records

	Private   bool       // about the person, not the project
	Relations []relation // to other documents, that do not stand in the text
	Hashtags  bool       // #word in the text is a tag
	Bundle    bool       // a link that begins with / is what a wiki link became in a bundle
	Escaped   int        // hidden characters that Escape has spelled out
	Reason    string     // why it cannot be taken; the text is empty then
}

// Escape spells out the hidden characters of a document as \u{200B}, but for its path and
// names, by which others call it.
func (d *document) Escape() {
	fields := []*string{&d.Text, &d.Title, &d.Type, &d.Status}
	for i := range d.Tags {
		fields = append(fields, &d.Tags[i])
	}
	for _, field := range fields {
		text, count := errors.Escape(*field, errors.HiddenInText)
		*field, d.Escaped = text, d.Escaped+count
	}
}

// relation is how a document relates to another one.
type relation struct{ Word, To string }

// source is an opened source: a tree of Markdown files, of which each kind says what the front
// matter means (kinds.go), or a file of records: the graph of the reference memory server
// (graph.go), or an export of Engram (engram.go). Its documents come one at a time, so that no
// source has to fit into memory; those that cannot be taken come too, with the reason.
type source struct {
	kind kind
	word string // by which the kind was asked for
	name string // of the directory or file that was named
	tree fs.FS
	file string // the only file to read, empty for the whole tree
}

// Sources returns the kinds of what can be imported, sorted.
func Sources() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// openKind opens the documents of a kind in a tree. dir is the name of the tree's directory;
// file is the one file to read, empty for the whole tree. A tree that has the kind's own
// directory, such as .serena/memories, stands for that. The error is of kind invalid.
func openKind(word string, tree fs.FS, dir, file string) (*source, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == word || slices.Contains(k.others, word) })
	if at < 0 {
		return nil, errors.E(errors.Invalid, "no source %s is known", errors.Quote(word)).
			Hint("import", "SOURCE PATH", "the sources are "+strings.Join(Sources(), ", "))
	}
	s := &source{kind: kinds[at], word: word, name: dir, tree: tree, file: file}
	if file != "" && s.kind.records == nil {
		return s, nil
	}
	for _, home := range s.kind.homes {
		info, err := lstat(tree, home)
		switch {
		case file != "" || err != nil:
		case s.kind.records != nil && info.Mode().IsRegular():
			s.file = home
		case s.kind.records == nil && info.IsDir():
			below, err := fs.Sub(tree, home)
			if err != nil {
				return nil, errors.BadSource(home, "it cannot be read")
			}
			s.tree, s.name = below, path.Base(home)
			return s, nil
		}
	}
	if s.kind.records != nil {
		if s.file == "" {
			return nil, errors.BadSource(dir, "it holds no file "+s.kind.homes[0]+": name the file itself")
		}
		s.name = s.file
	}
	return s, nil
}

// lstat describes a path of a tree without following a link at any part of it.
func lstat(tree fs.FS, name string) (info fs.FileInfo, err error) {
	parts := strings.Split(name, "/")
	for i := range parts {
		info, err = fs.Lstat(tree, strings.Join(parts[:i+1], "/"))
		if err != nil || i+1 < len(parts) && !info.IsDir() {
			return nil, fs.ErrNotExist
		}
	}
	return info, err
}

// Origin returns the name of a document among all that were ever imported: its kind, what was
// named, and its path there.
func (s *source) Origin(d document) string { return s.kind.name + ":" + s.name + "/" + d.Path }

// Documents yields every document, always in the same order. An error ends it: the source as a
// whole cannot be read.
func (s *source) Documents() iter.Seq2[document, error] {
	if s.kind.records != nil {
		return s.kind.records(s)
	}
	return s.eachFile
}
