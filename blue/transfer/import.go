// Package transfer carries notes between a project and the outside: [Import] makes notes of
// what other tools keep, and [Export] writes a bundle, one JSON object or a site that others
// can read.
//
// [blue.Intake] decides which document is a note already, and [blue.Publication] what others
// may see. Reading a source touches no note, and rendering a page no file: an fs.FS goes in,
// texts come out.
package transfer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
)

// Import makes notes of the documents of another tool. A document that was imported before and
// has not changed makes none, whatever has become of its note; no note is ever overwritten.
// Documents that look like a secret, hold hidden characters or are no text are left out and
// reported. Import reads only what the path names and follows no link in it.
func Import(ctx context.Context, p *blue.Project, i Importing) (r Imported, err error) {
	defer p.NameProject(&err)
	r = Imported{About: p.About(), Source: i.Source, Path: i.Path, DryRun: i.DryRun, Durable: true,
		Notes: []Taken{}, Reasons: []NotTaken{}, reasons: map[string]int{}}
	intake, err := p.Intake(ctx)
	if err != nil {
		return r, err
	}
	r.About = p.About()
	root, source, err := openSource(p, i)
	if err != nil {
		return r, err
	}
	defer root.Close()
	m := importer{i: i, r: &r, source: source, intake: intake, plans: map[string]plan{}}
	if err := m.planNotes(ctx); err != nil || r.Stopped {
		return r, err
	}
	if err := m.takeDocuments(ctx); err != nil {
		e := *errors.Of(err)
		e.Message += fmt.Sprintf("; imported before that: %d", r.Taken)
		e.Hints = slices.Clone(e.Hints)
		return r, e.Hint("", "", "run the same command again: it goes on with what is missing")
	}
	return r, nil
}

// openSource opens what is to be imported. The root must be closed.
func openSource(p *blue.Project, i Importing) (*os.Root, *source, error) {
	given, err := marker.Parse(i.Path)
	if err != nil {
		return nil, nil, err
	}
	if root, _ := marker.LinkOut(given); root != "" {
		return nil, nil, errors.BadSource(given, "a link leads out of "+root)
	}
	real, err := mount.Resolve(given)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	if rel, err := filepath.Rel(filepath.Join(p.Root(), marker.Name), real); err == nil && filepath.IsLocal(rel) {
		return nil, nil, errors.BadSource(given, "these are the notes of this project")
	}
	dir, file := real, ""
	switch {
	case info.Mode().IsRegular():
		dir, file = filepath.Split(real)
	case !info.IsDir():
		return nil, nil, errors.BadSource(given, "it is neither a directory nor a regular file")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it cannot be opened")
	}
	source, err := openKind(i.Source, root.FS(), filepath.Base(dir), file)
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	return root, source, nil
}
