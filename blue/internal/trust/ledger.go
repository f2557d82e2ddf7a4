package trust

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"blue/blue/internal/statefile"
)

// compactionSlack is the number of superseded lines that a ledger may hold beyond one for
// each note, before it is compacted.
const compactionSlack = 1000

// Ledger says of the notes of one project which revision this user's Blue wrote at this
// place. It is a text file of lines "revision id", the last line of an id being the valid one;
// several processes may append to it at once. It is safe for use by several goroutines.
type Ledger struct {
	path string

	mu        sync.Mutex
	lastInfo  os.FileInfo // of the file at the last reading; nil before
	end       int64       // where the last whole line that was read ends
	revisions map[string]string
	lines     int
}

// OpenLedger returns the ledger with a name in the directory "ledger" of the user's state
// directory; it need not exist.
func OpenLedger(state, name string) *Ledger {
	return &Ledger{path: filepath.Join(state, "ledger", name)}
}

// Everything returns the ledger of notes whose writers a server has verified: it has all.
func Everything() *Ledger { return &Ledger{} }

// Record enters the revision of the note, see [Ledger.RecordAll].
func (l *Ledger) Record(id, revision string) error {
	return l.RecordAll(map[string]string{id: revision})
}

// RecordAll enters the revisions of notes, by id. They are not flushed to the disk: a line
// that a power cut takes costs a note that is not told. A failure must not fail the write of
// the note; the caller logs it.
func (l *Ledger) RecordAll(revisions map[string]string) error {
	if l.path == "" || len(revisions) == 0 {
		return nil
	}
	var lines strings.Builder
	for id, revision := range revisions {
		if id == "" || revision == "" || strings.ContainsAny(id, "\r\n") || strings.ContainsAny(revision, " \r\n") {
			return fmt.Errorf("recording %q: id or revision cannot stand in a ledger", id)
		}
		lines.WriteString(revision + " " + id + "\n")
	}
	if err := l.append(lines.String()); err != nil {
		return fmt.Errorf("recording in the ledger: %w", err)
	}
	return nil
}

// append adds lines to the file, and compacts it when most of it is superseded.
func (l *Ledger) append(lines string) error {
	unlock, alone, err := statefile.Lock(l.path+".lock", lockTimeout)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := statefile.Append(l.path, lines); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	if !alone || l.lastInfo == nil || l.lines <= 2*len(l.revisions)+compactionSlack {
		return nil
	}
	return l.compact()
}

// None is the revision of a note whose entry counts no more.
const None = "-"

// Has reports whether this revision of the note was entered last.
func (l *Ledger) Has(id, revision string) bool { return l.All()(id, revision) }

// Revision is what was entered of a note last, empty when nothing was.
func (l *Ledger) Revision(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	return l.revisions[id]
}

// All looks at the file once and returns [Ledger.Has] for many notes.
func (l *Ledger) All() func(id, revision string) bool {
	if l.path == "" {
		return func(string, string) bool { return true }
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	return func(id, revision string) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return revision != "" && l.revisions[id] == revision
	}
}

// reload reads what was appended since the last reading, or the whole file when
// it is another one. One that is not to be believed has nothing.
func (l *Ledger) reload() {
	if l.path == "" {
		return
	}
	now, err := os.Stat(l.path)
	if err == nil {
		err = statefile.Check(now, math.MaxInt64)
	}
	if err == nil && l.lastInfo != nil && os.SameFile(now, l.lastInfo) && now.Size() == l.lastInfo.Size() {
		return
	}
	if err != nil || l.lastInfo == nil || !os.SameFile(now, l.lastInfo) || now.Size() < l.end {
		l.end, l.revisions, l.lines = 0, map[string]string{}, 0
	}
	if l.lastInfo = now; err == nil {
		err = l.readAppended()
	}
	if err != nil {
		l.lastInfo, l.revisions = nil, nil
	}
}

func (l *Ledger) readAppended() error {
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, l.end, l.lastInfo.Size()-l.end))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if !strings.HasSuffix(line, "\n") {
			break // still being written, or cut off: the next append ends it
		}
		l.end += int64(len(line))
		l.lines++
		revision, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l.revisions[id] = revision
	}
	return nil
}

// compact writes the valid lines to a new file, which takes the old one's place.
// The lock keeps others from appending to the old one meanwhile.
func (l *Ledger) compact() error {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(l.revisions)) {
		text.WriteString(l.revisions[id] + " " + id + "\n")
	}
	return statefile.Replace(l.path, text.String())
}
