// Package corpus searches and reads the documents of a working tree and the commits of its
// history. It reads them in place, changes nothing, and keeps one index for each of the two,
// so that they do not affect how notes are ranked.
//
// All that it shows came with the code: it is labelled so, and is one line or bounded.
//
// A listing of the documents starts no program: asking git which of 3,000 files it ignores would
// take a third of the time of `blue where`, so this package matches ignore rules itself. A
// listing follows no link, waits for no pipe, and has limits in every direction, since a project
// may be anything that somebody has unpacked.
package corpus

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
	"blue/errors"
	"blue/marker"
)

// Limits.
const (
	serverPatience   = time.Second // of a call that a client waits for
	terminalPatience = 5 * time.Minute
	mendPatience     = 10 * time.Second       // of a call that has found damage
	titlePatience    = 100 * time.Millisecond // for the documents to be read

	sizeLimit   = 1 << 20 // bytes of a document
	fileLimit   = 20_000  // documents
	entryLimit  = 500_000 // entries of directories that are looked at
	depthLimit  = 40      // directories within one another
	rulesLimit  = 1 << 20 // bytes of a file of ignore rules
	maxRules    = 5000    // rules of one such file
	watchedDirs = 2000    // directories that the kernel is asked to watch
	rereadMost  = 16      // directories that each process reads again before they are stored anew

	shortDocument = 2000   // bytes of a document that is searched as one piece
	sectionLimit  = 2000   // headings of a document
	anchorLimit   = 120    // bytes of an anchor without its number
	statusLines   = 60     // lines of a document that are searched for its status
	linksMost     = 200    // links of a document
	pieceBase     = 10_000 // more than the number of any piece

	commitsMost = 50_000  // commits that are read, the newest
	commitCost  = 1 << 10 // bytes that a commit counts in a step beside its files
	commitFiles = 20      // files of a commit that are kept
	commitText  = 4 << 10 // bytes of its message
	soughtMost  = 2000    // commits that git is asked for: it searches all packs for each that is missing
	hashShown   = 7       // letters of a hash
	hashKey     = 4       // letters of a hash that a commit is found by

	besideTitle    = 120 // characters of a title
	titleLimit     = 100 // of one that is told unasked
	sectionsMost   = 2   // of a document among the first hits
	treeRows       = 500 // directories and documents that are listed at once
	fewRows        = 50  // so many are few
	proposalsMost  = 5   // searches that are tried before one is proposed
	titleWordsMost = 6   // words of such a search
)

// Names of what is searched.
const (
	Notes     = "notes"
	Documents = "documents"
	Commits   = "commits"
)

// Corpus is the documents and commits of a project, as one call sees them.
type Corpus struct {
	Root    string         // of the project
	Tree    string         // the working tree whose files the call works on
	Sources marker.Shelves // what of it is searched
	Cache   string         // directory of the indexes of that tree
	Home    string         // of the user, empty when unknown
	Git     string         // directory of the user's settings of git, beside ~/.gitconfig
	Server  bool           // the process goes on when the call has been answered
	Now     func() time.Time
	Log     *slog.Logger
	Indexes *Indexes

	// Superseded are the documents that notes supersede, by path, each with the note. It may
	// wait until all notes have been read.
	Superseded func() map[string]index.Row
}

// Indexes holds the indexes that a process has opened for one project.
type Indexes struct {
	mu     sync.Mutex
	byTree map[string]*pair
}

// pair holds the two indexes of one working tree.
type pair struct {
	documents documentIndex
	commits   commitIndex
	close     context.CancelFunc // ends what is being read
}

// open returns the two indexes of the tree, and opens them on the first call.
func (s Corpus) open() *pair {
	s.Indexes.mu.Lock()
	defer s.Indexes.mu.Unlock()
	if p := s.Indexes.byTree[s.Tree]; p != nil {
		return p
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &pair{close: cancel}
	p.documents.Process, p.documents.what, p.documents.of = ctx, Documents, s
	p.commits.Process, p.commits.what = ctx, Commits
	p.documents.index = index.Open(filepath.Join(s.Cache, Documents))
	p.commits.index = index.Open(filepath.Join(s.Cache, Commits))
	if s.Indexes.byTree == nil {
		s.Indexes.byTree = map[string]*pair{}
	}
	s.Indexes.byTree[s.Tree] = p
	return p
}

// Close ends all updates and closes the indexes.
func (o *Indexes) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.byTree {
		p.close()
		p.commits.Wait()
		p.documents.Wait()
		_ = p.documents.index.Close()
		_ = p.commits.index.Close()
	}
	o.byTree = nil
}

