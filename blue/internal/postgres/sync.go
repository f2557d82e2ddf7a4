package postgres

import (
	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
)

// The functions below serve checkouts that sync with a server. They handle public notes, never
// private ones, by the names of their files in notes/.

// publicDir is the directory of the files of public notes.
const publicDir = "notes/"

// PublicStand returns an opaque name of the state of the public notes, which differs after each
// of their changes. It hashes the sequence number, which counts private notes too, and the time
// of the change, since a database that lost changes reuses their numbers. Within a write it
// includes the changes of the write.
func (n *Notes) PublicStand() (stand string, err error) {
	all, err := list(n, pgx.RowTo[string],
		`SELECT concat_ws('.', p.secret, nullif(p.erased, 0), coalesce(max(n.seq), 0), coalesce(max(greatest(n.at, n.removed)), 0)) FROM blue.project p
		LEFT JOIN blue.note n ON n.project = $1 AND n.owner = '' AND n.seq = (SELECT max(m.seq) FROM blue.note m WHERE m.project = $1 AND m.owner = '')
		WHERE p.id = $1 AND p.removed = 0 GROUP BY p.secret, p.erased`, n.a.Project)
	for _, state := range all {
		stand = store.Revision([]byte(state))
	}
	return stand, err
}

// PublicList returns the notes of some names, or all notes if names is nil. It includes removed
// notes. A Row has fields for the columns name, revision, author, size, removed and text, which
// is empty.
func PublicList[Row any](n *Notes, names []string) ([]Row, error) {
	where, args := "", []any{n.a.Project}
	if names != nil {
		where, args = " AND n.name = ANY($2)", append(args, inDir(names))
	}
	return list(n, pgx.RowToStructByNameLax[Row], `SELECT substr(n.name, 7) AS name, n.revision,
			coalesce((SELECT r.subject FROM blue.revision r WHERE r.project = n.project AND r.owner = n.owner AND r.name = n.name
				AND CASE n.removed WHEN 0 THEN r.revision = n.revision ELSE r.seq = n.seq END ORDER BY r.seq DESC LIMIT 1), '') AS author,
			length(t.bytes) AS size, n.removed, ''::bytea AS text
		FROM blue.note n JOIN`+itsText+"WHERE n.project = $1 AND n.owner = ''"+where+" ORDER BY n.name, n.removed", args...)
}

// PublicPast returns the former texts of notes that have the given names and revisions, pair by
// pair. The column text is empty unless whole is set; without whole, texts that were erased are
// there too, as removed. See [PublicList] for Row.
func PublicPast[Row any](n *Notes, names, revisions []string, whole bool) ([]Row, error) {
	return list(n, pgx.RowToStructByNameLax[Row], `SELECT t.* FROM unnest($2::text[], $3::text[]) AS w (name, revision), LATERAL (
			SELECT substr(r.name, 7) AS name, r.revision, r.subject AS author, length(r.bytes) AS size, 0::bigint AS removed,
				CASE WHEN $4 THEN r.bytes ELSE '' END AS text FROM blue.revision r
			WHERE r.project = $1 AND r.owner = '' AND r.name = w.name AND r.revision = w.revision AND r.revision <> '' ORDER BY r.seq LIMIT 1) t
		UNION ALL SELECT substr(w.name, 7), w.revision, '`+Erased+`', 0, e.at, '' FROM unnest($2::text[], $3::text[]) AS w (name, revision)
			JOIN blue.erased e ON e.project = $1 AND e.revision = w.revision WHERE NOT $4`,
		n.a.Project, inDir(names), revisions, whole)
}

// ErasedAmong returns those of the given revisions that were erased from the project.
func (n *Notes) ErasedAmong(revisions []string) ([]string, error) {
	return list(n, pgx.RowTo[string], "SELECT revision FROM blue.erased WHERE project = $1 AND revision = ANY ($2)", n.a.Project, revisions)
}

func inDir(names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, publicDir+name)
	}
	return paths
}

// WritePublic replaces the revision before of a note with a text. before is empty for a new
// note; revision is that of the text, or empty to remove the note.
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
