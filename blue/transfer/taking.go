package transfer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/errors"
)

// The second look of an import: each document that was settled becomes a note.

// takeDocuments goes through the source for the second time and makes the notes.
func (m *importer) takeDocuments(ctx context.Context) error {
	total := len(m.plans)
	for d, err := range m.documents() {
		if err != nil {
			return err
		}
		if len(m.plans) == 0 {
			break
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
		reason, err := m.takeDocument(ctx, d, plan)
		if err != nil {
			return err
		}
		if reason != "" {
			m.r.leaveOut(d.Path, reason)
		}
		m.tellProgress(total-len(m.plans), total)
	}
	for path := range m.plans {
		m.r.leaveOut(path, "it was removed while it was imported")
	}
	if m.i.DryRun || len(m.superseded) == 0 {
		return nil
	}
	durable, err := m.intake.MarkSuperseded(ctx, m.superseded)
	m.r.Durable = m.r.Durable && durable
	return err
}

// takeDocument takes one document, or says why not. The error ends the import.
func (m *importer) takeDocument(ctx context.Context, d document, plan plan) (reason string, err error) {
	if d.Hash != plan.hash || d.Reason != "" {
		return "it changed while it was read", nil
	}
	n, reason := m.draftNote(d)
	if reason != "" {
		return reason, nil
	}
	changes, led := m.rewriteLinks(&n, d)
	if d.Escaped > 0 {
		changes = append(changes, blue.Plural(d.Escaped, "hidden character")+" spelled out as \\u{…}")
	}
	if err := m.completeFront(&n, d, plan); err != nil {
		return "its front matter cannot be completed: " + err.Error(), nil
	}
	data := n.Bytes()
	if err := n.CheckLimits(); err != nil {
		return err.Error(), nil
	}
	if err := m.screenNote(n, string(data), ""); err != nil {
		return err.Error(), nil
	}
	if earlier, ok := m.intake.Earlier(m.source.Origin(d)); ok && !plan.Kept {
		changes = append(changes, fmt.Sprintf("it has changed since it was imported as %s, which is kept", earlier))
	}
	if !m.i.DryRun {
		durable, err := m.intake.Create(ctx, plan.File, data, len(note.ParseText(plan.File, data).Supersedes) > 0)
		switch {
		case errors.Is(err, errors.Exists) && m.intake.Holds(plan.File, data):
			m.r.Present++ // another import took it meanwhile
			return "", nil
		case errors.Is(err, errors.Exists), errors.Is(err, errors.TooLarge):
			return err.Error(), nil
		case err != nil:
			return "", err
		}
		m.r.Durable = m.r.Durable && durable
	}
	m.r.Links, m.r.Nowhere = m.r.Links+led.New, m.r.Nowhere+led.Nowhere
	m.r.Escaped += d.Escaped
	m.r.addTaken(Taken{From: note.ShowLine(d.Path), ID: note.ShowLine(plan.ID()), Private: d.Private, Changes: changes})
	return "", nil
}

// rewriteLinks gives the links of a note the ids of the notes they lead to, and says what
// of the text is no longer as it was.
func (m *importer) rewriteLinks(n *note.Text, d document) (changes []string, led linkCounts) {
	if n.Body != note.ParseText("", []byte(d.Text)).Body {
		changes = append(changes, "lines marked as allowed")
	}
	body, led := rewriteLinks(n.Body, note.BlankCode(n.Body), d, &m.names)
	if led.New > 0 {
		changes = append(changes, blue.Plural(led.New, "link")+" changed to new ids")
	}
	more, related := renderRelations(d, &m.names)
	if more != "" {
		changes = append(changes, blue.Plural(len(d.Relations), "relation")+" added as links")
	}
	n.Body = strings.TrimRight(body, "\n") + "\n" + more
	return changes, linkCounts{New: led.New + related.New, Nowhere: led.Nowhere + related.Nowhere}
}

// completeFront adds the keys that a note needs and its front matter lacks. What is
// there stays as it is, byte for byte.
func (m *importer) completeFront(n *note.Text, d document, plan plan) error {
	want := *n
	set := func(key string, value any) error {
		if n.HasKey(key) && key != "title" && key != "tags" && key != "supersedes" && key != note.ImportedFrom {
			return nil
		}
		return n.SetKey(key, value)
	}
	was := note.ParseText(plan.File, []byte(d.Text))
	err := set("type", want.Type)
	if was.Title != want.Title {
		err = errors.Join(err, set("title", want.Title))
	}
	if !slices.Equal(was.Tags, want.Tags) && len(want.Tags) > 0 {
		err = errors.Join(err, set("tags", note.InlineList(want.Tags)))
	}
	if !want.Created.IsZero() {
		err = errors.Join(err, set("created", want.Created.Truncate(1e9)))
	}
	err = errors.Join(err, m.completeUID(n, plan))
	if was.Status != want.Status {
		err = errors.Join(err, n.SetKey("status", want.Status))
	}
	ids, changed := m.rewriteSuperseded(d, want.Supersedes)
	for _, id := range m.supersededBy(plan.ID()) {
		if !slices.Contains(ids, id) && len(ids) < note.ListLimit {
			ids, changed = append(ids, id), true
		}
	}
	m.superseded = append(m.superseded, ids...)
	if changed {
		err = errors.Join(err, set("supersedes", note.InlineList(ids)))
	}
	if !plan.Kept {
		err = errors.Join(err, set(note.ImportedFrom, m.fromKey(d)))
	}
	now := note.ParseText(plan.File, n.Bytes())
	if err == nil && (now.Problem != "" || now.Title != want.Title || now.Type != want.Type || !plan.Kept && now.From != m.fromKey(d)) {
		err = errors.New("its form does not allow further keys")
	}
	return err
}

// completeUID writes the identity of a note, the document's own if no other note has it, as
// far as it does not derive from the id that the document keeps.
func (m *importer) completeUID(n *note.Text, plan plan) error {
	now := note.ParseText(plan.File, n.Bytes())
	uid := m.intake.UID(plan.File, now.Identity())
	if uid == now.UID || plan.Kept && uid == now.Identity() || now.UID == "" && n.HasKey(note.UIDKey) {
		return nil
	}
	return n.SetKey(note.UIDKey, uid)
}

// rewriteSuperseded gives superseded notes their new ids.
func (m *importer) rewriteSuperseded(d document, ids []string) (now []string, changed bool) {
	for _, id := range ids {
		if to, ok := m.names.ByName(d.Path, id); ok && to != id {
			id, changed = to, true
		}
		now = append(now, id)
	}
	return now, changed
}
