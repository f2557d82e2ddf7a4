package shelves

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/documents"
	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/marker"
)

// kindDocument is the type of a document in the index of its shelf. A file that turned out
// to be none has the reason in its place.
const kindDocument = reply.KindDocument

// watchedDirs is up to how many directories the kernel is asked to tell of changes.
const watchedDirs = 2000

// documentShelf is the documents of a working tree.
type documentShelf struct {
	reading
	root  string
	cache string // directory of the index
	home  string // of the user
	git   string // directory of the user's settings of git
	now   func() time.Time

	index *index.Index
	asked bool              // what a former process knew of the directories has been read
	found documents.Listing // the last one; nil directories before the first
	rules string            // state of what the listing depends on outside these directories

	settings string   // state of git's settings when they were read
	looked   []string // the files in which they stand
	excludes string   // the user's file of rules that they name
}

// refresh brings the shelf in line with the files, or waits for it as long as there is
// patience; ended reports whether that was enough.
func (s *documentShelf) refresh(ctx context.Context, c marker.Checkout, globs []string, patience time.Duration) (x *index.Index, ended bool) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	tree := s.tree(c, globs)
	for s.running != nil { // it may have passed what changed before this call
		if !s.await(ctx, limit.C) {
			return s.index, false
		}
	}
	if !s.inLine(tree) {
		s.startComparing(tree)
	}
	ended = s.await(ctx, limit.C)
	return s.index, ended
}

// startComparing begins to look at every file. The caller holds mu, and nothing is being
// read.
func (s *documentShelf) startComparing(tree documents.Tree) {
	s.start(func(ctx context.Context) error {
		return follow.UntilIntact(func() error { return s.compare(ctx, tree) })
	})
}

// mend lets the index of the shelf be made anew when damage is found while it answers.
func (s *documentShelf) mend(globs []string) {
	s.index.Mend(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for s.running != nil {
			s.await(s.ctx, nil)
		}
		s.startComparing(s.tree(marker.FindCheckout(s.root), globs))
		s.await(s.ctx, nil)
	})
}

// tree describes where the documents of the shelf are. The caller holds mu.
func (s *documentShelf) tree(c marker.Checkout, globs []string) documents.Tree {
	t := documents.Tree{Root: s.root, Globs: globs, Mark: marker.Name}
	if c.Private == "" {
		return t
	}
	if now := stateOf(s.looked...); s.looked == nil || now != s.settings {
		configs := []string{filepath.Join(s.git, "config"), filepath.Join(s.home, ".gitconfig"), filepath.Join(c.Shared, "config"), filepath.Join(c.Private, "config.worktree")}
		s.excludes, s.looked = documents.ExcludesFile(s.home, c.Top, filepath.Join(s.git, "ignore"), configs...)
		s.settings = stateOf(s.looked...)
	}
	t.Top, t.Rules = c.Top, []string{s.excludes, filepath.Join(c.Shared, "info", "exclude")}
	return t
}

// stateOf stands for the state of files.
func stateOf(files ...string) (state string) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			state += fmt.Sprint(file, " ", info.Size(), info.ModTime().UnixNano(), "\n")
		}
	}
	return state
}

// inLine reports whether no file can have changed since the last listing.
func (s *documentShelf) inLine(tree documents.Tree) bool {
	files := tree.Rules
	for dir := tree.Root; tree.Top != "" && len(dir) > len(tree.Top); {
		dir = filepath.Dir(dir)
		files = append(files, filepath.Join(dir, ".gitignore"))
	}
	rules := strings.Join(tree.Globs, " ") + stateOf(files...)
	same := rules == s.rules
	s.rules = rules
	if s.found.Dirs == nil || len(s.found.Dirs) > watchedDirs {
		return false
	}
	touched, all := s.index.Changes(!same, tree.Root, s.found.Dirs...)
	return same && !all && len(touched) == 0
}

// listed is the name and the type of the one entry whose stamp stands for all files.
const listed = "#listed"

// rereadMost is how many directories are read again in each process before what is known of
// them is written anew.
const rereadMost = 16

// compare looks at every file. In the first listing of a process one look at the entry
// listed tells when nothing has changed: where a process asks once this saves a tenth of the
// time.
func (s *documentShelf) compare(ctx context.Context, tree documents.Tree) error {
	tree.Known = s.known()
	found, err := documents.List(ctx, tree)
	if err != nil {
		return err
	}
	x, first, err := s.openFor(found, tree)
	if err == nil {
		err = s.update(ctx, x, found, first)
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = found
	}
	return err
}

// known are the directories as they were looked into last, by a former process before the
// first listing.
func (s *documentShelf) known() map[string]documents.Dir {
	s.mu.Lock()
	x, asked := s.index, s.asked
	s.asked = true
	s.mu.Unlock()
	if asked {
		return s.found.Known
	}
	row, _ := x.Row(listed)
	return documents.DecodeDirs(row.Extra)
}

