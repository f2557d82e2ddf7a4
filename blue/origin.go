package blue

import (
	"blue/blue/internal/trust"
)

// origin says where a note with this revision comes from: this user's Blue wrote
// or approved it ("local"), it came with the repository ("repository"), or it was
// reviewed and something else changed it since ("changed").
func (p *Project) origin(name, revision string) string {
	return p.ledger.Origin(name, revision)
}

// record enters in the ledger what this user's Blue has just written. It cannot
// fail the write: without the line the note is labelled as not reviewed.
func (p *Project) record(name, revision string) {
	if err := p.ledger.Record(name, revision); err != nil {
		p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
	}
}

// local reports whether Blue may show a note's title unasked.
func local(origin string) bool { return origin == trust.Local }
