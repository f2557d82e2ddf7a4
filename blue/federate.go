package blue

import (
	"cmp"
	"context"

	"blue/blue/internal/corpus"
	"blue/blue/internal/notebook"
	"blue/blue/internal/registry"
	"blue/blue/internal/result"
	"blue/errors"
	"blue/marker"
)

const (
	otherHits    = 5 // of each other project
	personalHits = 3
)

// otherProjects are those that a query asks beside this one: the notes about the user, and
// the known projects that it names.
func (p *Project) otherProjects(q Query) (all []registry.Project, err error) {
	if p.Root() == "" { // whose caller knows of the projects of this machine nothing
		if len(q.Projects) > 0 {
			return nil, errors.BadValue("projects", q.Projects[0], "other projects: a server searches only the one of the call")
		}
		return nil, nil
	}
	if q.Cursor != "" { // the rest of what this project has
		return nil, nil
	}
	return p.b.known.Beside(p.Call.Allowed, registry.Project{Root: p.Found.Root, Name: p.Found.Name}, q.Projects)
}

// searchElsewhere begins to search other projects, and leaves less room to the query of this
// one. The function that it returns waits for the answers and adds them.
func (p *Project) searchElsewhere(ctx context.Context, others []registry.Project, q Query) (own Query, wait func(*Hits)) {
	own = q
	tokens := cmp.Or(q.MaxTokens, result.ListTokens)
	share := tokens / 2
	if len(q.Projects) == 0 {
		share = tokens / 8
	}
	if tokens > 0 {
		own.MaxTokens = max(tokens-share, 1)
	}
	asked := others[:min(len(others), registry.Most)]
	q.Projects, q.MaxTokens, q.Limit = nil, max(share, 1), min(cmp.Or(q.Limit, otherHits), otherHits)
	if len(q.In) == 0 {
		q.In = []string{corpus.Notes}
	}
	answers := registry.AskAll(ctx, asked, func(ctx context.Context, other registry.Project) registry.Answer {
		return p.searchOther(ctx, other, q)
	})
	return own, func(h *Hits) {
		var groups []result.Elsewhere
		var left []result.NotSearched
		for i, a := range answers() {
			if group, ok := a.Value.(result.Elsewhere); ok {
				groups = append(groups, group)
			} else if a.Reason != "" {
				p.b.o.Log.Debug("project not searched", "root", asked[i].Root, "reason", a.Reason, "fault", a.Value)
				left = append(left, asked[i].LeftOut(a.Reason))
			}
		}
		for _, other := range others[len(asked):] {
			left = append(left, other.LeftOut("too many projects: name it"))
		}
		h.AddElsewhere(groups, share*4)
		h.LeaveOut(left)
	}
}

// searchOther searches one other project. Its index stays open no longer than this takes,
// unless calls of its own have opened it: a server may know more projects than it may have
// files open. That of the notes about the user, which each search asks, stays open.
func (p *Project) searchOther(ctx context.Context, other registry.Project, q Query) registry.Answer {
	reached := p.b.known.ReachFrom(p.Call.Allowed)(ctx, other)
	found, _ := reached.Value.(marker.Found)
	if found.Root == "" || found.Root == p.Found.Root {
		return registry.Answer{Reason: reached.Reason}
	}
	open := p.b.openBriefly
	if other.Personal {
		open, q.Limit = p.b.openToStay, min(q.Limit, personalHits)
	}
	there, done, err := open(found, p.Call)
	if err != nil {
		return registry.Answer{Reason: registry.Reason(err)}
	}
	defer done()
	h, err := there.Notebook.Search(ctx, q)
	if err != nil {
		return registry.Answer{Reason: registry.Reason(err)}
	}
	k := other.Shown()
	return registry.Answer{Value: result.Elsewhere{Project: k.Name, Root: found.Root, Personal: k.Personal, Hits: h.Hits, Also: h.Also, Above: h.Above, Total: h.Total}}
}

// openBriefly opens a project for one answer; done gives back what was opened for it alone.
func (b *Blue) openBriefly(found marker.Found, c Call) (p *Project, done func(), err error) {
	b.mu.Lock()
	o := b.open[openKey(found)]
	b.mu.Unlock()
	if o != nil && o.Same() {
		return b.openToStay(found, c)
	}
	if o, err = notebook.OpenFiles(&b.o, found); err != nil {
		return nil, nil, err
	}
	return b.projectOf(found, o, c), func() { _ = o.Close() }, nil
}

// openToStay is [Blue.openProject] in the form of openBriefly.
func (b *Blue) openToStay(found marker.Found, c Call) (p *Project, done func(), err error) {
	p, err = b.openProject(found, c)
	return p, func() {}, err
}
