package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
	"blue/errors"
)

const (
	maxRevisions = 100 // returned for a note, besides the first
	timeLayout   = "20060102T150405.000000000Z"
)

// Revisions returns the former revisions of a note, newest first. The note may have been
// removed.
func (n *Notes) Revisions(name string) ([]store.Past, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	past, err := list(n, pgx.RowToStructByPos[store.Past], `SELECT revision, at, length(bytes) FROM blue.revision
		WHERE project = $1 AND owner = $2 AND name = $3 AND revision <> '' ORDER BY seq`, n.a.Project, n.owner(name), name)
	if err != nil || len(past) == 0 {
		return past, err
	}
	for i := range past[1:] {
		past[i].Time = past[i+1].Time // when it was replaced
	}
	past = lastOfEach(past[:len(past)-1]) // the last one is the present text
	slices.Reverse(past)
	if len(past) > maxRevisions+1 {
		past = append(past[:maxRevisions], past[len(past)-1])
	}
	return past, nil
}

// lastOfEach keeps the last occurrence of each revision, and the first revision of the note.
func lastOfEach(past []store.Past) []store.Past {
	kept := past[:0:0]
	for i, p := range past {
		again := slices.ContainsFunc(past[i+1:], func(later store.Past) bool { return later.Revision == p.Revision })
		isFirst := i > 0 && p.Revision == past[0].Revision
		if i == 0 || !again && !isFirst {
			kept = append(kept, p)
		}
	}
	return kept
}

// ReadPast returns the text of a former revision of a note.
func (n *Notes) ReadPast(name, revision string) (data []byte, err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	absent := errors.NoRevision(idOf(name), revision)
	if revision == "" || strings.Trim(revision, "0123456789abcdef") != "" {
		return nil, absent
	}
	return first(n, absent, pgx.RowTo[[]byte],
		"SELECT bytes FROM blue.revision WHERE project = $1 AND owner = $2 AND name = $3 AND revision = $4 LIMIT 1", n.a.Project, n.owner(name), name, revision)
}

// maxChanges is the number of changes that Journal returns.
const maxChanges = 5000

// Journal returns the newest changes of the notes, oldest first.
func (n *Notes) Journal() ([]store.Change, error) {
	all, err := list(n, pgx.RowToStructByPos[store.Change], `SELECT at, verb, name, '', revision, subject, client FROM blue.revision
		WHERE project = $1 AND owner IN ('', $2) ORDER BY at DESC LIMIT $3`, n.a.Project, n.a.Subject, maxChanges)
	slices.Reverse(all)
	last := map[string]string{} // revision by name
	for i := range all {
		switch c := &all[i]; c.What {
		case store.Removed:
		case store.Restored:
			c.Revision = last[c.Name]
		case "write", "import":
			c.What, last[c.Name] = store.Wrote, c.Revision
		default:
			c.What, last[c.Name] = store.Edited, c.Revision
		}
	}
	return all, err
}

// HistorySize returns 0: the history of a database has no limit to check.
func (n *Notes) HistorySize(context.Context) (int64, error) { return 0, nil }

// Trash returns the removed notes, newest first.
func (n *Notes) Trash() ([]store.Trashed, error) {
	return n.listTrash("n.owner IN ('', $2)", n.a.Subject)
}

// TrashedAs returns the removed notes with a name, newest first.
func (n *Notes) TrashedAs(name string) ([]store.Trashed, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return n.listTrash("n.owner = $2 AND n.name = $3", n.owner(name), name)
}

func (n *Notes) listTrash(where string, args ...any) ([]store.Trashed, error) {
	trashed, err := list(n, pgx.RowToStructByPos[store.Trashed], "SELECT n.name, '', n.removed, length(t.bytes) FROM blue.note n JOIN"+itsText+
		"WHERE n.project = $1 AND n.removed > 0 AND "+where+" ORDER BY n.removed DESC, n.name", append([]any{n.a.Project}, args...)...)
	for i, t := range trashed {
		trashed[i].File = trashFile(t.Name, t.Time)
	}
	return trashed, err
}

// trashFile returns the path that the file of a removed note would have.
func trashFile(name string, removed time.Time) string {
	dir, base, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "/")
	if dir == "private" {
		base = "private/" + base
	}
	return "trash/" + base + "-" + removed.UTC().Format(timeLayout) + ".md"
}

// parseTrashFile is the inverse of [trashFile].
func parseTrashFile(file string) (name string, removed int64, ok bool) {
	rest, inTrash := strings.CutPrefix(strings.TrimSuffix(file, ".md"), "trash/")
	dir := "notes/"
	if below, private := strings.CutPrefix(rest, "private/"); private {
		dir, rest = "private/", below
	}
	cut := strings.LastIndexByte(rest, '-')
	if !inTrash || cut < 0 {
		return "", 0, false
	}
	at, err := time.Parse(timeLayout, rest[cut+1:])
	return dir + rest[:cut] + ".md", at.UnixNano(), err == nil
}

// ReadTrashed returns the text and the revision of a removed note by its file.
func (n *Notes) ReadTrashed(file string) (data []byte, revision string, err error) {
	name, removed, ok := parseTrashFile(file)
	if !ok || checkName(name) != nil {
		return nil, "", errors.NotTrashed(file)
	}
	text, err := first(n, errors.NotTrashed(name), pgx.RowToStructByPos[textRow],
		"SELECT t.bytes, n.revision"+ofNote+"n.removed = $4", n.a.Project, n.owner(name), name, removed)
	return text.Data, text.Revision, err
}
