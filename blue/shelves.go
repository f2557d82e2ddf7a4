package blue

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/documents"
	"blue/blue/internal/index"
	"blue/errors"
	"blue/marker"
)

// Shelves that are searched.
const (
	shelfNotes     = "notes"
	shelfDocuments = "documents"
	shelfCommits   = "commits"
)

// shelves are the documents and commits of a working tree: they are searched beside the
// notes, read and never written. Each has an index of its own, so that nothing of them
// counts where notes are ranked.
type shelves struct {
	documents documentShelf
	commits   commitShelf
	close     context.CancelFunc // ends what is being read
}

// shelves returns those of the working tree of this call, opened when they are first asked
// for.
func (p *Project) shelves() (*shelves, error) {
	p.shelving.Lock()
	defer p.shelving.Unlock()
	tree := p.workTree()
	if s := p.byTree[tree]; s != nil {
		return s, nil
	}
	dir := filepath.Join(p.b.Directory("cache"), cacheKey(marker.Found{ID: p.found.ID, Root: tree}))
	ofDocuments, err := index.Open(filepath.Join(dir, shelfDocuments))
	if err != nil {
		return nil, err
	}
	ofCommits, err := index.Open(filepath.Join(dir, shelfCommits))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &shelves{close: cancel}
	s.documents = documentShelf{root: tree, cache: filepath.Join(dir, shelfDocuments), index: ofDocuments, now: p.b.o.Now, home: p.b.o.Home}
	s.commits = commitShelf{tree: tree, index: ofCommits, ctx: ctx}
	if p.byTree == nil {
		p.byTree = map[string]*shelves{}
	}
	p.byTree[tree] = s
	return s, nil
}

// checkout is the working tree of git that the documents of the call lie in.
func (p *Project) checkout() marker.Checkout { return marker.FindCheckout(p.workTree()) }

// closeShelves gives up what is open; what is being read ends first.
func (o *opened) closeShelves() {
	o.shelving.Lock()
	defer o.shelving.Unlock()
	for _, s := range o.byTree {
		s.close()
		s.commits.wait()
		s.documents.mu.Lock()
		_ = s.documents.index.Close()
		s.documents.mu.Unlock()
		_ = s.commits.index.Close()
	}
	o.byTree = nil
}

// Shelf is what lies on a shelf beside the notes.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there is nothing, or not yet everything
}

// describe says it on one line.
func (s Shelf) describe() string {
	text := formatCount(int64(s.Count))
	if s.Count == 0 && s.Reason != "" {
		text = "none"
	}
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		left = append(left, fmt.Sprintf("%d %s", s.LeftOut[reason], reason))
	}
	if len(left) > 0 {
		text += " (left out: " + strings.Join(left, ", ") + ")"
	}
	return text
}

// countShelves says what is on the shelves.
func (p *Project) countShelves(ctx context.Context) (ofDocuments, ofCommits *Shelf) {
	s, err := p.shelves()
	if err != nil {
		return nil, nil
	}
	c := p.checkout()
	off := "left out by the key sources of project.yaml"
	ofDocuments, ofCommits = &Shelf{Reason: off}, &Shelf{Reason: off}
	if !p.found.Shelves.NoDocuments {
		ofDocuments.Reason = ""
		if x, err := s.documents.refresh(ctx, c, p.found.Shelves.Globs); err != nil {
			ofDocuments.Reason = errors.Visible(err.Error())
		} else {
			ofDocuments.Count, ofDocuments.LeftOut = s.documents.count(x)
		}
	}
	if !p.found.Shelves.NoCommits {
		s.commits.refresh(ctx, c, p.patience())
		ofCommits.Reason = s.commits.describe()
		if ofCommits.Reason == "" || strings.HasPrefix(ofCommits.Reason, reading) {
			_, ofCommits.Count = s.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
		}
	}
	return ofDocuments, ofCommits
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
