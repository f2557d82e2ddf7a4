package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/errors"
)

// eachFile yields the Markdown files of the tree. It skips directories that begin with a dot or
// hold installed packages, and follows no links.
func (s *source) eachFile(yield func(document, error) bool) {
	if s.file != "" {
		yield(s.readDocument(s.file, nil), nil)
		return
	}
	_, err := fs.Lstat(s.tree, ".obsidian")
	vault := err == nil || s.word == "obsidian"
	err = fs.WalkDir(s.tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return continueWalk(yield(document{Path: name, Reason: whyUnreadable(err)}, nil))
		case entry.IsDir() && name != "." && (isHidden(name) || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || isHidden(name):
			return nil
		}
		d := s.readDocument(name, entry)
		d.Hashtags = d.Hashtags || vault
		return continueWalk(yield(d, nil))
	})
	if err != nil && err != fs.SkipAll {
		yield(document{}, errors.BadSource(s.name, whyUnreadable(err)))
	}
}

// continueWalk returns what ends a walk when no more is wanted.
func continueWalk(wanted bool) error {
	if wanted {
		return nil
	}
	return fs.SkipAll
}

func isHidden(name string) bool { return strings.HasPrefix(path.Base(name), ".") }

// readDocument returns the document of one file. The entry is nil for a file that a person
// named.
func (s *source) readDocument(name string, entry fs.DirEntry) document {
	d := document{Path: name}
	switch {
	case entry != nil && entry.Type()&fs.ModeSymlink != 0:
		d.Reason = "a symbolic link, which is not followed"
	case entry != nil && !entry.Type().IsRegular():
		d.Reason = "not a regular file"
	case !isMarkdown(name):
		d.Reason = "not a Markdown file"
	default:
		d.Reason = d.loadText(s.tree)
	}
	if d.Reason != "" {
		d.Text = ""
		return d
	}
	d.Title, d.Names = fileStem(name), []string{fileStem(name)}
	if d.IsIndex() {
		d.Title = path.Base(path.Join("/", s.name, path.Dir(name)))
	}
	s.kind.fill(&d, note.ParseFront(d.Text), path.Join(s.word, s.name, path.Dir(name)))
	if d.Reason != "" {
		d.Text = ""
	}
	return d
}

// IsIndex reports whether the file is called index, which tells nothing about its content.
func (d *document) IsIndex() bool { return strings.EqualFold(fileStem(d.Path), "index") }

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

func fileStem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// loadText reads the file of a document, or returns why it cannot be taken.
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
	d.Text = useLineFeeds(strings.TrimPrefix(string(raw), "\uFEFF"))
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