// update brings an index in line with a listing.
func (s *documentShelf) update(ctx context.Context, x *index.Index, found documents.Listing, first bool) error {
	u := x.Update(true)
	defer u.Cancel()
	whole := stampListing(found)
	same := u.Same(listed, whole)
	if same && first && found.Fresh <= rereadMost {
		return nil
	}
	whole.Racy = s.loadChanged(ctx, u, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !same || first {
		u.Load(listed, 0, func() (index.Document, bool, error) {
			return index.Document{Row: index.Row{Name: listed, Type: listed, Stamp: whole, Extra: documents.EncodeDirs(found.Known)}}, true, nil
		})
	}
	err := u.Commit()
	if err == nil && first && !whole.Racy {
		x.Save() // for the next process to find nothing changed
	}
	return err
}

// openFor returns the index for a listing, and whether it is the first of the process. For
// the watch of an index to be on other directories the index must be opened anew.
func (s *documentShelf) openFor(found documents.Listing, tree documents.Tree) (x *index.Index, first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.found.Dirs == nil
	if !first && !slices.Equal(s.found.Dirs, found.Dirs) {
		_ = s.index.Close()
		if x, err = index.Open(s.cache); err != nil {
			return nil, first, err
		}
		s.index = x
	}
	s.mend(tree.Globs)
	return s.index, first, nil
}

func stampOf(f documents.File) index.Stamp {
	return index.Stamp{Size: f.Size, ModTime: f.ModTime, ChangeTime: f.ChangeTime, Inode: f.Inode}
}

// stampListing stands for the files of a listing.
func stampListing(found documents.Listing) index.Stamp {
	digest := follow.Digest("", func(yield func(string, index.Stamp) bool) {
		for _, f := range found.Files {
			if !yield(f.Path, stampOf(f)) {
				return
			}
		}
	})
	return index.Stamp{Size: int64(len(found.Files)), Inode: digest}
}

// loadChanged puts the documents into an update that it does not have with their stamps. It
// reports whether one of them may have to be read again.
func (s *documentShelf) loadChanged(ctx context.Context, u *index.Update, found documents.Listing) (doubt bool) {
	var changed []documents.File
	for _, f := range found.Files {
		stamp := stampOf(f)
		if !u.Same(f.Path, stamp) {
			changed = append(changed, f)
			continue
		}
		for n := 1; u.Same(pieceName(f.Path, n), stamp); n++ {
			continue // all pieces of a document have its stamp
		}
	}
	s.total.Store(int64(len(changed)))
	for _, f := range changed {
		if ctx.Err() != nil {
			return true
		}
		stamp := follow.MarkRacy(stampOf(f), s.now())
		if !s.load(u, f.Path, stamp) {
			found.Left[documents.Unread]++
			u.Doubt()
			doubt = true
		}
		doubt = doubt || stamp.Racy
		s.done.Add(1)
	}
	return doubt
}

// load puts the pieces of a document into an update; false when it cannot be read.
func (s *documentShelf) load(u *index.Update, name string, stamp index.Stamp) bool {
	text, reason, err := documents.Read(s.root, name)
	if err != nil {
		return false
	}
	put := func(n int, row index.Row, body string) {
		row.Name, row.Stamp, row.Time = pieceName(name, n), stamp, time.Unix(0, stamp.ModTime).UTC()
		u.Load(row.Name, int64(len(body)), func() (index.Document, bool, error) {
			return index.Document{Row: row, Body: body}, true, nil
		})
	}
	if reason != "" {
		put(0, index.Row{Type: reason}, "")
		return true
	}
	for n, piece := range documents.Pieces(name, text) {
		ref := strings.TrimSuffix(name+"#"+piece.Anchor, "#")
		put(n, index.Row{ID: ref, Title: piece.Title, Type: kindDocument, Revision: store.Revision([]byte(piece.Body))}, piece.Body)
	}
	return true
}

// pieceBase is more than any number of a piece.
const pieceBase = 10_000

// pieceName is the name of a piece of a document in the index: that of the document for
// the first.
func pieceName(name string, n int) string {
	if n == 0 {
		return name
	}
	number := strconv.Itoa(pieceBase + n) // all of one length, for names to ascend
	return name + "#" + number[1:]
}

// splitPiece takes the name of a piece apart.
func splitPiece(piece string) (name string, n int) {
	name, number, found := strings.Cut(piece, "#")
	for found && !documents.IsDocument(name) { // the sign is part of the name
		var more string
		more, number, found = strings.Cut(number, "#")
		name += "#" + more
	}
	n, _ = strconv.Atoi(number) // 0 for a whole document
	return name, n
}

// body reads a piece for a snippet.
func (s *documentShelf) body(row index.Row) (body, revision string) {
	name, n := splitPiece(row.Name)
	text, reason, err := documents.Read(s.root, name)
	if err != nil || reason != "" {
		return "", ""
	}
	pieces := documents.Pieces(name, text)
	if n >= len(pieces) {
		return "", ""
	}
	return pieces[n].Body, store.Revision([]byte(pieces[n].Body))
}

// count returns how many documents there are, and what was left out.
func (s *documentShelf) count(x *index.Index) (files int, left map[string]int) {
	s.mu.Lock()
	files, left = len(s.found.Files), maps.Clone(s.found.Left)
	s.mu.Unlock()
	for _, reason := range []string{documents.Binary, documents.TooLarge, documents.NoFile} {
		if _, n := x.List(index.Filter{Type: reason}, false, 0, 0); n > 0 && left != nil {
			left[reason] += n
			files -= n
		}
	}
	return files, left
}
