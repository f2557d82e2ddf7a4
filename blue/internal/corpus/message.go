package corpus

import (
	"encoding/json"
	"slices"
	"strings"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
	"blue/blue/internal/screen"
)

// Types in the index of commits.
const (
	kindCommit = result.KindCommit
	kindHead   = "head"  // the one entry that says up to where commits have been read
	kindMerge  = "merge" // one that says nothing itself
)

const (
	commitFiles = 20      // files of a commit that are kept
	commitText  = 4 << 10 // bytes of its message
	hashShown   = 7       // letters of a hash
	hashKey     = 4       // letters of a hash that a commit is found by
)

// commitEntry is what the index keeps of a commit beyond its words.
type commitEntry struct {
	Author string   `json:"a,omitempty"`
	Files  []string `json:"f,omitempty"`
	More   int      `json:"n,omitempty"` // files beyond those
	Text   string   `json:"b,omitempty"`
	Head   string   `json:"h,omitempty"` // of the entry kindHead, as State
	State  string   `json:"s,omitempty"`
}

// loadCommit puts a commit into an update.
func loadCommit(u *index.Update, c git.Commit) {
	if c.Merge && c.Body == "" {
		u.Load(c.Hash, 0, func() (index.Document, bool, error) {
			return index.Document{Row: index.Row{Name: c.Hash, Type: kindMerge}}, true, nil
		})
		return
	}
	u.Load(c.Hash, int64(len(c.Body)+len(c.Subject)), func() (index.Document, bool, error) {
		subject, body := screenCommit(c)
		kept := c.Files[:min(len(c.Files), commitFiles)]
		entry := commitEntry{Author: c.Author, Files: kept, More: len(c.Files) - len(kept) + c.MoreFiles}
		entry.Text, _ = result.CutBytes(body, commitText)
		more, err := json.Marshal(entry)
		row := index.Row{Name: c.Hash, Type: kindCommit, Title: subject, Time: c.Time, Revision: c.Hash[:16], Extra: more}
		return index.Document{Row: row, Body: entry.whole(subject, body), Keys: keysOf(c)}, true, err
	})
}

// keyMore is the key of commits that touched more files than are known.
const keyMore = "more"

// documentKey is the key of the commits that touched a document, which has its path from the
// top of the working tree.
func documentKey(name string) string { return "in " + name }

// keysOf are the keys by which a commit is found.
func keysOf(c git.Commit) []string {
	keys := []string{c.Hash[:hashKey]}
	for _, name := range c.Files {
		if isDocument(name) {
			keys = append(keys, documentKey(name))
		}
	}
	if c.MoreFiles > 0 {
		keys = append(keys, keyMore)
	}
	return keys
}

// whole is the text by which a commit is found.
func (e commitEntry) whole(subject, body string) string {
	return strings.TrimSpace(subject + "\n\n" + body + "\n\n" + strings.Join(e.Files, "\n"))
}

// screenCommit returns the message of a commit without the lines that look like a secret:
// nobody can take them out of the history, but nobody need repeat them.
func screenCommit(c git.Commit) (subject, body string) {
	message := c.Subject + "\n" + c.Body
	found := screen.Secrets(message)
	if len(found) == 0 {
		return c.Subject, c.Body
	}
	lines := strings.Split(message, "\n")
	for _, f := range found {
		for n := f.Line; n <= min(max(f.Last, f.Line), len(lines)); n++ {
			lines[n-1] = "(line left out: it looks like a secret, " + f.Rule + ")"
		}
	}
	return lines[0], strings.Join(slices.Compact(lines[1:]), "\n")
}

func commitRef(hash string) string { return "commit " + hash[:min(hashShown, len(hash))] }
