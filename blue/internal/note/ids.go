package note

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// An id is the name of a note's file without ".md". The ids that the program makes are
// slug-of-the-title-xxxx: readable, safe as a file name on every system, and different
// on two branches.

// IDOf is the id of the note in a file.
func IDOf(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }

// ScopeOf is the directory of a file below .blue: "notes" or "private".
func ScopeOf(name string) string { return path.Dir(name) }

// ScopeDir is the directory of the notes of a scope, below .blue.
func ScopeDir(private bool) string {
	if private {
		return "private/"
	}
	return "notes/"
}

// FileOf is the file that a note of an id has, below .blue.
func FileOf(id string, private bool) string { return ScopeDir(private) + id + ".md" }

// IsPrivate reports whether a file below .blue is a private note.
func IsPrivate(name string) bool { return ScopeOf(name) == "private" }

// BareID is an id without the directory that it may be named with.
func BareID(word string) string {
	return strings.TrimPrefix(strings.TrimPrefix(word, "notes/"), "private/")
}

const slugLimit = 59 // bytes; with "-" and four characters an id has at most 64

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// MakeSlug turns a title into lower-case ASCII words joined by "-", "note" when
// nothing is left.
func MakeSlug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ReplaceAll(title, "ß", "ss")) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’':
			gap = true
		}
		if b.Len() >= slugLimit {
			break
		}
	}
	if s := strings.TrimRight(b.String()[:min(b.Len(), slugLimit)], "-"); s != "" {
		return s
	}
	return "note"
}

// IDSuffixes yields the ends an id may have: random ones, or with a key those of
// HMAC-SHA-256(project, key), so that the same create sent twice meets its own
// note.
func IDSuffixes(project, key string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if key != "" {
			mac := hmac.New(sha256.New, []byte(project))
			mac.Write([]byte(key))
			text := lowerBase32.EncodeToString(mac.Sum(nil))
			for ; len(text) >= 4; text = text[4:] {
				if !yield(text[:4]) {
					return
				}
			}
			return
		}
		for range 100 {
			var raw [3]byte
			_, _ = rand.Read(raw[:])
			if !yield(lowerBase32.EncodeToString(raw[:])[:4]) {
				return
			}
		}
	}
}
