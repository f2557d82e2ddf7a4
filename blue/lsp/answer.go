package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

const (
	completionsMost = 100
	previewLines    = 30
	previewBytes    = 2000
	hoverMost       = 5 // notes that cite the whole file, or one line
)

// cursor is a place in a document of a project.
type cursor struct {
	*document
	*blue.Project
	line, at int // line from 1; byte offset in the text
}

func (c cursor) isMarkdown() bool { return strings.EqualFold(filepath.Ext(c.file), ".md") }

// inProject returns a handler that answers nothing in a document outside of any project.
func (s *server) inProject(do func(ctx context.Context, c cursor) (any, error)) handler {
	return func(ctx context.Context, m message) (any, error) {
		doc := s.docs[m.TextDocument.URI]
		if doc == nil {
			return nil, nil
		}
		p, err := s.open(ctx, doc)
		if err != nil {
			return nil, nil
		}
		return do(ctx, cursor{doc, p, m.Position.Line + 1, s.offset(doc.text, m.Position)})
	}
}

// completion completes [[ with the titles of notes.
func (s *server) completion(ctx context.Context, c cursor) (any, error) {
	typed, ok := c.LinkBegun(c.text, c.at)
	if !ok || !c.isMarkdown() {
		return nil, nil
	}
	notes, more, err := c.Linkable(ctx, typed, completionsMost)
	rest := c.text[c.at:]
	closed := min(len(rest)-len(strings.TrimLeft(rest, "]")), len("]]"))
	items := []map[string]any{}
	for i, n := range notes {
		edit := map[string]any{"range": s.between(c.text, c.at-len(typed), c.at), "newText": n.ID + "]]"[closed:]}
		items = append(items, map[string]any{
			"label": n.Title, "detail": about(n), "textEdit": edit, "sortText": fmt.Sprintf("%04d", i),
			"filterText": strings.TrimSpace(typed + " " + n.Title + " " + n.ID),
		})
	}
	return map[string]any{"isIncomplete": more, "items": items}, err
}

func (s *server) definition(ctx context.Context, c cursor) (any, error) {
	link := c.LinkAt(c.text, c.at)
	if link.ID == "" || !c.isMarkdown() {
		return nil, nil
	}
	lead, err := c.Follow(ctx, link.ID)
	return s.locations(lead.Spots), err
}

// references answers with the links to the note of the link at the cursor or, elsewhere in a note,
// with the links to that note.
func (s *server) references(ctx context.Context, c cursor) (any, error) {
	if !c.isMarkdown() {
		return nil, nil
	}
	spots, err := c.Backlinks(ctx, c.LinkAt(c.text, c.at).ID, c.file)
	return s.locations(spots), err
}

// hover shows what the link at the cursor means or else which notes cite the file: those that cite the
// line with their text.
func (s *server) hover(ctx context.Context, c cursor) (any, error) {
	if link := c.LinkAt(c.text, c.at); link.ID != "" && c.isMarkdown() {
		lead, err := c.Follow(ctx, link.ID)
		if err != nil || lead.Title == "" && len(lead.Notes) == 0 {
			return nil, err
		}
		return map[string]any{"contents": describe(lead), "range": s.between(c.text, link.At, link.End)}, nil
	}
	cited, err := c.Citations(ctx, c.file, c.text)
	var parts, ofFile []string
	for _, cite := range cited {
		switch {
		case cite.First == 0 && len(ofFile) < hoverMost:
			ofFile = append(ofFile, heading(cite.Offered))
		case cite.First <= c.line && c.line <= cite.Last && len(parts) < hoverMost:
			lead, err := c.Follow(ctx, cite.ID)
			if err != nil {
				return nil, err
			}
			parts = append(parts, describe(lead)["value"])
		}
	}
	if parts = append(parts, ofFile...); len(parts) == 0 {
		return nil, err
	}
	return map[string]any{"contents": markdown(parts...)}, err
}

// check sends the diagnostics of a document: what is wrong with a note, and a hint at each part of a
// file that notes cite. Some editors hand diagnostics to agents, so that hints name only notes that
// may be told unasked.
func (s *server) check(ctx context.Context, doc *document) {
	p, err := s.open(ctx, doc)
	if err != nil {
		return
	}
	var all []diagnostic
	issues, err := p.CheckText(ctx, doc.file, doc.text)
	for _, issue := range issues {
		severity := isHint
		if issue.Wrong {
			severity = isWarning
		}
		text := issue.What + "\n" + issue.Remedy
		all = append(all, diagnostic{s.line(doc.text, issue.Line), severity, issue.Kind, "blue", text})
	}
	cited, failed := p.Citations(ctx, doc.file, doc.text)
	for _, cite := range cited {
		text := fmt.Sprintf("note %q (%s)", cite.Title, about(cite.Offered))
		if cite.Changed {
			text += ": what it cites has changed since"
		}
		if cite.Told {
			all = append(all, diagnostic{s.line(doc.text, cite.First), isHint, cite.ID, "blue", text})
		}
	}
	if err == nil && failed == nil {
		s.report(doc, all)
	}
}

// report sends the diagnostics of a document, unless there are none and were none.
func (s *server) report(doc *document, all []diagnostic) {
	if len(all) > 0 || doc.reported {
		doc.reported = len(all) > 0
		s.notify("textDocument/publishDiagnostics", map[string]any{
			"uri": doc.uri, "version": doc.version, "diagnostics": append([]diagnostic{}, all...),
		})
	}
}

// about says in a few words what a note is.
func about(n blue.Offered) string {
	return strings.Join(append([]string{n.Type, n.AgeAndEvidence()}, n.Remarks()...), ", ")
}

// heading returns the line above the text of a note.
func heading(n blue.Offered) string {
	return fmt.Sprintf("**[%s](%s)** (%s)", escape(n.Title), marker.FileURI(n.Path), escape(about(n)))
}

func markdown(parts ...string) map[string]string {
	return map[string]string{"kind": "markdown", "value": strings.Join(parts, "\n\n")}
}

// describe shows what a link leads to, of a note the beginning. Pictures become links, since an
// editor would fetch them.
func describe(lead blue.Lead) map[string]string {
	if len(lead.Notes) == 0 {
		return markdown(escape(lead.ID + ": " + lead.Title))
	}
	var parts []string
	for _, n := range lead.Notes[:min(len(lead.Notes), hoverMost)] {
		parts = append(parts, heading(n))
	}
	lines := strings.SplitAfterN(strings.TrimSpace(strings.ReplaceAll(lead.Body, "![", `\![`)), "\n", previewLines+1)
	if len(lines) > previewLines {
		lines[previewLines] = "…"
	}
	return markdown(append(parts, errors.Cut(strings.Join(lines, ""), previewBytes))...)
}

// escape returns a text in which Markdown has no meaning.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>()#!|&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
