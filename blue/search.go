package blue

import (
	"cmp"
	"context"
	"slices"

	"blue/blue/internal/corpus"
	"blue/blue/internal/notebook"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

const (
	otherHits    = 5 // of each other project
	personalHits = 3
)

// Search finds notes by their words, best first: those of this project, of the user and of the
// known projects that the query names. No query text is an error unless it is empty or too
// long.
func (p *Project) Search(ctx context.Context, q Query) (h result.Hits, err error) {
	defer p.NameProject(&err)
	if err := q.Check(); err != nil {
		return h, err
	}
	in, withSessions, only, err := p.cutSessions(q.In)
	switch {
	case err != nil:
		return h, err
	case only:
		return p.searchSessions(ctx, q)
	}
	q.In, q.Level = in, p.mayAddSessions(q)
	defer func() { p.RecordFound(h.Hits) }()
	if h, err = p.searchNotes(ctx, q); err != nil {
		return h, err
	}
	if withSessions {
		return h, p.addSessions(ctx, &h, q)
	}
	p.addSessionsUnasked(ctx, &h, q)
	return h, nil
}

// searchNotes searches notes, documents, commits and code, and the projects that the query names.
func (p *Project) searchNotes(ctx context.Context, q Query) (h result.Hits, err error) {
	others, err := p.otherProjects(q.Projects, q.Cursor != "")
	if err != nil {
		return h, err
	}
	if len(others) == 0 {
		return p.Notebook.Search(ctx, q)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tokens := cmp.Or(q.MaxTokens, result.ListTokens)
	share := tokens / 2
	if len(q.Projects) == 0 {
		share = tokens / 8
	}
	there := q
	there.Projects, there.MaxTokens, there.Limit, there.Level = nil, max(share, 1), min(cmp.Or(q.Limit, otherHits), otherHits), false
	if len(q.In) == 0 {
		there.In = []string{corpus.Notes}
	}
	asked := others[:min(len(others), askedMost)]
	answers := askAll(ctx, asked, func(ctx context.Context, other result.Known) (result.Elsewhere, string) {
		return p.searchOther(ctx, other, there)
	})
	if tokens > 0 {
		q.MaxTokens = max(tokens-share, 1)
	}
	if h, err = p.Notebook.Search(ctx, q); err == nil {
		h.MoreElsewhere = len(others) - len(asked)
		p.addElsewhere(&h, asked, answers(), share*4)
	}
	return h, err
}

// otherProjects returns the projects that a query asks in addition to this one: the notes about
// the user, and the known projects that the words mean. The rest of a list needs no other
// project.
func (p *Project) otherProjects(words []string, rest bool) (all []result.Known, err error) {
	if p.Root() == "" { // on a server: the caller does not know the projects of this machine
		if len(words) > 0 {
			return nil, errors.BadValue("projects", words[0], "other projects: a server searches only the one of the call")
		}
		return nil, nil
	}
	if rest {
		return nil, nil
	}
	if me, ok := p.b.personal(); ok {
		all = append(all, me)
	}
	if len(words) == 0 {
		return all, nil
	}
	entries, err := p.b.known.list()
	if err != nil {
		return nil, err
	}
	entries = served(entries, p.Call.Allowed)
	for _, word := range words {
		meant := named(entries, word)
		if word == everyProject {
			meant = entries
		} else if len(meant) == 0 && len(named([]result.Known{{Address: p.Found.Address}}, word)) == 0 {
			return nil, notKnown(word, entries)
		}
		for _, other := range meant {
			if other.Root != p.Found.Root && !slices.Contains(all, other) {
				all = append(all, other)
			}
		}
	}
	return all, nil
}

// addElsewhere adds the answers of other projects, and names those that have not answered.
func (p *Project) addElsewhere(h *result.Hits, asked []result.Known, answers []answer[result.Elsewhere], room int) {
	var groups []result.Elsewhere
	for i, other := range asked {
		if reason := answers[i].reason; reason != "" {
			p.b.o.Log.Debug("project not searched", "root", other.Root, "reason", reason, "fault", answers[i].fault)
			h.NotSearched = append(h.NotSearched, result.NotSearched{Project: showKnown(other).Name, Root: other.Root, Reason: reason})
		} else if answers[i].value.Root != "" {
			groups = append(groups, answers[i].value)
		}
	}
	h.AddElsewhere(groups, room)
}

// searchOther searches one other project, or returns the reason why it does not. The index
// stays open only if it was open before, because a server may know more projects than it may
// have files open. The index of the notes about the user also stays open, because every search
// asks it.
func (p *Project) searchOther(ctx context.Context, other result.Known, q Query) (group result.Elsewhere, reason string) {
	found, reason := p.b.reachFrom(p.Call)(ctx, other)
	if found.Root == "" || found.Root == p.Found.Root {
		return group, reason
	}
	if other.Personal {
		q.Limit = min(q.Limit, personalHits)
	}
	there, done, err := p.b.openBriefly(found, p.Call, other.Personal)
	if err != nil {
		return group, reasonOf(err)
	}
	defer done()
	h, err := there.Notebook.Search(ctx, q)
	if err != nil {
		return group, reasonOf(err)
	}
	return result.Elsewhere{Project: showKnown(other).Name, Root: found.Root, Personal: other.Personal, Ranked: h.Ranked, Total: h.Total}, ""
}

// openBriefly opens a project for one answer. done closes it unless stay is set or it was open
// before.
func (b *Blue) openBriefly(found marker.Found, c Call, stay bool) (p *Project, done func(), err error) {
	b.mu.Lock()
	o := b.open[openKey(found)]
	b.mu.Unlock()
	if stay || o != nil && o.Same() {
		p, err = b.openProject(found, c)
		return p, func() {}, err
	}
	if o, err = notebook.OpenFiles(&b.o, found); err != nil {
		return nil, nil, err
	}
	return b.projectOf(found, o, c), func() { _ = o.Close() }, nil
}
