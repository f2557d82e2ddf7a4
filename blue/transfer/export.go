package transfer

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Exporting configures an export of a project's notes. Private notes are never exported.
type Exporting struct {
	Format   string                // "bundle" or "json"; empty is json if Output ends with .json, else bundle
	Output   string                // absolute path; must not exist or be an empty directory
	Out      io.Writer             // receives the JSON if Output is empty
	Progress func(done, total int) // called for each note; may be nil
}

// Exported is the result of an export.
type Exported struct {
	result.About
	Format  string    `json:"format"`
	Output  string    `json:"output,omitempty"`
	Notes   int       `json:"notes"`
	Private int       `json:"private"`  // count of private notes, which are always left out
	LeftOut []Refused `json:"left_out"` // notes that the format cannot hold
}

// Refused is a note that was left out, and why.
type Refused struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Text describes what was exported.
func (e Exported) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Exported %s as %s to %s\n", result.Plural(e.Notes, "note"), e.Format, e.Output)
	if e.Private > 0 {
		fmt.Fprintf(&b, "Left out: %s\n", result.Plural(e.Private, "private note"))
	}
	for _, n := range e.LeftOut {
		fmt.Fprintf(&b, "Left out: %s: %s\n", n.ID, n.Reason)
	}
	return b.String() + e.Lines()
}

// Export writes the notes as a bundle in the Open Knowledge Format or as one JSON object. The output
// appears whole or not at all.
func Export(ctx context.Context, p *blue.Project, e Exporting) (out Exported, err error) {
	defer p.NameProject(&err)
	out = Exported{About: p.About(), Format: e.Format, Output: e.Output, LeftOut: []Refused{}}
	if out.Format == "" {
		out.Format = "bundle"
		if strings.EqualFold(filepath.Ext(e.Output), ".json") {
			out.Format = "json"
		}
	}
	form, ok := map[string]func(*exporter) error{
		"bundle": (*exporter).writeBundle,
		"json":   func(x *exporter) error { return x.to.writeFile("export.json", x.writeJSON) },
	}[out.Format]
	switch {
	case !ok:
		return out, errors.BadValue("format", e.Format, "bundle or json")
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

// exporter is one run of Export.
type exporter struct {
	ctx   context.Context
	p     *blue.Project
	e     Exporting
	out   *Exported
	notes blue.Publication
	to    *output
}

// eachNote calls do with every note, ordered by title. It skips notes that have been deleted
// since the list was made.
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

// writeJSON writes one object that holds every note.
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
			result.Note
			Front string `json:"front_matter"` // as it stands, with keys of other programs
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

// writeBundle writes the notes unchanged into a bundle of the Open Knowledge Format 0.2, each
// under its id. Only links change their form: [[ID]] becomes [ID](/ID.md), which every reader
// of bundles follows. An import changes them back.
func (x *exporter) writeBundle() error {
	var taken []blue.Published
	err := x.eachNote(func(row blue.Published, data []byte) error {
		n := note.ParseText(row.Name, data)
		if n.Problem != "" {
			x.leaveOut(row, n.Problem)
			return nil
		}
		if !n.HasKey("type") {
			if err := n.SetKey("type", n.Type); err != nil {
				return err
			}
		}
		n.Body = rewriteForBundle(n.Body, note.BlankCode(n.Body), x.bundleFile)
		x.out.Notes++
		taken = append(taken, row)
		return x.to.writeFile(bundleFile(row.ID), func(w io.Writer) error {
			_, err := w.Write(n.Bytes())
			return err
		})
	})
	if err != nil {
		return err
	}
	return x.to.writeFile("index.md", func(w io.Writer) error {
		_, err := io.WriteString(w, listContents(taken))
		return err
	})
}

// bundleFile returns the file of the note that a link refers to.
func (x *exporter) bundleFile(ref string) (file string, ok bool) {
	row, ok := x.notes.Find(ref)
	return bundleFile(row.ID), ok
}

// listContents returns the table of contents of a bundle: its notes by type.
func listContents(rows []blue.Published) string {
	var b strings.Builder
	b.WriteString("---\nokf_version: \"0.2\"\n---\n")
	groups := map[string][]blue.Published{}
	for _, row := range rows {
		name := note.ShowLine(row.Type)
		groups[name] = append(groups[name], row)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "\n# %s\n\n", name)
		for _, row := range groups[name] {
			title := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(note.ShowLine(row.Title))
			fmt.Fprintf(&b, "* [%s](%s)\n", title, url.PathEscape(bundleFile(row.ID)))
		}
	}
	return b.String()
}

// output is the destination of an export. Files are written to a temporary directory next to
// it, which is renamed when all are written.
type output struct {
	path, temp string
	root       *os.Root // of temp
}

// openOutput begins an export to a path that does not exist or is an empty directory, and that
// is not inside the notes of the project.
func openOutput(p *blue.Project, to string) (*output, error) {
	given, err := marker.Parse(to)
	if err != nil {
		return nil, err
	}
	if root, _ := marker.LinkOut(given); root != "" {
		return nil, badOutput(given, "a link leads out of "+root)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(given))
	if err != nil {
		return nil, badOutput(given, "the directory it would lie in is not there")
	}
	path := filepath.Join(parent, filepath.Base(given))
	if rel, err := filepath.Rel(filepath.Join(p.Root(), marker.Name), path); err == nil && filepath.IsLocal(rel) {
		return nil, badOutput(given, "it lies among the notes of this project")
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, badOutput(path, "it cannot be examined")
	case !info.IsDir():
		return nil, badOutput(path, "a file is there already, and nothing is overwritten")
	default:
		if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
			return nil, badOutput(path, "the directory there is not empty, and nothing is overwritten")
		}
	}
	o := &output{path: path, temp: filepath.Join(parent, ".blue-export-"+strings.ToLower(rand.Text()))}
	err = os.Mkdir(o.temp, 0o755)
	if err == nil {
		o.root, err = os.OpenRoot(o.temp)
	}
	if err != nil {
		o.dropTemporary()
		return nil, errors.SaveFailed(o.temp, err)
	}
	return o, nil
}

