package note

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"blue/errors"
)

// An id is the name of a note's file without ".md". Generated ids have the form
// slug-of-the-title-xxxx: readable, a valid file name on every system, and unlikely to collide
// between branches.

// IDOf returns the id of the note in a file.
func IDOf(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }

// ScopeOf returns the directory of a file below .blue: "notes" or "private".
func ScopeOf(name string) string { return path.Dir(name) }

// ScopeDir returns the directory of public or private notes, relative to .blue.
func ScopeDir(private bool) string {
	if private {
		return "private/"
	}
	return "notes/"
}

// FileOf returns the file of the note with an id, relative to .blue.
func FileOf(id string, private bool) string { return ScopeDir(private) + id + ".md" }

// IsPrivate reports whether a file below .blue is a private note.
func IsPrivate(name string) bool { return ScopeOf(name) == "private" }

// BareID returns an id without its optional directory prefix.
func BareID(word string) string {
	return strings.TrimPrefix(strings.TrimPrefix(word, "notes/"), "private/")
}

// Limits of a slug. With "-" and four characters an id has at most 40 characters.
const (
	slugLimit  = 35 // characters
	slugBytes  = 59 // of UTF-8
	wholeWords = 15 // characters of the words that fit, below which the next word is cut
)

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// MakeSlug converts a title to lower-case words joined by "-", or "note" if none are left. It
// removes accents from Latin letters but keeps the marks of other scripts. The result is in NFC and
// has no invisible characters. It leaves out words that do not fit.
func MakeSlug(title string) string {
	var slug []rune
	size, whole := 0, 0        // whole: characters of the words that are complete
	gap, latin := false, false // latin: the previous letter is ASCII
	for _, r := range norm.NFKC.String(strings.ReplaceAll(title, "ß", "ss")) {
		mark := unicode.IsMark(r)
		if plain, ok := withoutAccent(r); ok {
			r = plain
		}
		switch {
		case mark && (gap || latin || len(slug) == 0 || unicode.Is(unicode.Variation_Selector, r)), r == '\'', r == '’':
			continue
		case !mark && !unicode.IsLetter(r) && !unicode.IsNumber(r) || errors.HiddenInName(r):
			gap = true
			continue
		case gap && len(slug) > 0:
			whole = len(slug)
			slug = append(slug, '-')
			size++
		}
		gap, latin = false, r < utf8.RuneSelf
		r = unicode.ToLower(r)
		if size += utf8.RuneLen(r); size > slugBytes || len(slug) >= slugLimit {
			if whole >= wholeWords {
				slug = slug[:whole]
			}
			break
		}
		slug = append(slug, r)
	}
	if s := strings.TrimRight(norm.NFC.String(string(slug)), "-"); s != "" {
		return s
	}
	return "note"
}

// withoutAccent returns the ASCII base letter of a character, if it has one.
func withoutAccent(r rune) (plain rune, ok bool) {
	plain = rune(norm.NFKD.String(string(r))[0])
	return plain, plain < utf8.RuneSelf
}

// IDSuffixes yields candidates for the suffix of an id: random ones or, with a key, derived from
// HMAC-SHA-256(project, key), so that a repeated create finds its own note.
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
