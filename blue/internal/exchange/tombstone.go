package exchange

import (
	"strconv"
	"strings"
	"time"
)

// Tombstone says that a note was removed, at which revision, when and by whom. When is for
// people: nothing depends on it.
type Tombstone struct {
	UID, ID, Revision string
	Removed           time.Time
	By                string
}

// Text is the file of a tombstone.
func (t Tombstone) Text() []byte {
	return []byte("uid: " + t.UID + "\nid: " + t.ID + "\nrevision: " + t.Revision + "\nremoved: " + t.Removed.UTC().Format(time.RFC3339) + "\nby: " + strconv.Quote(t.By) + "\n")
}

// parseTombstone reads one; what it does not say is zero.
func parseTombstone(text []byte) (t Tombstone) {
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "uid":
			t.UID = value
		case "id":
			t.ID = value
		case "revision":
			t.Revision = value
		case "removed":
			t.Removed, _ = time.Parse(time.RFC3339, value)
		case "by":
			t.By, _ = strconv.Unquote(value)
		}
	}
	return t
}
