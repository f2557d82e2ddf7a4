package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

const (
	maxRevisions = 100 // that are told of a note, beside the first
	timeLayout   = "20060102T150405.000000000Z"
)

// Revisions returns the former revisions of a note, newest first, whether or not the note is
// still there.
func (n *Notes) Revisions(name string) ([]store.Past, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	past := []store.Past{}
	err := n.query(reading{
		sql:   "SELECT revision, length(bytes), at FROM blue.revision WHERE project = $1 AND owner = $2 AND name = $3 AND revision <> '' ORDER BY seq",
		args:  []any{n.a.Project, n.owner(name), name},
		begin: func() { past = past[:0] },
		each: func(r row) error {
			var p store.Past
			var at int64
			err := r.scan(&p.Revision, &p.Size, &at)
			if len(past) > 0 { // the text before was replaced at the moment of this one
				past[len(past)-1].Time = time.Unix(0, at)
			}
			past = append(past, p)
			return err
		},
	})
	if err != nil || len(past) == 0 {
		return past, err
	}
	past = lastOfEach(past[:len(past)-1]) // the last one is the present text
	slices.Reverse(past)
	if len(past) > maxRevisions+1 {
		past = append(past[:maxRevisions], past[len(past)-1])
	}
	return past, nil
}

// lastOfEach keeps of texts that have come back the last time, but the first text of a note
// stays the first.
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

// ReadPast returns the bytes of a revision that the note had.
func (n *Notes) ReadPast(name, revision string) (data []byte, err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if revision == "" || strings.Trim(revision, "0123456789abcdef") != "" {
		return nil, errors.NoRevision(idOf(name), revision)
	}
	found, err := n.queryOne(func(r row) error { return r.scan(&data) },
		"SELECT bytes FROM blue.revision WHERE project = $1 AND owner = $2 AND name = $3 AND revision = $4 LIMIT 1", n.a.Project, n.owner(name), name, revision)
	if err == nil && !found {
		err = errors.NoRevision(idOf(name), revision)
	}
	return data, err
}

// changesTold is how many changes are told of a project, the newest.
const changesTold = 5000

// Journal returns who has written, removed and restored the notes, the oldest first.
func (n *Notes) Journal() (all []store.Change, err error) {
	err = n.query(reading{
		sql:   "SELECT name, revision, subject, client, at, verb FROM blue.revision WHERE project = $1 AND owner IN ('', $2) ORDER BY at DESC LIMIT $3",
		args:  []any{n.a.Project, n.a.Subject, changesTold},
		begin: func() { all = []store.Change{} },
		each: func(r row) error {
			c := store.Change{What: store.Edited}
			var at int64
			var verb string
			err := r.scan(&c.Name, &c.Revision, &c.Author, &c.Client, &at, &verb)
			switch c.Time = time.Unix(0, at); verb {
			case "write", "import":
				c.What = store.Wrote
			case store.Removed, store.Restored:
				c.What = verb
			}
			all = append(all, c)
			return err
		},
	})
	slices.Reverse(all)
	last := map[string]string{} // text of a note
	for i, c := range all {
		if c.What == store.Restored {
			all[i].Revision = last[c.Name]
		} else if c.What != store.Removed {
			last[c.Name] = c.Revision
		}
	}
	return all, err
}

// HistorySize returns 0: the history of a database has no bound that a check could name.
func (n *Notes) HistorySize(context.Context) (int64, error) { return 0, nil }

// Trash lists the removed notes, the newest first.
func (n *Notes) Trash() ([]store.Trashed, error) {
	return n.listTrash("AND owner IN ('', $3)", n.a.Subject)
}

// Removed lists the notes that were removed last, the newest first, for the index of this
// call: it has private notes only when the other index of the call has them.
func (n *Notes) Removed(most int) ([]store.Trashed, error) {
	all, err := n.listTrash("AND owner IN ('', $3)", n.view())
	return all[:min(most, len(all))], err
}

// RemovedTexts reads removed notes of that index, by their File, in one round trip. One that
// is gone is missing.
func (n *Notes) RemovedTexts(files []string) (texts map[string][]byte, err error) {
	names := []string{}
	for _, file := range files {
		if name, _, ok := parseTrashFile(file); ok {
			names = append(names, name)
		}
	}
	err = n.query(reading{
		sql:   "SELECT name, removed, bytes" + ofView + " AND removed > 0 AND name = ANY($3)",
		args:  []any{n.a.Project, n.view(), names},
		begin: func() { texts = map[string][]byte{} },
		each: func(r row) error {
			var name string
			var removed int64
			var data []byte
			err := r.scan(&name, &removed, &data)
			texts[trashFile(name, removed)] = data
			return err
		},
	})
	return texts, err
}

// TrashedAs lists the removed notes of one name, the newest first.
func (n *Notes) TrashedAs(name string) ([]store.Trashed, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return n.listTrash("AND owner = $3 AND name = $4", n.owner(name), name)
}

func (n *Notes) listTrash(where string, args ...any) (trashed []store.Trashed, err error) {
	since := time.Now().Add(-store.TrashAge).UnixNano()
	err = n.query(reading{
		sql:   "SELECT name, length(bytes), removed FROM blue.note WHERE project = $1 AND removed >= $2 " + where + " ORDER BY removed DESC, name",
		args:  append([]any{n.a.Project, since}, args...),
		begin: func() { trashed = []store.Trashed{} },
		each: func(r row) error {
			var t store.Trashed
			var removed int64
			err := r.scan(&t.Name, &t.Size, &removed)
			t.Time, t.File = time.Unix(0, removed), trashFile(t.Name, removed)
			trashed = append(trashed, t)
			return err
		},
	})
	return trashed, err
}

// trashFile is the name that the file of a removed note would have.
func trashFile(name string, removed int64) string {
	dir, base, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "/")
	if dir == "private" {
		base = "private/" + base
	}
	return "trash/" + base + "-" + time.Unix(0, removed).UTC().Format(timeLayout) + ".md"
}

// parseTrashFile undoes [trashFile].
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

// ReadTrashed returns the bytes and the revision of a removed note, by its File.
func (n *Notes) ReadTrashed(file string) (data []byte, revision string, err error) {
	name, removed, ok := parseTrashFile(file)
	if !ok || checkName(name) != nil {
		return nil, "", errors.NotTrashed(file)
	}
	found, err := n.queryOne(func(r row) error { return r.scan(&data, &revision) },
		"SELECT bytes, revision FROM blue.note WHERE project = $1 AND owner = $2 AND name = $3 AND removed = $4", n.a.Project, n.owner(name), name, removed)
	if err == nil && !found {
		err = errors.NotTrashed(name)
	}
	return data, revision, err
}
