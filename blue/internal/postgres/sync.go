package postgres

import (
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/store"
)

// What follows is for checkouts that carry their notes to a server and back: the notes of
// all, never private ones, by the names of their files in notes/.

// Public is a note of all, or one text of it.
type Public struct {
	Name, Revision string
	Author         string // the subject who has written the text, or removed the note
	Size           int64
	Removed        time.Time // zero for a note that is there
	Text           []byte    // only when it was asked for
}

// publicDir is where the files of these notes lie.
const publicDir = "notes/"

const selectStand = `SELECT p.secret, coalesce(max(n.seq), 0), coalesce(max(greatest(n.at, n.removed)), 0) FROM blue.project p
	LEFT JOIN blue.note n ON n.project = $1 AND n.owner = '' AND n.seq = (SELECT max(m.seq) FROM blue.note m WHERE m.project = $1 AND m.owner = '')
	WHERE p.id = $1 AND p.removed = 0 GROUP BY p.secret`

// PublicStand names how far the notes of all are: another one after each change of these. It
// hides the number of the change, which counts private notes too, and holds the moment of it,
// for after a loss numbers are used again. Within a write it counts what the write has done.
func (n *Notes) PublicStand() (stand string, err error) {
	_, err = n.queryOne(func(r row) error {
		var secret string
		var seq, at int64
		err := r.scan(&secret, &seq, &at)
		stand = store.Revision(fmt.Appendf(nil, "%s.%d.%d", secret, seq, at))
		return err
	}, selectStand, n.a.Project)
	return stand, err
}

// PublicList lists the notes that are there, and those that were removed; of some names, or
// of all for nil.
func (n *Notes) PublicList(names []string) ([]Public, error) {
	where, args := "", []any{n.a.Project}
	if names != nil {
		where, args = " AND n.name = ANY($2)", append(args, inDir(names))
	}
	return n.queryPublic(`SELECT n.name, n.revision,
			coalesce((SELECT r.subject FROM blue.revision r WHERE r.project = n.project AND r.owner = n.owner AND r.name = n.name
				AND CASE n.removed WHEN 0 THEN r.revision = n.revision ELSE r.seq = n.seq END ORDER BY r.seq DESC LIMIT 1), ''),
			length(n.bytes), n.removed, ''::bytea
		FROM blue.note n WHERE n.project = $1 AND n.owner = ''`+where+` ORDER BY n.name, n.removed`, args...)
}

// PublicPast finds the texts that notes have had, by their names and revisions, one for each
// of both; whole says that the texts themselves are wanted.
func (n *Notes) PublicPast(names, revisions []string, whole bool) ([]Public, error) {
	text := "''::bytea"
	if whole {
		text = "r.bytes"
	}
	return n.queryPublic(`SELECT t.* FROM unnest($2::text[], $3::text[]) AS w (name, revision), LATERAL (
			SELECT r.name, r.revision, r.subject, length(r.bytes), 0::bigint, `+text+` FROM blue.revision r
			WHERE r.project = $1 AND r.owner = '' AND r.name = w.name AND r.revision = w.revision AND r.revision <> '' ORDER BY r.seq LIMIT 1) t`, n.a.Project, inDir(names), revisions)
}

func inDir(names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, publicDir+name)
	}
	return paths
}

func (n *Notes) queryPublic(sql string, args ...any) (all []Public, err error) {
	err = n.query(reading{
		sql: sql, args: args,
		begin: func() { all = all[:0] },
		each: func(r row) error {
			var p Public
			var removed int64
			err := r.scan(&p.Name, &p.Revision, &p.Author, &p.Size, &removed, &p.Text)
			p.Name, p.Removed = strings.TrimPrefix(p.Name, publicDir), timeOf(removed)
			all = append(all, p)
			return err
		},
	})
	return all, err
}

// WritePublic gives the note of a name a text in the place of the revision before, which is
// empty for a note that comes. An empty revision, that of the text, removes the note.
func (h *Held) WritePublic(name, before, revision string, text []byte) (err error) {
	name = publicDir + name
	switch {
	case revision == "":
		_, _, err = h.Remove(name, before)
	case before == "":
		_, err = h.Create(name, text)
	default:
		_, err = h.Replace(name, before, text)
	}
	return err
}
