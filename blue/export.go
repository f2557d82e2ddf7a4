package blue

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"blue/blue/internal/index"
	"blue/errors"
	"blue/marker"
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
	About
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
	fmt.Fprintf(&b, "Exported %s as %s to %s\n", Plural(e.Notes, "note"), e.Format, e.Output)
	if e.Private > 0 {
		fmt.Fprintf(&b, "Left out: %s\n", Plural(e.Private, "private note"))
	}
	for _, n := range e.LeftOut {
		fmt.Fprintf(&b, "Left out: %s: %s\n", n.ID, n.Reason)
	}
	return b.String() + e.Lines()
}

// Export writes the notes as a bundle in the Open Knowledge Format, as one JSON
// object, or as pages of HTML that open from a file. What is at the place named
// appears there whole or not at all.
func (p *Project) Export(ctx context.Context, e Exporting) (out Exported, err error) {
	defer p.named(&err)
	out = Exported{About: p.About(), Format: e.Format, Output: e.Output, LeftOut: []Refused{}}
	if out.Format == "" {
		out.Format = "okf"
	}
	form, ok := map[string]func(*exporter) error{"okf": (*exporter).bundle, "json": (*exporter).object, "html": (*exporter).pages}[out.Format]
	switch {
	case !ok:
		return out, errors.BadValue("format", e.Format, "okf, json or html")
	case e.Output == "" && (out.Format != "json" || e.Out == nil):
		return out, errors.Missing("output", "name the directory that the export makes")
	}
	if err := p.sync(ctx); err != nil {
		return out, err
	}
	out.About = p.About()
	x := exporter{ctx: ctx, p: p, e: e, out: &out}
	rows, _ := p.index.List(index.Filter{}, true, 0, math.MaxInt)
	for _, row := range rows {
		if scopeOf(row.Name) == "private" {
			out.Private++
			continue
		}
		x.rows = append(x.rows, row)
	}
	if e.Output == "" {
		return out, x.json(e.Out)
	}
	if x.to, err = p.output(e.Output); err != nil {
		return out, err
	}
	defer x.to.drop()
	if err := form(&x); err != nil {
		return out, err
	}
	return out, x.to.keep(out.Format == "json")
}

// output opens the place of an export, which must not lie among the notes.
func (p *Project) output(path string) (*output, error) {
	given, err := marker.Parse(path)
	if err != nil {
		return nil, err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(given))
	if err != nil {
		return nil, errors.BadOutput(given, "the directory it would lie in is not there")
	}
	real := filepath.Join(parent, filepath.Base(given))
	if rel, err := filepath.Rel(filepath.Join(p.found.Root, marker.Name), real); err == nil && filepath.IsLocal(rel) {
		return nil, errors.BadOutput(given, "it lies among the notes of this project")
	}
	return newOutput(real)
}

// exporter is an export under way.
type exporter struct {
	ctx  context.Context
	p    *Project
	e    Exporting
	out  *Exported
	rows []index.Row // of the notes to export, by title
	to   *output
}

// each calls do with every note, in the order of titles. A note that went away
// meanwhile is passed over.
func (x *exporter) each(do func(row index.Row, data []byte) error) error {
	for i, row := range x.rows {
		if err := x.ctx.Err(); err != nil {
			return fmt.Errorf("exporting: %w", err)
		}
		if x.e.Progress != nil {
			x.e.Progress(i+1, len(x.rows))
		}
		data, _, err := x.p.store.Read(row.Name)
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

func (x *exporter) leave(row index.Row, reason string) {
	x.out.LeftOut = append(x.out.LeftOut, Refused{ID: shownLine(row.ID), Reason: shownLine(reason)})
}

// target is the exported note that a link means.
func (x *exporter) target(ref string) (row index.Row, ok bool) {
	rows := x.p.meant(ref)
	if len(rows) != 1 || scopeOf(rows[0].Name) == "private" {
		return row, false
	}
	return rows[0], true
}

// note is a note as others may see it: what is private is not named, from whatever
// side it is linked.
func (x *exporter) note(row index.Row, data []byte) Note {
	n := x.p.shown(row, data, nil)
	n.Revision = row.Revision
	for i, link := range n.Links {
		if _, ok := x.target(link.ID); !ok {
			n.Links[i] = Link{ID: link.ID, Missing: true}
		}
	}
	n.Backlinks = []Link{}
	for _, from := range x.p.index.Keyed("link:" + row.ID) {
		if from.Name != row.Name && scopeOf(from.Name) != "private" {
			n.Backlinks = append(n.Backlinks, Link{ID: from.ID, Title: Label(from.Title, TitleLimit)})
		}
	}
	return n
}

// object writes the JSON to the place of the export.
func (x *exporter) object() error {
	return x.to.write("export.json", x.json)
}

// json writes one object with every note, one after the other.
func (x *exporter) json(w io.Writer) error {
	ref := x.p.Ref()
	head, err := json.Marshal(map[string]any{"name": ref.Name, "id": ref.ID})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\"format\": 1, \"project\": %s, \"notes\": [", head); err != nil {
		return err
	}
	gap := "\n"
	err = x.each(func(row index.Row, data []byte) error {
		n := x.note(row, data)
		whole := struct {
			Note
			Front string `json:"front_matter"` // as it stands, with keys of others
		}{n, shown(parse(row.Name, data).front)}
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
