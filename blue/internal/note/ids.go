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

const slugLimit = 59 // bytes of UTF-8; with "-" and four characters an id has at most 64

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// MakeSlug turns a title into lower-case words joined by "-", "note" when nothing is
// left. Latin letters lose their accents, those of other scripts keep their marks; the
// whole is in NFC, and has no character that a listing would not show.
func MakeSlug(title string) string {
	var slug []rune
	size, gap, latin := 0, false, false // latin: the letter before is one of ASCII
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
			slug = append(slug, '-')
			size++
		}
		gap, latin = false, r < utf8.RuneSelf
		r = unicode.ToLower(r)
		if size += utf8.RuneLen(r); size > slugLimit {
			break
		}
		slug = append(slug, r)
	}
	if s := strings.TrimRight(norm.NFC.String(string(slug)), "-"); s != "" {
		return s
	}
	return "note"
}

// withoutAccent is the letter of ASCII that a character is made of, if any.
func withoutAccent(r rune) (plain rune, ok bool) {
	plain = rune(norm.NFKD.String(string(r))[0])
	return plain, plain < utf8.RuneSelf
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
