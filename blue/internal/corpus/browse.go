package corpus

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// Browse lists the documents below a directory and skips that number of its first entries.
func (s Corpus) Browse(ctx context.Context, dir string, skip int) (found result.Documents, err error) {
	if s.Sources.NoDocuments {
		found.Missing = switchedOff
		return found, nil
	}
	if dir = strings.Trim(dir, "/"); dir != "" {
		dir += "/"
	}
	of := &s.open().documents
	x, ended := of.refresh(ctx, s.checkout(), s.Sources.Globs, s.patience())
	lacks, progress := of.describe(ended)
	rows := x.Keyed(keyWhole)
	rows = slices.DeleteFunc(rows, func(row index.Row) bool { return !strings.HasPrefix(row.Name, dir) })
	switch {
	case len(rows) > 0:
	case dir != "" && progress != "":
		return found, errors.StillReading(progress)
	case dir != "":
		return found, errors.NoDocument(dir, "there is none below this directory")
	}
	if progress != "" {
		found.Reading = []string{progress}
	}
	if found.Missing = lacks; dir == "" {
		_, left := of.count(x)
		found.LeftOut = result.DescribeLeft(left)
	}
	found.Directory = result.Directory{Path: dir, Name: note.ShowLabel(dir, result.PathShown), Count: len(rows)}
	superseded := s.Superseded()
	for i := range rows {
		if _, ok := superseded[rows[i].Name]; ok {
			rows[i].Extra = []byte(note.Superseded)
		}
	}
	found.Before = max(skip, 0)
	found.Behind = growTree(&found.Directory, rows, found.Before)
	return found, nil
}

// branch is a directory and the rows of the documents below it, sorted by name.
type branch struct {
	*result.Directory
	rows []index.Row
}

// growTree fills in a directory without its first skip entries, and then its subdirectories while
// there is room. behind counts the entries of the directory for which there was no room.
func growTree(top *result.Directory, rows []index.Row, skip int) (behind int) {
	grown, room := []branch{{top, rows}}, treeRows
	for i := 0; i < len(grown); i++ {
		d := grown[i]
		dirs, files := splitEntries(d.Path, d.rows)
		if i == 0 {
			before := min(skip, len(dirs))
			dirs, files = dirs[before:], files[min(skip-before, len(files)):]
			behind = max(len(dirs)+len(files)-room, 0)
			dirs = dirs[:min(len(dirs), room)]
			files = files[:min(len(files), room-len(dirs))]
		}
		if len(dirs)+len(files) > room {
			continue
		}
		room -= len(dirs) + len(files)
		d.Listed = true
		for _, below := range dirs {
			d.Directories = append(d.Directories, below.Directory)
		}
		grown = append(grown, dirs...)
		for _, row := range files {
			d.Documents = append(d.Documents, result.DocumentRow{
				Path: row.Name, Name: note.ShowLabel(path.Base(row.Name), result.PathShown),
				Title: note.ShowLabel(row.Title, titleShown), Status: knownStatus(string(row.Extra)),
			})
		}
	}
	for _, d := range grown {
		d.Open = treeRows-room <= fewRows
	}
	return behind
}

// splitEntries splits the rows below a directory into its subdirectories and its own documents,
// both sorted. A subdirectory that holds nothing but another one is one entry with that.
func splitEntries(dir string, rows []index.Row) (dirs []branch, files []index.Row) {
	for len(rows) > 0 {
		name, _, isBelow := strings.Cut(rows[0].Name[len(dir):], "/")
		if !isBelow {
			files, rows = append(files, rows[0]), rows[1:]
			continue
		}
		below, end := dir+name+"/", 1
		for end < len(rows) && strings.HasPrefix(rows[end].Name, below) {
			end++
		}
		for only := true; only; {
			next, _, isBelow := strings.Cut(rows[0].Name[len(below):], "/")
			if only = isBelow && strings.HasPrefix(rows[end-1].Name, below+next+"/"); only { // the rows are sorted
				below += next + "/"
			}
		}
		name = strings.TrimSuffix(below[len(dir):], "/")
		dirs = append(dirs, branch{&result.Directory{Path: below, Name: note.ShowLabel(name, result.PathShown), Count: end}, rows[:end]})
		rows = rows[end:]
	}
	slices.SortFunc(dirs, func(a, b branch) int { return comparePaths(a.Path, b.Path) })
	slices.SortFunc(files, func(a, b index.Row) int { return comparePaths(a.Name, b.Name) })
	return dirs, files
}

// presentStatuses are the statuses of decision records that are or may become valid.
var presentStatuses = [...]string{
	"accepted", "adopted", "approved", "active", "decided", "final", "implemented", "implementable", "provisional", "proposed", "draft", "pending", "experimental",
}

// knownStatus returns the word if it is a status of a decision record, else "".
func knownStatus(word string) string {
	if slices.Contains(presentStatuses[:], word) || slices.Contains(pastStatuses[:], word) {
		return word
	}
	return ""
}

// ShowDocument reads a document with its status, sections and date.
func (s Corpus) ShowDocument(ctx context.Context, name string) (d result.Document, err error) {
	text, err := s.readDocument(name)
	if err != nil {
		return d, err
	}
	d = result.Document{
		Path: name, Name: note.ShowLabel(name, result.PathShown), Title: note.ShowTitle(titleOf(name, text, sectionsOf(name, text))),
		Status: knownStatus(statusOf(text)), Markdown: isMarkdown(name),
	}
	text, d.Hidden = note.CountHidden(text)
	d.Front = text[:len(text)-len(skipFront(text))]
	sections := sectionsOf(name, text)
	end := len(text)
	if len(sections) > 0 {
		end = sections[0].At
	}
	d.Parts = []result.Part{{Text: text[len(d.Front):end]}}
	for _, section := range sections {
		d.Parts = append(d.Parts, result.Part{Heading: section.Title, Anchor: section.Anchor, Text: text[section.At:section.End]})
	}
	p, c := s.open(), s.checkout()
	if !s.Sources.NoCommits {
		p.commits.refresh(ctx, c, s.patience())
	}
	if row, ok := p.documents.row(name); ok {
		if last := p.commits.lastChange(c, s.Tree, row); !last.IsZero() {
			d.Date = last.Format(time.DateOnly)
		}
	}
	return d, nil
}

// Title returns the title of the document of a path, relative to the top of the project. ok reports
// whether there was one at the last listing.
func (s Corpus) Title(name string) (title string, ok bool) {
	row, ok := s.open().documents.row(name)
	return note.ShowTitle(row.Title), ok
}

// row returns the row of the first piece of a document.
func (s *documentIndex) row(name string) (row index.Row, ok bool) {
	s.Lock()
	x := s.index
	s.Unlock()
	row, ok = x.Row(name)
	return row, ok && row.Type == kindDocument
}
