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

	"blue/blue/internal/atomicfile"
)

// compactionSlack is the number of superseded lines, beyond one per note, at which a ledger is
// compacted.
const compactionSlack = 1000

// Authorship records which revision of each note this user's Blue wrote in this place. It is a text
// file of lines "revision id", of which the last of each id counts. Several processes may append
// concurrently. It is safe for concurrent use.
type Authorship struct {
	path string

	mu        sync.Mutex
	lastInfo  os.FileInfo // of the file when last read; nil before that
	end       int64       // offset after the last complete line read
	revisions map[string]string
	lines     int
}

// OpenLedger returns the ledger with a name in the directory "ledger" of the user's state
// directory. The file need not exist.
func OpenLedger(state, name string) *Authorship {
	return &Authorship{path: filepath.Join(state, "ledger", name)}
}

// Everything returns a ledger that has every revision, for notes whose writers a server has
// verified.
func Everything() *Authorship { return &Authorship{} }

// Record adds the revision of a note, see [Authorship.RecordAll].
func (l *Authorship) Record(id, revision string) error {
	return l.RecordAll(map[string]string{id: revision})
}

// RecordAll adds revisions by note id. It does not sync the file: a line lost in a power cut only
// means that a note is not told. An error must not fail the write of the note; callers log it.
func (l *Authorship) RecordAll(revisions map[string]string) error {
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

// append appends lines to the file. If most of the file is superseded it replaces it by one with
// the valid lines; the lock keeps other processes from appending to the old file.
func (l *Authorship) append(lines string) error {
	unlock, alone, err := atomicfile.Lock(l.path+".lock", lockTimeout)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := atomicfile.Append(l.path, lines); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	if !alone || l.lastInfo == nil || l.lines <= 2*len(l.revisions)+compactionSlack {
		return nil
	}
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(l.revisions)) {
		text.WriteString(l.revisions[id] + " " + id + "\n")
	}
	return atomicfile.Replace(l.path, text.String())
}

// None is the revision that revokes a note's entry.
const None = "-"

// Has reports whether the note's last recorded revision is revision.
func (l *Authorship) Has(id, revision string) bool { return l.All()(id, revision) }

// Revision returns the last recorded revision of a note, or "".
func (l *Authorship) Revision(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	return l.revisions[id]
}

// All reads the file once and returns [Authorship.Has] for many notes.
func (l *Authorship) All() func(id, revision string) bool {
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

// reload reads the lines appended since the last call, or the whole file if it was replaced. An
// untrusted file counts as empty.
func (l *Authorship) reload() {
	if l.path == "" {
		return
	}
	now, err := os.Stat(l.path)
	if err == nil {
		err = atomicfile.Check(now, math.MaxInt64)
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

func (l *Authorship) readAppended() error {
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
			break // incomplete: still being written, or cut off; the next append completes it
		}
		l.end += int64(len(line))
		l.lines++
		revision, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l.revisions[id] = revision
	}
	return nil
}
