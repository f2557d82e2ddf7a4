package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/screen"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Types in the index of commits.
const (
	kindCommit = result.KindCommit
	kindHead   = "head"  // type of the entry that records up to which commit the index is complete
	kindMerge  = "merge" // type of a merge commit without a message of its own
)

// commitEntry is stored in the index with each commit.
type commitEntry struct {
	Author string   `json:"a,omitempty"`
	Files  []string `json:"f,omitempty"`
	More   int      `json:"n,omitempty"` // number of files beyond those
	Text   string   `json:"b,omitempty"`
	Head   string   `json:"h,omitempty"` // for the entry kindHead, like State
	State  string   `json:"s,omitempty"`
}

// commitIndex indexes the commits of a working tree: HEAD and its ancestors.
type commitIndex struct {
	reading
	index *index.Index

	state string // state of HEAD at the last complete update
	size  int    // number of entries at that time; if there are fewer, the index has lost some
}

// refresh updates the index to HEAD and waits up to patience for the update. ended reports whether
// it is complete.
func (s *commitIndex) refresh(ctx context.Context, c git.Checkout, patience time.Duration) (ended bool) {
	return s.reading.refresh(ctx, patience, func() {
		if state := checkoutState(c); state != s.state || s.index.Len() != s.size {
			s.readHead(c, state == s.state)
		}
	})
}

// checkoutState identifies the set of commits: it changes whenever that may have changed.
func checkoutState(c git.Checkout) string {
	return fmt.Sprintln(c.Top, c.Private, c.Shallow, c.State())
}

// readHead starts an update unless there is nothing to read or HEAD has not moved since the last
// one. If anew is true, it starts one even then. The caller holds the lock.
func (s *commitIndex) readHead(c git.Checkout, anew bool) {
	s.trouble, s.stuck = "", false
	var last commitEntry // records the commit up to which the index is complete
	if row, ok := s.index.Row(kindHead); ok {
		_ = json.Unmarshal(row.Extra, &last) // our own data; if damaged, everything is read
	}
	markRead := func() { s.state, s.size = checkoutState(c), s.index.Len() }
	switch {
	case c.Top == "":
		s.trouble = "no git repository"
	case c.Private == "":
		s.trouble = "the file .git leads nowhere"
	case c.Shallow:
		s.trouble = "the clone is shallow"
	case c.State() == "":
		s.trouble = "no commit yet"
	case anew || last.State != c.State():
		s.start(func(ctx context.Context) error {
			err := index.UntilIntact(func() error { return s.bring(ctx, c) })
			if ctx.Err() == nil && !errors.Is(err, errors.Timeout) { // after a timeout, git may answer the next time
				s.Lock()
				defer s.Unlock()
				markRead()
			}
			return err
		})
		return
	}
	markRead()
}

// bring updates the index to HEAD, the newest commits first.
func (s *commitIndex) bring(ctx context.Context, c git.Checkout) error {
	head, err := c.Head(ctx)
	if err != nil {
		return err
	}
	hashes, err := git.Ancestors(ctx, c.Top, head, commitsMost)
	if err != nil {
		return err
	}
	defer s.index.Save()
	return s.InSteps(ctx, s.index, func(u *index.Step) error {
		u.Files = len(hashes)
		var missing []string
		for _, hash := range hashes {
			if !u.Same(hash, index.Stamp{}) && u.Takes(commitCost) {
				missing = append(missing, hash)
			}
		}
		if u.IsLast() {
			u.Load(kindHead, 0, func() (index.Document, bool, error) {
				more, err := json.Marshal(commitEntry{Head: head, State: c.State()})
				return index.Document{Row: index.Row{Name: kindHead, Type: kindHead, Extra: more}}, true, err
			})
		}
		return git.Log(ctx, c.Top, missing, func(found git.Commit) { loadCommit(u.Update, found) })
	})
}

// find returns the indexed commit with an abbreviated hash; ok is false if there is none or more
// than one.
func (s *commitIndex) find(hash string) (row index.Row, ok bool) {
	for _, found := range s.index.Keyed(hash[:hashKey]) {
		if strings.HasPrefix(found.Name, hash) {
			if ok {
				return row, false
			}
			row, ok = found, true
		}
	}
	return row, ok
}

// lastChange returns the time of the last commit that touched a document. It returns the time of
// its file if no commit did, and zero if that is not known.
func (s *commitIndex) lastChange(c git.Checkout, tree string, document index.Row) (last time.Time) {
	if c.Private == "" {
		return document.Time
	}
	below, err := filepath.Rel(c.Top, filepath.Join(tree, filepath.FromSlash(fileOf(document.Name))))
	if err != nil {
		return last
	}
	for _, row := range s.index.Keyed(documentKey(filepath.ToSlash(below))) {
		if row.Time.After(last) {
			last = row.Time
		}
	}
	if _, read := s.index.Row(kindHead); last.IsZero() && read && s.index.Len() < commitsMost && len(s.index.Keyed(keyMore)) == 0 {
		return document.Time
	}
	return last
}

// isTrailer matches trailers of a message that name people, such as Signed-off-by.
var isTrailer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(signed-off|co-authored|reviewed|acked|tested|reported|suggested|change-id|cc)(-by)?: `)
})

// bodyOfCommit returns the text that a snippet is taken from: the message without its subject and
// trailers.
func bodyOfCommit(row index.Row) (body, revision string) {
	var e commitEntry
	if json.Unmarshal(row.Extra, &e) != nil {
		return "", ""
	}
	lines := strings.Split(e.Text, "\n")
	return strings.Join(slices.DeleteFunc(lines, isTrailer().MatchString), "\n"), row.Revision
}

// loadCommit adds a commit to an update.
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
		keys := []string{c.Hash[:hashKey]}
		for _, name := range c.Files {
			if isDocument(name) {
				keys = append(keys, documentKey(name))
			}
		}
		if c.MoreFiles > 0 {
			keys = append(keys, keyMore)
		}
		named := slices.DeleteFunc(slices.Clone(kept), func(name string) bool { // notes are found themselves
			return slices.Contains(strings.Split(name, "/"), marker.Name)
		})
		whole := strings.TrimSpace(subject + "\n\n" + body + "\n\n" + strings.Join(named, "\n"))
		return index.Document{Row: row, Body: whole, Keys: keys}, true, err
	})
}

// keyMore is the key of commits that touched more files than the index knows.
const keyMore = "more"

// documentKey returns the key of the commits that touched a document, given its path relative to
// the top of the working tree.
func documentKey(name string) string { return "in " + name }

// screenCommit returns the message of a commit, with the lines that look like a secret replaced.
func screenCommit(c git.Commit) (subject, body string) {
	subject, body, _ = strings.Cut(screen.Join(screen.Mask(c.Subject+"\n"+c.Body)), "\n")
	return subject, body
}

func commitRef(hash string) string { return "commit " + hash[:min(hashShown, len(hash))] }
