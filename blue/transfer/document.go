package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"blue/errors"
)

// documentLimit is the maximum size in bytes of a Markdown file.
const documentLimit = 1 << 20

// document is one text of a source with its metadata.
type document struct {
	Path     string    // path below the named directory, or name in a file of records
	Hash     string    // first 16 hex digits of the SHA-256 of the raw bytes
	ID       string    // id to keep, if any
	Names    []string  // names in links in addition to the path, the most precise first
	Text     string    // Markdown with its front matter, if any; line ends are "\n" but for kinds that keep them
	Title    string    // used if the text has none and does not begin with a heading
	Type     string    // used if the text has none
	Tags     []string  // in addition to those of its front matter
	Created  string    // used if the front matter has no "created"; in any common form
	Modified time.Time // of the file, zero if it says nothing about the text
	Status   string    // of a decision record

	Supersedes, SupersededBy []string // names or paths of decision records

	Private   bool       // about the person, not the project
	Relations []relation // relations to other documents that are not in the text
	Hashtags  bool       // #word in the text is a tag
	Bundle    bool       // links that begin with / stand for wiki links
	Escaped   int        // hidden characters that Escape has escaped
	Reason    string     // why it cannot be imported; the text is then empty
}

// Escape escapes the hidden characters of a document as \u{200B}, except in its path and names,
// by which other documents refer to it.
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

// relation is a relation of a document to another one.
type relation struct{ Word, To string }

// IsIndex reports whether the file is called index, a name that tells nothing about its
// content.
func (d *document) IsIndex() bool { return strings.EqualFold(fileStem(d.Path), "index") }

// loadText reads the file of a document. It returns the reason if it cannot be imported.
func (d *document) loadText(tree fs.FS) (reason string) {
	file, err := tree.Open(d.Path)
	if err != nil {
		return whyUnreadable(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return whyUnreadable(err)
	}
	if !info.Mode().IsRegular() {
		return "not a regular file"
	}
	raw, err := io.ReadAll(io.LimitReader(file, documentLimit+1))
	switch {
	case err != nil:
		return whyUnreadable(err)
	case len(raw) > documentLimit:
		return "larger than 1 MiB"
	case !utf8.Valid(raw):
		return "not UTF-8 text"
	}
	d.Hash, d.Modified = hashText(raw), info.ModTime()
	d.Text = string(raw)
	return ""
}

func useLineFeeds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func hashText(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// whyUnreadable returns the system's text for a failure, without the path.
func whyUnreadable(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return "it cannot be read: " + err.Error()
}

func fileStem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
