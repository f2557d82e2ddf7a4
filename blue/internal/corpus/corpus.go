// Package corpus searches and reads the documents of a working tree, the commits of its history and,
// if they are asked for, its files of code. It reads them in place, changes nothing, and has an index
// for each of the three, so that they do not affect how notes are ranked.
//
// Everything that it shows came with the code. It is labelled accordingly, and limited to one line
// or a maximum size.
//
// A listing of the documents starts no program: asking git which of 3,000 files it ignores would
// take a third of the time of `blue where`, so this package matches ignore rules itself. A listing
// follows no links, does not block on pipes, and is limited in every dimension, since a project may
// be any directory that somebody has unpacked.
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
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Limits.
const (
	serverPatience   = time.Second // for a call that a client waits for
	terminalPatience = 5 * time.Minute
	mendPatience     = 10 * time.Second       // for a call that has found damage
	titlePatience    = 100 * time.Millisecond // wait for the documents to be read

	sizeLimit   = 1 << 20 // bytes of a document
	fileLimit   = 20_000  // documents
	codeLimit   = 200_000 // files of code
	entryLimit  = 500_000 // entries of directories that are read
	depthLimit  = 40      // nested directories
	rulesLimit  = 1 << 20 // bytes of a file with ignore rules
	maxRules    = 5000    // rules of one such file
	watchedDirs = 2000    // directories that the kernel is asked to watch
	rereadMost  = 16      // directories that a process may read again before they are stored again

	shortDocument = 2000   // bytes of a document that is searched as a whole
	sectionLimit  = 2000   // headings of a document
	anchorLimit   = 120    // bytes of an anchor without its number
	statusLines   = 60     // lines of a document that are searched for its status
	linksMost     = 200    // links of a document
	pieceBase     = 10_000 // greater than the number of any piece

	commitsMost = 50_000  // the newest commits are read
	commitCost  = 1 << 10 // bytes that a commit counts in a step in addition to its message
	commitFiles = 20      // files of a commit that are stored
	commitText  = 4 << 10 // bytes of its message that are stored
	soughtMost  = 2000    // commits looked up with git, which searches all packs for each missing one
	hashShown   = 7       // letters of a hash that are shown
	hashKey     = 4       // letters of a hash that are its key in the index

	titleShown      = 120 // characters of a title
	titleLimit      = 100 // of a title that is shown unasked
	supersededShare = 0.7 // factor for the score of a document that a note supersedes
	sectionsMost    = 2   // sections of one document among the first hits
	treeRows        = 500 // directories and documents listed at once
	fewRows         = 50  // up to this number of rows all directories are open
	proposalsMost   = 5   // searches tried before one is proposed
	titleWordsMost  = 6   // words of a proposed search
)

// Names of the indexes that a search covers.
const (
	Notes     = "notes"
	Documents = "documents"
	Commits   = "commits"
	Code      = "code"
)

// Corpus provides the documents, commits and code of a project to one call.
type Corpus struct {
	Root    string         // root of the project
	Tree    string         // the working tree whose files the call works on
	Sources marker.Shelves // which sources are searched
	Cache   string         // directory of the indexes of that tree
	Home    string         // home directory of the user, "" if unknown
	Git     string         // directory of the user's git settings apart from ~/.gitconfig
	Server  bool           // the process continues after the call
	Now     func() time.Time
	Log     *slog.Logger
	Indexes *Indexes

	// Superseded returns the documents that notes supersede, by path, each with the note.
	Superseded func() map[string]index.Row
}

// Indexes holds the indexes that a process has opened for one project.
type Indexes struct {
	mu     sync.Mutex
	byTree map[string]*pair
}

// pair holds the indexes of one working tree: those of its documents and commits and, once code has
// been asked for, that of its code.
type pair struct {
	documents documentIndex
	commits   commitIndex
	code      *documentIndex
	process   context.Context
	close     context.CancelFunc // cancels updates in progress
}

// open returns the two indexes of the tree. It opens them on the first call.
func (s Corpus) open() *pair {
	s.Indexes.mu.Lock()
	defer s.Indexes.mu.Unlock()
	if p := s.Indexes.byTree[s.Tree]; p != nil {
		return p
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &pair{process: ctx, close: cancel}
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

// openCode returns the index of the code of the tree. It opens it on the first call.
func (s Corpus) openCode() *documentIndex {
	p := s.open()
	s.Indexes.mu.Lock()
	defer s.Indexes.mu.Unlock()
	if p.code == nil {
		p.code = &documentIndex{of: s, index: index.Open(filepath.Join(s.Cache, Code))}
		p.code.Process, p.code.what = p.process, Code
	}
	return p.code
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
		if p.code != nil {
			p.code.Wait()
			_ = p.code.index.Close()
		}
	}
	o.byTree = nil
}

// Underway returns the name of an index that is being updated, and its progress; what is empty if
// there is none.
func (o *Indexes) Underway() (what string, done, total int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.byTree {
		all := []*reading{&p.documents.reading, &p.commits.reading}
		if p.code != nil {
			all = append(all, &p.code.reading)
		}
		for _, r := range all {
			if done, total, ok := r.Progress(); ok {
				return r.what, done, total
			}
		}
	}
	return "", 0, 0
}

// checkout returns the git working tree of the call.
func (s Corpus) checkout() git.Checkout { return git.FindCheckout(s.Tree) }

// Asked parses the names of the sources to search; no names mean all. The result shelves has
// documents and commits if they were asked for and the project does not switch them off, and code
// if it was asked for by name. It returns an error if the query cannot be one of code.
func (s Corpus) Asked(names []string, query string) (notes bool, shelves []string, err error) {
	isCode := false
	for _, name := range names {
		switch name {
		case Notes:
			notes = true
		case Documents, Commits:
		case Code:
			isCode = true
		default:
			return false, nil, errors.BadValue("in", name, "notes, documents, commits, code, sessions or all")
		}
	}
	asked := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	if !s.Sources.NoDocuments && asked(Documents) {
		shelves = append(shelves, Documents)
	}
	if !s.Sources.NoCommits && asked(Commits) {
		shelves = append(shelves, Commits)
	}
	if isCode {
		shelves = append(shelves, Code)
		_, err = parseCode(query)
	}
	return notes || len(names) == 0, shelves, err
}

// switchedOff is the reason given for documents or commits that the settings leave out.
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

// patience returns how long a call waits for an update. At the terminal the process exits after the
// call, which also ends the update.
func (s Corpus) patience() time.Duration {
	if !s.Server {
		return terminalPatience
	}
	return serverPatience
}

// reading updates one of the two indexes in the background.
type reading struct {
	index.Reading
	what    string // name of the index, for messages
	trouble string // why nothing could be read
	stuck   bool   // git did not answer in time
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
