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
	"sync"
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
	root  string
	cache string // directory of the index
	home  string // of the user
	now   func() time.Time

	mu    sync.Mutex
	index *index.Index
	dirs  []string       // that were looked into
	left  map[string]int // what was left out
	rules string         // state of what the listing depends on outside these directories
}

// refresh brings the shelf in line with the files, and returns its index.
func (s *documentShelf) refresh(ctx context.Context, c marker.Checkout, globs []string) (*index.Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tree := s.tree(c, globs)
	s.mend(globs)
	if s.inLine(tree) {
		return s.index, nil
	}
	err := follow.UntilIntact(func() error { return s.compare(ctx, tree) })
	return s.index, err
}

// mend lets the index of the shelf be made anew when damage is found while it answers.
func (s *documentShelf) mend(globs []string) {
	s.index.Mend(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.compare(context.Background(), s.tree(marker.FindCheckout(s.root), globs))
	})
}

// inLine reports whether no file can have changed since the last listing.
func (s *documentShelf) inLine(tree documents.Tree) bool {
	rules := strings.Join(tree.Globs, " ")
	for _, file := range tree.Rules {
		if info, err := os.Stat(file); err == nil {
			rules += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
		}
	}
	for dir := tree.Root; tree.Top != "" && len(dir) > len(tree.Top); {
		dir = filepath.Dir(dir)
		if info, err := os.Lstat(filepath.Join(dir, ".gitignore")); err == nil {
			rules += fmt.Sprint(" ", dir, info.Size(), info.ModTime().UnixNano())
		}
	}
	same := rules == s.rules
	s.rules = rules
	if s.dirs == nil || len(s.dirs) > watchedDirs {
		return false
	}
	touched, all := s.index.Changes(!same, tree.Root, s.dirs...)
	return same && !all && len(touched) == 0
}

// compare looks at every file. For the watch of an index to be on other directories the
// index must be opened anew.
func (s *documentShelf) compare(ctx context.Context, tree documents.Tree) error {
	found, err := documents.List(ctx, tree)
	if err != nil {
		return err
	}
	if s.dirs != nil && !slices.Equal(s.dirs, found.Dirs) {
		_ = s.index.Close()
		if s.index, err = index.Open(s.cache); err != nil {
			return err
		}
		s.mend(tree.Globs)
	}
	s.dirs, s.left = found.Dirs, found.Left
	u := s.index.Update(true)
	defer u.Cancel()
	for _, f := range found.Files {
		stamp := index.Stamp{Size: f.Size, ModTime: f.ModTime, ChangeTime: f.ChangeTime, Inode: f.Inode}
		if !u.Same(f.Path, stamp) {
			s.load(u, f.Path, stamp)
			continue
		}
		for n := 1; u.Same(pieceName(f.Path, n), stamp); n++ {
			continue // all pieces of a document have its stamp
		}
	}
	return u.Commit()
}

// load puts the pieces of a document into an update.
func (s *documentShelf) load(u *index.Update, name string, stamp index.Stamp) {
	stamp = follow.MarkRacy(stamp, s.now())
	text, reason, err := documents.Read(s.root, name)
	if err != nil {
		s.left[documents.Unread]++
		u.Doubt()
		return
	}
	put := func(n int, row index.Row, body string) {
		row.Name, row.Stamp, row.Time = pieceName(name, n), stamp, time.Unix(0, stamp.ModTime).UTC()
		u.Load(row.Name, int64(len(body)), func() (index.Document, bool, error) {
			return index.Document{Row: row, Body: body}, true, nil
		})
	}
	if reason != "" {
		put(0, index.Row{Type: reason}, "")
		return
	}
	for n, piece := range documents.Pieces(name, text) {
		ref := strings.TrimSuffix(name+"#"+piece.Anchor, "#")
		put(n, index.Row{ID: ref, Title: piece.Title, Type: kindDocument, Revision: store.Revision([]byte(piece.Body))}, piece.Body)
	}
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
	left = maps.Clone(s.left)
	s.mu.Unlock()
	for name := range x.Stamps() {
		if _, n := splitPiece(name); n == 0 {
			files++
		}
	}
	for _, reason := range []string{documents.Binary, documents.TooLarge, documents.NoFile} {
		if _, n := x.List(index.Filter{Type: reason}, false, 0, 0); n > 0 {
			left[reason] += n
			files -= n
		}
	}
	return files, left
}

// ignoreFiles are the files with rules for a whole working tree, the weakest first.
func ignoreFiles(home string, c marker.Checkout) []string {
	return []string{filepath.Join(home, ".config", "git", "ignore"), filepath.Join(c.Shared, "info", "exclude")}
}

// tree describes where the documents of a shelf are.
func (s *documentShelf) tree(c marker.Checkout, globs []string) documents.Tree {
	t := documents.Tree{Root: s.root, Globs: globs, Mark: marker.Name}
	if c.Private != "" {
		t.Top, t.Rules = c.Top, ignoreFiles(s.home, c)
	}
	return t
}
