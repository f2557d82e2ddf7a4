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

	"blue/blue/internal/follow"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/errors"
)

// commitsMost is how many commits are read, the newest.
const commitsMost = 50_000

// commitCost is what a commit counts in a step, beside what each file does.
const commitCost = 1 << 10

// commitShelf is the commits of a working tree: the ancestors of HEAD.
type commitShelf struct {
	reading
	tree  string
	index *index.Index

	state string // of HEAD, up to which commits have been read
	size  int    // entries of the index then: with fewer it has lost some
}

// refresh brings the shelf in line with HEAD, or waits for it as long as there is patience,
// and reports whether that was enough.
func (s *commitShelf) refresh(ctx context.Context, c git.Checkout, patience time.Duration) (ended bool) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	s.Lock()
	defer s.Unlock()
	if state := checkoutState(c); !s.Runs() && (state != s.state || s.index.Len() != s.size) {
		s.readHead(c, state == s.state)
	}
	return s.await(ctx, limit.C)
}

// checkoutState stands for all that decides which commits there are.
func checkoutState(c git.Checkout) string {
	return fmt.Sprintln(c.Top, c.Private, c.Shallow, c.State())
}

// readHead begins to read, unless what HEAD leads to has been read, which anew does not
// believe, or cannot be. The caller holds the lock.
func (s *commitShelf) readHead(c git.Checkout, anew bool) {
	s.trouble, s.stuck = "", false
	var err error
	if c.State() == "" && c.Top != "" {
		err = git.Check(c)
	}
	switch {
	case c.Top == "":
		s.trouble = "no git repository"
	case err != nil:
		s.trouble, s.stuck = errors.Of(err).Message, true
	case c.Private == "":
		s.trouble = "the file .git leads nowhere"
	case c.Shallow:
		s.trouble = "the clone is shallow"
	case c.State() == "":
		s.trouble = "no commit yet"
	case !anew && s.lastRead().State == c.State():
	default:
		s.start(func(ctx context.Context) error {
			err := follow.UntilIntact(func() error { return s.bring(ctx, c) })
			if ctx.Err() == nil && !errors.Is(err, errors.Timeout) { // after which git may answer the next time
				s.markRead(c)
			}
			return err
		})
		return
	}
	s.state, s.size = checkoutState(c), s.index.Len()
}

// markRead remembers that what HEAD leads to has been read, or cannot be.
func (s *commitShelf) markRead(c git.Checkout) {
	s.Lock()
	defer s.Unlock()
	s.state, s.size = checkoutState(c), s.index.Len()
}

// lastRead says up to where commits have been read.
func (s *commitShelf) lastRead() (last commitEntry) {
	if row, ok := s.index.Row(kindHead); ok {
		_ = json.Unmarshal(row.Extra, &last) // our own bytes; without them everything is read
	}
	return last
}

// bring brings the index in line with HEAD, the newest commits first.
func (s *commitShelf) bring(ctx context.Context, c git.Checkout) error {
	head, err := c.Head(ctx)
	if err != nil {
		return err
	}
	hashes, err := git.Ancestors(ctx, c.Top, head, commitsMost)
	if err != nil {
		return err
	}
	defer s.index.Save()
	return s.InSteps(ctx, s.index, func(u *follow.Step) error {
		u.Files = len(hashes)
		var missing []string
		for _, hash := range hashes {
			if !u.Same(hash, index.Stamp{}) && u.Takes(commitCost) {
				missing = append(missing, hash)
			}
		}
		if u.IsLast() {
			loadHead(u.Update, c, head)
		}
		return git.Log(ctx, c.Top, missing, func(found git.Commit) { loadCommit(u.Update, found) })
	})
}

// loadHead puts the entry into an update that says up to where commits have been read.
func loadHead(u *index.Update, c git.Checkout, head string) {
	u.Load(kindHead, 0, func() (index.Document, bool, error) {
		more, err := json.Marshal(commitEntry{Head: head, State: c.State()})
		return index.Document{Row: index.Row{Name: kindHead, Type: kindHead, Extra: more}}, true, err
	})
}

// find returns the commit on the shelf whose hash begins so.
func (s *commitShelf) find(hash string) (row index.Row, ok bool) {
	var found []index.Row
	for _, row := range s.index.Keyed(hash[:hashKey]) {
		if strings.HasPrefix(row.Name, hash) {
			found = append(found, row)
		}
	}
	if len(found) != 1 {
		return row, false
	}
	return found[0], true
}

// lastChange is when a document was committed last. It is when its file was changed where no
// commit has it, and zero where that is not known.
func (s *commitShelf) lastChange(c git.Checkout, tree string, document index.Row) (last time.Time) {
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

// isTrailer matches a line of a message that says who had a part in the commit.
var isTrailer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(signed-off|co-authored|reviewed|acked|tested|reported|suggested|change-id|cc)(-by)?: `)
})

// body is the text that a snippet is taken from: the message without its subject and trailers.
func (s *commitShelf) body(row index.Row) (body, revision string) {
	var e commitEntry
	if json.Unmarshal(row.Extra, &e) != nil {
		return "", ""
	}
	lines := strings.Split(e.Text, "\n")
	return strings.Join(slices.DeleteFunc(lines, isTrailer().MatchString), "\n"), row.Revision
}
