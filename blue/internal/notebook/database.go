package notebook

import (
	"context"

	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/errors"
	"blue/marker"
)

// Hosted is a project whose notes lie in a database, as one caller has it. It has no
// directory: nothing of it is looked for on the disk of this machine but its index.
type Hosted struct {
	Project marker.Found // as the call named it
	Notes   HostedNotes
	Index   string // the directory of the index, below the cache: projects and subjects that see different notes have different ones
	Subject string // who calls, verified
	Client  string // the program that calls, as it says itself
	Stale   bool   // the database does not answer: the index is taken as it is
}

// HostedNotes reads and writes notes in a database, whose changes are numbered.
type HostedNotes interface {
	Reader
	follow.Numbered
	Lock(ctx context.Context, verb string) (Writer, error)
	Committed() Reader             // beside the write under way, and without what it has changed
	NewPrivate() ([]string, error) // the private notes that the subject has made, the first ones, since the call began
}

// database is the backend of a project on a server.
type database struct {
	HostedNotes
	nb *Notebook
	h  Hosted
}

// NewHosted returns the notebook of a project in a database, for one call.
func NewHosted(o *Options, hosted Hosted, h *Handles) *Notebook {
	found := hosted.Project
	found.Shelves = marker.Shelves{NoDocuments: true, NoCommits: true}
	nb := &Notebook{Found: found, Call: Call{Client: hosted.Client}, Handles: h, o: o, trusted: true}
	nb.store = database{hosted.Notes, nb, hosted}
	return nb
}

// begin brings an index that is far behind in line while others can still write.
func (d database) begin(ctx context.Context, verb string) (Writer, error) {
	if err := d.nb.refreshWhole(ctx); err != nil {
		return nil, err
	}
	return d.Lock(ctx, verb)
}

func (d database) refresh(context.Context, bool) error {
	h := d.nb.Handles
	h.index.Mend(func() { _ = h.derived.Compare(d) })
	if d.h.Stale {
		asOf, ok := h.derived.AsOf()
		if !ok {
			return errors.DatabaseAway(errors.New("nothing is known of the project yet"))
		}
		d.nb.asOf = "as of " + asOf.Format("15:04") + ": the database does not answer"
		return nil
	}
	_, err := h.derived.Follow(d)
	return err
}

// written does nothing: what is not committed stays out of the index.
func (d database) written() {}

func (d database) late() bool { return true }

func (d database) trashState() index.Stamp { return index.Stamp{ModTime: d.nb.derived.Gone()} }

// whyUnserved returns nil: a database serves all that it has.
func (d database) whyUnserved(string) error { return nil }

// author is the subject that the server of the call has verified.
func (d database) author() string { return d.h.Subject }
