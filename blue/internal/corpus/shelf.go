package corpus

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
	"blue/errors"
	"blue/marker"
)

// kindDocument is the type of a document in the index of its shelf. A file that turned out
// to be none has the reason in its place.
const kindDocument = result.KindDocument

// documentShelf is the documents of a working tree.
type documentShelf struct {
	reading
	of Corpus // the one for which it was opened

	index *index.Index
	found listing // the last one; nil directories before the first
	rules string  // state of what the listing depends on outside these directories
}

// refresh brings the shelf in line with the files, or waits for it as long as there is
// patience; ended reports whether that was enough.
func (s *documentShelf) refresh(ctx context.Context, c git.Checkout, globs []string, patience time.Duration) (x *index.Index, ended bool) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	s.Lock()
	defer s.Unlock()
	tree := s.tree(c, globs)
	for s.Runs() { // it may have passed what changed before this call
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

// startComparing begins to look at every file. The caller holds the lock, and nothing is being
// read.
func (s *documentShelf) startComparing(tree workTree) {
	s.start(func(ctx context.Context) error {
		return index.UntilIntact(func() error { return s.compare(ctx, tree) })
	})
}

// mend lets the index of the shelf be made anew when damage is found while it answers.
func (s *documentShelf) mend(globs []string) {
	s.index.Mend(func() {
		s.Lock()
		defer s.Unlock()
		limit := time.After(mendPatience)
		for s.Runs() {
			if !s.await(s.Process, limit) {
				return
			}
		}
		s.startComparing(s.tree(git.FindCheckout(s.of.Tree), globs))
		s.await(s.Process, limit)
	})
}

// listed is the name and the type of the one entry whose stamp stands for all files.
const listed = "#listed"

// compare looks at every file. In the first listing of a process one look at the entry listed
// tells that nothing has changed, which saves a process that asks once a tenth of its time; that
// entry also has the directories as a former process has read them.
func (s *documentShelf) compare(ctx context.Context, tree workTree) error {
	s.Lock()
	x, before := s.index, s.found
	s.Unlock()
	first := before.Dirs == nil
	if tree.Known = before.Known; first {
		row, _ := x.Row(listed)
		tree.Known = decodeDirs(row.Extra)
	}
	found, err := listDocuments(ctx, tree)
	if err != nil {
		return err
	}
	s.Lock()
	if !first && !slices.Equal(before.Dirs, found.Dirs) {
		_ = s.index.Close() // an index watches the directories that it was opened for
		s.index = index.Open(filepath.Join(s.of.Cache, Documents))
	}
	s.mend(tree.Globs)
	x = s.index
	s.Unlock()
	if err = s.update(ctx, x, found, first); err == nil {
		s.Lock()
		defer s.Unlock()
		s.found = found
	}
	return err
}

// update brings an index in line with a listing.
func (s *documentShelf) update(ctx context.Context, x *index.Index, found listing, first bool) error {
	files := func(yield func(string, index.Stamp) bool) {
		for _, f := range found.Files {
			if !yield(f.Path, f.Stamp) {
				return
			}
		}
	}
	whole := index.Stamp{Size: int64(len(found.Files)), Inode: index.Digest("", files)}
	unread := map[string]bool{} // files that could not be read
	err := s.InSteps(ctx, x, func(u *index.Step) error {
		same := u.Same(listed, whole)
		if same && first && found.Fresh <= rereadMost {
			return errInLine
		}
		doubt := s.loadChanged(ctx, u, found, unread)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if whole.Racy = whole.Racy || doubt; u.IsLast() && (!same || first) {
			u.Load(listed, 0, func() (index.Document, bool, error) {
				return index.Document{Row: index.Row{Name: listed, Type: listed, Stamp: whole, Extra: encodeDirs(found.Known)}}, true, nil
			})
		}
		return nil
	})
	if err == errInLine {
		return nil
	}
	if len(unread) > 0 {
		found.Left[leftUnread] += len(unread)
	}
	if err == nil && first && !whole.Racy {
		x.Save() // for the next process to find nothing changed
	}
	return err
}

// errInLine ends an update that has nothing to do.
var errInLine = errors.New("the index is in line")

// loadChanged puts the documents into a step that the index does not have with their stamps,
// as many as it takes. It reports whether one of them may have to be read again.
func (s *documentShelf) loadChanged(ctx context.Context, u *index.Step, found listing, unread map[string]bool) (doubt bool) {
	for _, f := range found.Files {
		stamp := f.Stamp
		u.Files++
		switch {
		case ctx.Err() != nil:
			return true
		case u.Same(f.Path, stamp):
			for n := 1; u.Same(pieceName(f.Path, n), stamp); n++ {
				continue // all pieces of a document have its stamp
			}
			continue
		case unread[f.Path]:
			continue
		case !u.Takes(f.Size):
			for n := 0; u.Keep(pieceName(f.Path, n)); n++ {
				continue
			}
			continue
		}
		stamp = index.MarkRacy(stamp, s.of.Now())
		if !s.load(u.Update, f.Path, stamp) {
			unread[f.Path] = true
			u.Doubt()
			doubt = true
		}
		doubt = doubt || stamp.Racy
	}
	return doubt
}

func (s *documentShelf) count(x *index.Index) (files int, left map[string]int) {
	s.Lock()
	files, left = len(s.found.Files), maps.Clone(s.found.Left)
	s.Unlock()
	if _, n := x.List(index.Filter{Type: leftBinary}, false, 0, 0); n > 0 && left != nil {
		left[leftBinary] += n
		files -= n
	}
	return files, left
}

// tree returns where the documents of the shelf are.
func (s *documentShelf) tree(c git.Checkout, globs []string) workTree {
	t := workTree{Root: s.of.Tree, Globs: globs, Mark: marker.Name}
	if c.Private != "" {
		t.Top, t.Rules = c.Top, c.IgnoreFiles(s.of.Home, s.of.Git)
	}
	return t
}

func stateOf(stat func(file string) (os.FileInfo, error), files ...string) (state string) {
	for _, file := range files {
		if info, err := stat(file); err == nil {
			state += fmt.Sprint(file, " ", info.Size(), info.ModTime().UnixNano(), "\n")
		}
	}
	return state
}

// inLine reports whether no file can have changed since the last listing.
func (s *documentShelf) inLine(tree workTree) bool {
	var ignores []string // which git does not follow where they are links
	for dir := tree.Root; tree.Top != "" && len(dir) > len(tree.Top); {
		dir = filepath.Dir(dir)
		ignores = append(ignores, filepath.Join(dir, ".gitignore"))
	}
	rules := strings.Join(tree.Globs, " ") + stateOf(os.Stat, tree.Rules...) + stateOf(os.Lstat, ignores...)
	same := rules == s.rules
	s.rules = rules
	if s.found.Dirs == nil || len(s.found.Dirs) > watchedDirs {
		return false
	}
	touched, all := s.index.Changes(!same, tree.Root, s.found.Dirs...)
	return same && !all && len(touched) == 0
}
