package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"blue/errors"
)

const (
	extension = ".md"
	tempStart = ".tmp-"
	maxName   = 200 // bytes of a file name
)

// Revision returns the name of a content: the first 16 hex digits of its SHA-256.
func Revision(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// SafeName returns why a file name, without its directory, is not served, or "" if it is. The
// part before ".md" names directories of the history, so it may not end in a space or dot,
// which Windows drops.
func SafeName(base string) string {
	stem, isNote := strings.CutSuffix(base, extension)
	switch {
	case !utf8.ValidString(base):
		return "the name is not UTF-8"
	case !isNote:
		return "the name does not end in .md"
	case len(base) > maxName:
		return "the name is longer than 200 bytes"
	case strings.ContainsFunc(base, errors.HiddenInName):
		return "the name has a control or invisible character"
	case strings.ContainsAny(base, `<>:"/\|?*`):
		return "the name has one of the characters < > : \" / \\ | ? *"
	case stem == "" || stem != strings.Trim(stem, " ."):
		return "the name begins or ends with a space or dot"
	}
	return ""
}

// Twins groups the names that some file systems take for one file, because they ignore case or
// keep one Unicode form; there git has merged the files. form converts a name to one Unicode
// form. Names of different directories are never twins.
func Twins(names []string, form func(string) string) [][]string {
	key := func(name string) string { return strings.Map(foldCase, form(name)) }
	groups := map[string][]string{}
	for _, name := range names {
		groups[key(name)] = append(groups[key(name)], name)
	}
	twins := [][]string{}
	for _, name := range names {
		if group := groups[key(name)]; len(group) > 1 && group[0] == name {
			twins = append(twins, group)
		}
	}
	return twins
}

// foldCase returns the smallest character that differs from r only in case.
func foldCase(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// notePath is the place of one note. The two directories have separate histories and trash,
// because one id may exist in both.
type notePath struct{ dir, base string }

// parseName parses "notes/ID.md" or "private/ID.md". Any other name is not that of a note. A
// name comes from a listing and becomes a path only here.
func parseName(name string) (notePath, error) {
	dir, base, _ := strings.Cut(name, "/")
	if dir != notes && dir != private {
		return notePath{}, errors.NotServed(name, "it is neither in notes/ nor in private/")
	}
	if problem := SafeName(base); problem != "" {
		return notePath{}, errors.NotServed(name, problem)
	}
	return notePath{dir, base}, nil
}

func (n notePath) name() string { return n.dir + "/" + n.base }

// id returns the name that people use: x, or private/x.
func (n notePath) id() string {
	if n.dir == private {
		return private + "/" + n.stem()
	}
	return n.stem()
}

func (n notePath) stem() string { return strings.TrimSuffix(n.base, extension) }

func (n notePath) historyDir() string { return history + "/" + n.id() }

func (n notePath) trashDir() string {
	if n.dir == private {
		return trash + "/" + private
	}
	return trash
}

// mode returns the mode of a new file for the note, its history and its trash.
func (n notePath) mode() fs.FileMode {
	if n.dir == private {
		return 0o600
	}
	return 0o644
}
