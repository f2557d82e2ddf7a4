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
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// kindDocument is the type of a document in the index. The type of a file that is not a document is
// the reason.
const kindDocument = result.KindDocument

// documentIndex indexes the documents of a working tree.
type documentIndex struct {
	reading
	of Corpus // the Corpus for which it was opened

	index *index.Index
	found listing // the last listing; its Dirs are nil before the first
	rules string  // state of the files outside these directories that the listing depends on
}

// refresh updates the index to the files and waits up to patience for the update. ended reports
// whether it is complete.
func (s *documentIndex) refresh(ctx context.Context, c git.Checkout, globs []string, patience time.Duration) (x *index.Index, ended bool) {
	tree := s.tree(c, globs)
	ended = s.reading.refresh(ctx, patience, func() {
		if !s.inLine(tree) {
			s.startComparing(tree)
		}
	})
	s.Lock()
	defer s.Unlock()
	return s.index, ended
}

// startComparing starts an update that looks at every file. The caller holds the lock, and no
// update is running.
func (s *documentIndex) startComparing(tree workTree) {
	s.start(func(ctx context.Context) error {
		return index.UntilIntact(func() error { return s.compare(ctx, tree) })
	})
}

// mend sets the function that rebuilds the index when a search finds that it is damaged.
func (s *documentIndex) mend(globs []string) {
	s.index.Mend(func() {
		s.reading.refresh(s.Process, mendPatience, func() {
			s.startComparing(s.tree(git.FindCheckout(s.of.Tree), globs))
		})
	})
}

// listed is the name and type of the entry whose stamp is a digest of all files.
const listed = "#listed"

// compare updates the index to a new listing of the tree. The entry listed lets the first listing
// of a process see that nothing has changed, which saves a process with one call a tenth of its
// time. It also stores the directories as an earlier process read them.
func (s *documentIndex) compare(ctx context.Context, tree workTree) error {
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
		s.index = index.Open(filepath.Join(s.of.Cache, s.what))
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

// update updates an index to a listing.
func (s *documentIndex) update(ctx context.Context, x *index.Index, found listing, first bool) error {
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
				return index.Document{Row: index.Row{Name: listed, Type: listed, Time: s.of.Now(), Stamp: whole, Extra: encodeDirs(found.Known)}}, true, nil
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
		x.Save() // so that the next process finds nothing changed
	}
	return err
}

// errInLine ends an update when the index is up to date.
var errInLine = errors.New("the index is in line")

// loadChanged adds new and changed documents to a step, as many as it takes. doubt reports whether
// one of them may have to be read again.
func (s *documentIndex) loadChanged(ctx context.Context, u *index.Step, found listing, unread map[string]bool) (doubt bool) {
	for _, f := range found.Files {
		stamp, size := f.Stamp, f.Size
		if u.Files++; s.what == Code {
			size /= codeShare
		}
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
		case !u.Takes(size):
			for n := 0; u.Keep(pieceName(f.Path, n)); n++ {
				continue
			}
			continue
		}
		stamp = index.MarkRacy(stamp, s.of.Now())
		load := s.load
		if s.what == Code {
			load = s.loadCode
		}
		if !load(u.Update, f.Path, stamp) {
			unread[f.Path] = true
			u.Doubt()
			doubt = true
		}
		doubt = doubt || stamp.Racy
	}
	return doubt
}

func (s *documentIndex) count(x *index.Index) (files int, left map[string]int) {
	s.Lock()
	files, left = len(s.found.Files), maps.Clone(s.found.Left)
	s.Unlock()
	if _, n := x.List(index.Filter{Type: leftBinary}, false, 0, 0); n > 0 && left != nil {
		left[leftBinary] += n
		files -= n
	}
	return files, left
}

// tree returns where to look for documents.
func (s *documentIndex) tree(c git.Checkout, globs []string) workTree {
	t := workTree{Root: s.of.Tree, Globs: globs, Mark: marker.Name, Code: s.what == Code}
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

// inLine reports whether no document can have changed since the last listing.
func (s *documentIndex) inLine(tree workTree) bool {
	var ignores []string // git does not follow them if they are links
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
