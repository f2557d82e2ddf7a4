package blue

import (
	"context"
	"path/filepath"
	"slices"

	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Trusted is the answer to trust.
type Trusted = reply.Trusted

// TrustSync makes notes that come by a sync count as reviewed from now on: those of one
// author, by the address of their commits, or with "" those of everybody who can push.
func (p *Project) TrustSync(author string) (t Trusted, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return t, err
	}
	if err := p.ledger.TrustSynced(author); err != nil {
		return t, err
	}
	return Trusted{Dir: p.found.Root, Synced: true, Author: author}, nil
}

// FindRoot is the root of the project that a call is about, whether or not it is trusted yet.
func (b *Blue) FindRoot(ctx context.Context, c Call) (string, error) {
	rules := b.rules
	rules.Allowed, rules.Cwd, rules.Door = c.Allowed, c.Cwd, c.Door
	rules.Trusted = func(string) bool { return true }
	found, err := marker.Choose(ctx, rules, c.From)
	return found.Root, err
}

// Trust puts a directory on the user's trust list, and enters the present
// revision of each of its notes in the ledger.
func (b *Blue) Trust(ctx context.Context, dir string) (Trusted, error) {
	if dir == "*" {
		return Trusted{Dir: dir}, b.trust.Add(dir)
	}
	dir, err := marker.Parse(dir)
	if err != nil {
		return Trusted{}, err
	}
	given := dir
	if dir, err = filepath.EvalSymlinks(given); err != nil {
		return Trusted{}, errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	if err := b.trust.Add(dir); err != nil {
		return Trusted{}, err
	}
	t := Trusted{Dir: dir}
	p, err := b.Open(ctx, Call{Cwd: dir, From: slices.Values([]marker.Candidate{{Source: marker.Argument, Value: dir}})})
	if err != nil || p.found.Root != dir {
		return t, nil // no project there, or not yet: the directory is trusted all the same
	}
	if t.Approved, err = p.approveAll(ctx); err != nil {
		return t, err
	}
	t.Warning = p.left.Warning()
	return t, nil
}
