package corpus

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
)

// load adds the pieces of a document to an update. It returns false if the file cannot be read.
func (s *documentIndex) load(u *index.Update, name string, stamp index.Stamp) bool {
	text, reason, err := readText(s.of.Tree, name)
	if err != nil {
		return false
	}
	put := func(n int, row index.Row, body string, keys ...string) {
		row.Name, row.Stamp, row.Time = pieceName(name, n), stamp, time.Unix(0, stamp.ModTime).UTC()
		u.Load(row.Name, int64(len(body)), func() (index.Document, bool, error) {
			return index.Document{Row: row, Body: body, Keys: keys}, true, nil
		})
	}
	if reason != "" {
		put(0, index.Row{Type: reason}, "")
		return true
	}
	for n, piece := range cutPieces(name, text) {
		row := index.Row{ID: strings.TrimSuffix(name+"#"+piece.Anchor, "#"), Title: piece.Title, Type: kindDocument, Revision: store.Revision([]byte(piece.Body))}
		if n > 0 {
			put(n, row, piece.Body)
			continue
		}
		keys := []string{keyWhole}
		for _, to := range linksOf(name, text) {
			keys = append(keys, keyLink+to)
		}
		row.Extra = []byte(statusOf(text))
		put(n, row, piece.Body, keys...)
	}
	return true
}

// Keys of the first piece of a document. Its Extra is the status of the document.
const (
	keyWhole = "whole"
	keyLink  = "to " // followed by a document that it links to
)

// pieceName returns the name of a piece of a document in the index. That of the first piece is the
// name of the document.
func pieceName(name string, n int) string {
	if n == 0 {
		return name
	}
	number := strconv.Itoa(pieceBase + n) // of equal length, so that names ascend
	return name + "#" + number[1:]
}

func splitPiece(piece string) (name string, n int) {
	name, number := cutSection(piece)
	n, _ = strconv.Atoi(number) // 0 for a whole document
	return name, n
}

// fileOf returns the name of the document of a piece.
func fileOf(piece string) string { name, _ := splitPiece(piece); return name }

// cutSection splits a reference into the name of a document and the section.
func cutSection(ref string) (name, section string) {
	name, section, found := strings.Cut(ref, "#")
	for found && !isDocument(name) { // the # is part of the name
		var more string
		more, section, found = strings.Cut(section, "#")
		name += "#" + more
	}
	return name, section
}

// isVersion reports whether two pieces have most of their lines in common.
func (s *documentIndex) isVersion(a, b index.Row) bool {
	if a.Revision == b.Revision {
		return true
	}
	one, _ := s.body(a)
	other, _ := s.body(b)
	lines, common, all := map[string]bool{}, 0, 0
	for _, line := range filledLines(one) {
		lines[line] = true
	}
	for _, line := range filledLines(other) {
		if all++; lines[line] {
			common++
		}
	}
	return common*2 > max(all, len(lines))
}

// filledLines returns the lines of a text that are not blank.
func filledLines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// around reads the whole document if the piece is its first one, which is often only the title.
func (s *documentIndex) around(row index.Row) string {
	name, n := splitPiece(row.Name)
	if n > 0 {
		return ""
	}
	text, _, _ := readText(s.of.Tree, name)
	return visible(name, text)
}

// body reads a piece.
func (s *documentIndex) body(row index.Row) (body, revision string) {
	name, n := splitPiece(row.Name)
	text, reason, err := readText(s.of.Tree, name)
	if err != nil || reason != "" {
		return "", ""
	}
	pieces := cutPieces(name, text)
	if n >= len(pieces) {
		return "", ""
	}
	return pieces[n].Body, store.Revision([]byte(pieces[n].Body))
}
