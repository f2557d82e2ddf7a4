package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
)

// Exporting says what to make of a project's notes. Private notes stay where they
// are.
type Exporting struct {
	Format   string                // "okf", "json" or "html"; empty is okf
	Output   string                // where to, absolute; nothing or an empty directory is there
	Out      io.Writer             // where the JSON goes without Output
	Progress func(done, total int) // told of each note; may be nil
}

// Exported is the answer to an export.
type Exported struct {
	blue.About
	Format  string    `json:"format"`
	Output  string    `json:"output,omitempty"`
	Notes   int       `json:"notes"`
	Private int       `json:"private"`  // left out, as always
	LeftOut []Refused `json:"left_out"` // notes that the format cannot hold
}

// Refused is a note that was left out, and why.
type Refused struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Text says what was exported.
func (e Exported) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Exported %s as %s to %s\n", blue.Plural(e.Notes, "note"), e.Format, e.Output)
	if e.Private > 0 {
		fmt.Fprintf(&b, "Left out: %s\n", blue.Plural(e.Private, "private note"))
	}
	for _, n := range e.LeftOut {
		fmt.Fprintf(&b, "Left out: %s: %s\n", n.ID, n.Reason)
	}
	return b.String() + e.Lines()
}

// Export writes the notes as a bundle in the Open Knowledge Format, as one JSON
// object, or as pages of HTML that open from a file. What is at the place named
// appears there whole or not at all.
func Export(ctx context.Context, p *blue.Project, e Exporting) (out Exported, err error) {
	defer p.NameProject(&err)
	out = Exported{About: p.About(), Format: e.Format, Output: e.Output, LeftOut: []Refused{}}
	if out.Format == "" {
		out.Format = "okf"
	}
	form, ok := map[string]func(*exporter) error{"okf": (*exporter).writeBundle, "json": (*exporter).writeObject, "html": (*exporter).writeSite}[out.Format]
	switch {
	case !ok:
		return out, errors.BadValue("format", e.Format, "okf, json or html")
	case e.Output == "" && (out.Format != "json" || e.Out == nil):
		return out, errors.Missing("output", "name the directory that the export makes")
	}
	notes, err := p.Publish(ctx)
	if err != nil {
		return out, err
	}
	out.About, out.Private = p.About(), notes.Private
	x := exporter{ctx: ctx, p: p, e: e, out: &out, notes: notes}
	if e.Output == "" {
		return out, x.writeJSON(e.Out)
	}
	if x.to, err = openOutput(p, e.Output); err != nil {
		return out, err
	}
	defer x.to.dropTemporary()
	if err := form(&x); err != nil {
		return out, err
	}
	return out, x.to.keepOutput(out.Format == "json")
}

// openOutput opens the place of an export, which must not lie among the notes.
func openOutput(p *blue.Project, path string) (*output, error) {
	given, err := marker.Parse(path)
	if err != nil {
		return nil, err
	}
	if root, _ := marker.LinkOut(given); root != "" {
		return nil, errors.BadOutput(given, "a link leads out of "+root)
	}
	parent, err := mount.Resolve(filepath.Dir(given))
	if err != nil {
		return nil, errors.BadOutput(given, "the directory it would lie in is not there")
	}
	real := filepath.Join(parent, filepath.Base(given))
	if rel, err := filepath.Rel(filepath.Join(p.Root(), marker.Name), real); err == nil && filepath.IsLocal(rel) {
		return nil, errors.BadOutput(given, "it lies among the notes of this project")
	}
	return newOutput(real)
}

// exporter is an export under way.
type exporter struct {
	ctx   context.Context
	p     *blue.Project
	e     Exporting
	out   *Exported
	notes blue.Publication
	to    *output
}

// eachNote calls do with every note, in the order of titles. A note that went away
// meanwhile is passed over.
func (x *exporter) eachNote(do func(row blue.Published, data []byte) error) error {
	for i, row := range x.notes.Notes {
		if err := x.ctx.Err(); err != nil {
			return fmt.Errorf("exporting: %w", err)
		}
		if x.e.Progress != nil {
			x.e.Progress(i+1, len(x.notes.Notes))
		}
		data, err := x.notes.Read(row)
		if errors.Is(err, errors.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := do(row, data); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) leaveOut(row blue.Published, reason string) {
	x.out.LeftOut = append(x.out.LeftOut, Refused{ID: note.ShowLine(row.ID), Reason: note.ShowLine(reason)})
}

// writeObject writes the JSON to the place of the export.
func (x *exporter) writeObject() error {
	return x.to.writeFile("export.json", x.writeJSON)
}

// writeJSON writes one object with every note, one after the other.
func (x *exporter) writeJSON(w io.Writer) error {
	ref := x.p.Ref()
	head, err := json.Marshal(map[string]any{"name": ref.Name, "id": ref.ID})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\"format\": 1, \"project\": %s, \"notes\": [", head); err != nil {
		return err
	}
	gap := "\n"
	err = x.eachNote(func(row blue.Published, data []byte) error {
		n := x.notes.Note(x.ctx, row, data)
		whole := struct {
			blue.Note
			Front string `json:"front_matter"` // as it stands, with keys of others
		}{n, note.ShowHidden(note.ParseText(row.Name, data).Front)}
		text, err := json.Marshal(whole)
		if err != nil {
			return err
		}
		x.out.Notes++
		_, err = fmt.Fprintf(w, "%s%s", gap, text)
		gap = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}
