package blue

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/sources"
	"blue/errors"
)

// The second look of an import: each document that was settled becomes a note.

// take goes through the source for the second time and makes the notes.
func (m *importer) take(ctx context.Context) error {
	total := len(m.plans)
	for d, err := range m.source.Documents() {
		if err != nil {
			return err
		}
		if len(m.plans) == 0 {
			return nil
		}
		plan, ok := m.plans[d.Path]
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			m.r.Stopped = true
			return nil
		}
		delete(m.plans, d.Path)
		reason, err := m.one(ctx, d, plan)
		if err != nil {
			return err
		}
		if reason != "" {
			m.r.left(d.Path, reason)
		}
		m.progress(total-len(m.plans), total)
	}
	for path := range m.plans {
		m.r.left(path, "it was gone the second time")
	}
	return nil
}

// one takes one document, or says why not. The error ends the import.
func (m *importer) one(ctx context.Context, d sources.Document, plan plan) (reason string, err error) {
	if d.Hash != plan.hash || d.Reason != "" {
		return "it changed while it was read", nil
	}
	n, reason := m.draft(d)
	if reason != "" {
		return reason, nil
	}
	changes, led := m.lead(&n, d)
	if err := m.complete(&n, d, plan); err != nil {
		return "its front matter cannot be completed: " + err.Error(), nil
	}
	data := n.bytes()
	if err := n.check(); err != nil {
		return err.Error(), nil
	}
	if err := m.screen(n, string(data), ""); err != nil {
		return err.Error(), nil
	}
	if earlier := m.p.index.Keyed("was:" + m.source.Origin(d)); len(earlier) > 0 && !plan.kept {
		changes = append(changes, fmt.Sprintf("it has changed since it was imported as %s, which is kept", earlier[0].ID))
	}
	if !m.i.DryRun {
		switch err := m.create(ctx, plan.name, data); {
		case errors.Is(err, errors.Exists) && m.holds(plan.name, data):
			m.r.Present++ // another import took it meanwhile
			return "", nil
		case errors.Is(err, errors.Exists), errors.Is(err, errors.TooLarge):
			return err.Error(), nil
		case err != nil:
			return "", err
		}
	}
	m.r.Links, m.r.Nowhere = m.r.Links+led.New, m.r.Nowhere+led.Nowhere
	m.r.took(Taken{From: shownLine(d.Path), ID: shownLine(idOf(plan.name)), Private: d.Private, Changes: changes})
	return "", nil
}

// lead gives the links of a note the ids of the notes they lead to, and says what
// of the text is no longer as it was.
func (m *importer) lead(n *note, d sources.Document) (changes []string, led sources.Led) {
	if n.body != parse("", []byte(d.Text)).body {
		changes = append(changes, "lines marked as allowed")
	}
	body, led := sources.Lead(n.body, withoutCode(n.body), d, &m.names)
	if led.New > 0 {
		changes = append(changes, Plural(led.New, "link")+" led to new ids")
	}
	more, related := sources.Related(d, &m.names)
	if more != "" {
		changes = append(changes, Plural(len(d.Relations), "relation")+" added as links")
	}
	n.body = strings.TrimRight(body, "\n") + "\n" + more
	return changes, sources.Led{New: led.New + related.New, Nowhere: led.Nowhere + related.Nowhere}
}

// complete adds the keys that a note needs and its front matter lacks. What is
// there stays as it is, byte for byte.
func (m *importer) complete(n *note, d sources.Document, plan plan) error {
	want := *n
	set := func(key string, value any) error {
		if n.has(key) && key != "title" && key != "tags" && key != "supersedes" && key != fromKey {
			return nil
		}
		return n.setFront(key, value)
	}
	was := parse(plan.name, []byte(d.Text))
	err := set("type", want.Type)
	if was.Title != want.Title {
		err = errors.Join(err, set("title", want.Title))
	}
	if !slices.Equal(was.Tags, want.Tags) && len(want.Tags) > 0 {
		err = errors.Join(err, set("tags", flow(want.Tags)))
	}
	if !want.Created.IsZero() {
		err = errors.Join(err, set("created", want.Created.Truncate(1e9)))
	}
	if ids, changed := m.superseded(d, want.Supersedes); changed {
		err = errors.Join(err, set("supersedes", flow(ids)))
	}
	if !plan.kept {
		err = errors.Join(err, set(fromKey, m.from(d)))
	}
	now := parse(plan.name, n.bytes())
	if err == nil && (now.Problem != "" || now.Title != want.Title || now.Type != want.Type || !plan.kept && now.From != m.from(d)) {
		err = errors.New("its form leaves no room for further keys")
	}
	return err
}

// superseded gives superseded notes their new ids.
func (m *importer) superseded(d sources.Document, ids []string) (now []string, changed bool) {
	for _, id := range ids {
		if to, ok := m.names.Called(d, id); ok && to != id {
			id, changed = to, true
		}
		now = append(now, id)
	}
	return now, changed
}

// create writes one note. The lock is held for this one alone, so that others can
// write meanwhile.
func (m *importer) create(ctx context.Context, name string, data []byte) error {
	held, err := m.p.lock(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock()
	saved, err := held.Create(name, data)
	if err != nil {
		return err
	}
	m.r.Durable = m.r.Durable && saved.Durable
	m.p.record(name, saved.Revision)
	return nil
}

// holds reports whether a file has just these bytes.
func (m *importer) holds(name string, data []byte) bool {
	there, _, err := m.p.store.Read(name)
	return err == nil && bytes.Equal(there, data)
}
