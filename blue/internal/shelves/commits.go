package shelves

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/errors"
	"blue/marker"
)

// commitsMost is how many commits are read, the newest.
const commitsMost = 50_000

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
func (s *commitShelf) refresh(ctx context.Context, c marker.Checkout, patience time.Duration) (ended bool) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if state := checkoutState(c); s.running == nil && (state != s.state || s.index.Len() != s.size) {
		s.readHead(c, state == s.state)
	}
	return s.await(ctx, limit.C)
}

// checkoutState stands for all that decides which commits there are.
func checkoutState(c marker.Checkout) string {
	return fmt.Sprintln(c.Top, c.Private, c.Shallow, c.State())
}

// readHead begins to read, everything if anew, unless what HEAD leads to has been read or
// cannot be. The caller holds mu.
func (s *commitShelf) readHead(c marker.Checkout, anew bool) {
	s.trouble = ""
	switch {
	case c.Top == "":
		s.trouble = "no git repository"
	case c.Private == "":
		s.trouble = "the file .git leads nowhere"
	case c.Shallow:
		s.trouble = "the clone is shallow"
	case c.State() == "":
		s.trouble = "no commit yet"
	case !anew && s.lastRead().State == c.State():
	default:
		s.start(func(ctx context.Context) error {
			err := s.bring(ctx, c, anew)
			if errors.Is(err, index.ErrDamaged) {
				err = s.bring(ctx, c, true)
			}
			s.markRead(c)
			return err
		})
		return
	}
	s.state, s.size = checkoutState(c), s.index.Len()
}

// markRead remembers that what HEAD leads to has been read, or cannot be.
func (s *commitShelf) markRead(c marker.Checkout) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.size = checkoutState(c), s.index.Len()
}

// lastRead says up to where commits have been read.
func (s *commitShelf) lastRead() (last commitEntry) {
	if row, ok := s.index.Row(kindHead); ok {
		_ = json.Unmarshal(row.Extra, &last) // our own bytes; without them everything is read
	}
	return last
}

// bring brings the index in line: by what has come and gone since the last time, or by
// everything.
func (s *commitShelf) bring(ctx context.Context, c marker.Checkout, anew bool) error {
	head := c.Commit
	if head == "" {
		out, err := commits.Output(ctx, c.Top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
		if head = strings.TrimSpace(out); err != nil {
			return err
		}
	}
	defer s.index.Save()
	if last := s.lastRead().Head; !anew && last != "" {
		if done, err := s.bringNew(ctx, c, head, last); done || errors.Is(err, index.ErrDamaged) {
			return err
		}
	}
	return s.bringAll(ctx, c, head)
}

// bringNew reads what is new since another commit was HEAD, and drops what is no longer an
// ancestor; done is false when only reading everything helps.
func (s *commitShelf) bringNew(ctx context.Context, c marker.Checkout, head, last string) (done bool, err error) {
	gone, err := commits.Hashes(ctx, c.Top, commits.Range{Of: last, Without: head, Most: commitsMost})
	if err != nil {
		return false, err
	}
	_, before := s.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
	u := s.index.Update(false)
	defer u.Cancel()
	came := 0
	err = commits.Log(ctx, c.Top, commits.Range{Of: head, Without: last, Most: commitsMost}, func(found commits.Commit) error {
		came++
		loadCommit(u, found)
		return nil
	})
	full := before >= commitsMost && len(gone) > 0 || before+came > commitsMost+commitsMost/10
	if err != nil || full {
		return false, err
	}
	for _, hash := range gone {
		u.Drop(hash)
	}
	loadHead(u, c, head)
	return true, u.Commit()
}

// bringAll reads everything. Searches find what was there before until it is done.
func (s *commitShelf) bringAll(ctx context.Context, c marker.Checkout, head string) error {
	all := commits.Range{Of: head, Most: commitsMost}
	total, err := commits.Count(ctx, c.Top, all)
	if err == nil {
		s.total.Store(int64(total))
	}
	u := s.index.Update(true)
	defer u.Cancel()
	err = commits.Log(ctx, c.Top, all, func(found commits.Commit) error {
		s.done.Add(1)
		loadCommit(u, found)
		return nil
	})
	if err != nil {
		return err
	}
	loadHead(u, c, head)
	return u.Commit()
}

// loadHead puts the entry into an update that says up to where commits have been read.
func loadHead(u *index.Update, c marker.Checkout, head string) {
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

// body is the text that a snippet is taken from.
func (s *commitShelf) body(row index.Row) (body, revision string) {
	var e commitEntry
	if json.Unmarshal(row.Extra, &e) != nil {
		return "", ""
	}
	return e.whole(row.Title, e.Text), row.Revision
}