// writeFile creates one file of the export, with the directories above it. The name uses slashes.
func (o *output) writeFile(name string, fill func(w io.Writer) error) error {
	local := filepath.FromSlash(name)
	if err := o.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return errors.SaveFailed(name, err)
	}
	file, err := o.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return badOutput(o.path, "the file system there takes two names of notes for one: "+name)
	}
	if err != nil {
		return errors.SaveFailed(name, err)
	}
	w := bufio.NewWriter(file)
	err = fill(w)
	if err == nil {
		if err = errors.Join(w.Flush(), file.Sync()); err != nil {
			err = errors.SaveFailed(name, err)
		}
	}
	return errors.Join(err, file.Close())
}

// keepOutput renames the export, a directory or its only file, to its final path.
func (o *output) keepOutput(file bool) error {
	if err := o.root.Close(); err != nil {
		return errors.SaveFailed(o.path, err)
	}
	from := o.temp
	if file {
		from = filepath.Join(o.temp, "export.json")
	}
	if err := os.Remove(o.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the empty directory, if any
		return badOutput(o.path, "the directory there is not empty any more")
	}
	if err := os.Rename(from, o.path); err != nil {
		return errors.SaveFailed(o.path, err)
	}
	return nil
}

// dropTemporary deletes the temporary directory.
func (o *output) dropTemporary() {
	if o.root != nil {
		_ = o.root.Close()
	}
	_ = os.RemoveAll(o.temp) // a no-op if it was renamed
}

// badOutput returns the error for an unusable destination; nothing was written.
func badOutput(path, reason string) *errors.Error {
	return errors.E(errors.Invalid, "%s cannot take the export: %s", errors.Quote(path), reason).
		Hint("export", "--output PATH", "name a place that does not exist yet")
}
