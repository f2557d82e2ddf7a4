package note

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"
)

// UIDKey is the front matter key of a note's identity.
const UIDKey = "uid"

const uidSize = 26 // base32 characters: a to z, 2 to 7

// NewUID returns a random identity for a new note.
func NewUID() string { return strings.ToLower(rand.Text()) }

// DeriveUID returns the identity of a note without one in its front matter. It is deterministic.
func DeriveUID(id string, created time.Time) string {
	sum := sha256.Sum256([]byte("blue note\x00" + id + "\x00" + created.UTC().Format(time.RFC3339)))
	return lowerBase32.EncodeToString(sum[:])[:uidSize]
}

// IsUID reports whether a word has the form of an identity.
func IsUID(word string) bool {
	return len(word) == uidSize && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Identity returns the UID of a parsed note, or the one derived from its id and creation time
// if its front matter has none.
func (n *Text) Identity() string {
	if n.UID != "" {
		return n.UID
	}
	return DeriveUID(n.id, n.Created)
}

// KeepIdentity sets the identity of a note if it differs, unless its front matter is broken.
func (n *Text) KeepIdentity(uid string) error {
	if n.Problem != "" || n.Identity() == uid {
		return nil
	}
	return n.SetKey(UIDKey, uid)
}