// Underway returns which index is being updated and its progress; what is empty if none is.
func (o *Indexes) Underway() (what string, done, total int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.byTree {
		for _, r := range []*reading{&p.documents.reading, &p.commits.reading} {
			if done, total, ok := r.Progress(); ok {
				return r.what, done, total
			}
		}
	}
	return "", 0, 0
}

// checkout returns the git working tree of the call.
func (s Corpus) checkout() git.Checkout { return git.FindCheckout(s.Tree) }

// Asked parses the names of what is to be searched; no names mean all. beside lists those of
// documents and commits that the project does not leave out.
func (s Corpus) Asked(names []string) (notes bool, beside []string, err error) {
	for _, name := range names {
		switch name {
		case Notes:
			notes = true
		case Documents, Commits:
		default:
			return false, nil, errors.BadValue("in", name, "notes, documents or commits")
		}
	}
	asked := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	if !s.Sources.NoDocuments && asked(Documents) {
		beside = append(beside, Documents)
	}
	if !s.Sources.NoCommits && asked(Commits) {
		beside = append(beside, Commits)
	}
	return notes || len(names) == 0, beside, nil
}

// switchedOff says why nothing is read of documents or commits that the settings leave out.
const switchedOff = "left out by the key sources of project.yaml"

// Count counts the documents and commits of the project.
func (s Corpus) Count(ctx context.Context) (ofDocuments, ofCommits *result.Shelf) {
	p, c := s.open(), s.checkout()
	var group sync.WaitGroup
	ofDocuments, ofCommits = &result.Shelf{Reason: switchedOff}, &result.Shelf{Reason: switchedOff}
	if !s.Sources.NoCommits {
		group.Go(func() {
			ended := p.commits.refresh(ctx, c, s.patience())
			lacks, progress := p.commits.describe(ended)
			ofCommits.Reading = progress
			if ofCommits.Reason = lacks + progress; lacks == "" {
				_, ofCommits.Count = p.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
			}
		})
	}
	if !s.Sources.NoDocuments {
		x, ended := p.documents.refresh(ctx, c, s.Sources.Globs, s.patience())
		lacks, progress := p.documents.describe(ended)
		ofDocuments.Reason, ofDocuments.Reading = lacks+progress, progress
		ofDocuments.Count, ofDocuments.LeftOut = p.documents.count(x)
	}
	group.Wait()
	return ofDocuments, ofCommits
}

// patience returns how long a call waits for an update. At the terminal the process ends with the
// call, and the update with it.
func (s Corpus) patience() time.Duration {
	if !s.Server {
		return terminalPatience
	}
	return serverPatience
}

// reading updates one of the two indexes in the background.
type reading struct {
	index.Reading
	what    string // is read, for messages
	trouble string // why nothing could be read
	stuck   bool   // because of a file for which git would wait
}

// refresh waits for the running update, which may have missed changes that were made before this
// call, lets begin start another one, and waits for that. It reports whether all ended within
// patience.
func (r *reading) refresh(ctx context.Context, patience time.Duration, begin func()) (ended bool) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	r.Lock()
	defer r.Unlock()
	for r.Runs() {
		if r.Await(ctx, limit.C) == index.ErrGoesOn {
			return false
		}
	}
	begin()
	return r.Await(ctx, limit.C) != index.ErrGoesOn
}

// start starts an update. The caller holds the lock, and no update is running.
func (r *reading) start(read func(ctx context.Context) error) {
	r.trouble = ""
	r.Begin(func(ctx context.Context) error {
		err := read(ctx)
		r.Lock()
		defer r.Unlock()
		r.stuck = errors.Is(err, errors.Timeout)
		if err != nil && ctx.Err() == nil {
			r.trouble = errors.Clip(errors.Visible(err.Error()), 300)
		}
		return err
	})
}

// describe returns why the index is empty or, if the call did not see the end of the update, its
// progress. Both are empty if the index is complete.
func (r *reading) describe(ended bool) (trouble, progress string) {
	if !ended {
		return "", result.DescribeReading(r.what, r.Done.Load(), r.Total.Load())
	}
	r.Lock()
	defer r.Unlock()
	return r.trouble, ""
}
