package trust

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"blue/errors"
)

// The answers of [Ledger.Origin].
const (
	Local      = "local"      // this user's Blue wrote it, or the user approved it
	Repository = "repository" // not reviewed here
	Changed    = "changed"    // reviewed, then changed by something else
	Synced     = "synced"     // came from another machine by blue sync, and is not reviewed here
)

// compactionSlack is the number of superseded lines that a ledger may hold beyond one for
// each note, before it is compacted.
const compactionSlack = 1000

// Ledger says of the notes of one project which revision this user's Blue wrote
// or the user approved. It is a text file of lines "checksum revision id", the
// last line of an id being the valid one; several processes may append to it at
// once. Lines that are damaged are skipped and counted. It is safe for use by
// several goroutines.
type Ledger struct {
	path string

	mu        sync.Mutex
	lastInfo  os.FileInfo // of the file at the last reading; nil before
	end       int64       // where the last whole line that was read ends
	revisions map[string]string
	lines     int
	damaged   int
	fault     error // why the file cannot be read
}

// OpenLedger returns the ledger of the project with the key in the directory
// "ledger" of the user's state directory; it need not exist. The file's name is
// a hash of the key, which may come from a clone and hold anything.
func OpenLedger(state, key string) *Ledger {
	sum := sha256.Sum256([]byte(key))
	return &Ledger{path: filepath.Join(state, "ledger", fmt.Sprintf("%x", sum[:16]))}
}

// AllLocal returns the ledger of notes whose writers a server has verified: each is [Local].
func AllLocal() *Ledger { return &Ledger{} }

// Record enters the revision of the note. It is not flushed to the disk: a line
// that a power cut takes costs a label. A failure must not fail the write of the
// note; the caller logs it.
func (l *Ledger) Record(id, revision string) error {
	if l.path == "" {
		return nil
	}
	if id == "" || revision == "" || strings.ContainsAny(id, "\r\n") || strings.ContainsAny(revision, " \r\n") {
		return fmt.Errorf("recording %q: id or revision cannot stand in a ledger", id)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("recording %q: %w", id, err)
	}
	unlock, alone, err := lockFile(l.path + ".lock")
	if err != nil {
		return fmt.Errorf("recording %q: %w", id, err)
	}
	defer unlock()
	if err := appendLine(l.path, formatLine(id, revision)); err != nil {
		return fmt.Errorf("recording %q: %w", id, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	if !alone || l.fault != nil || l.lines <= 2*len(l.revisions)+compactionSlack {
		return nil
	}
	if err := l.compact(); err != nil {
		return fmt.Errorf("compacting the ledger: %w", err)
	}
	return nil
}

// The lines of notes that have come by a sync, and of those whose notes count as reviewed.
// No note has such a name.
const (
	syncedLine  = "synced:"
	trustedLine = "trusted:"
	everybody   = "*"
	noRevision  = "-" // of a note that Blue has written here and that has gone on elsewhere
)

// RecordSynced enters that a revision of a note came by a sync, and who has made it. What
// Blue wrote here before is then an older text, which a checkout may bring back.
func (l *Ledger) RecordSynced(id, revision, author string) error {
	l.mu.Lock()
	l.reload()
	known := l.revisions[id]
	l.mu.Unlock()
	if known == revision {
		return nil
	}
	if known != "" && known != noRevision {
		if err := l.Record(id, noRevision); err != nil {
			return err
		}
	}
	return l.Record(syncedLine+id, revision+"/"+authorKey(author))
}

// RecordUnreviewed enters that a note is [Repository] at whatever revision: its file is new
// here, and yet nobody has typed it.
func (l *Ledger) RecordUnreviewed(id string) error { return l.Record(syncedLine+id, noRevision) }

// TrustSynced makes what comes by a sync count as reviewed: that of an author, or with ""
// of everybody who can push.
func (l *Ledger) TrustSynced(author string) error {
	if author == "" {
		return l.Record(trustedLine+everybody, "yes")
	}
	return l.Record(trustedLine+authorKey(author), "yes")
}

// authorKey is a word that stands for an author, by whatever case.
func authorKey(author string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(author))))
	return fmt.Sprintf("%x", sum[:8])
}

// originOf is the answer of [Ledger.Origin], from what has been read.
func (l *Ledger) originOf(id, revision string) string {
	known, ok := l.revisions[id]
	if ok && known == revision {
		return Local
	}
	came, author, _ := strings.Cut(l.revisions[syncedLine+id], "/")
	switch {
	case came == revision && (l.revisions[trustedLine+everybody] != "" || l.revisions[trustedLine+author] != ""):
		return Local
	case came == revision:
		return Synced
	case ok:
		return Changed
	}
	return Repository
}

// Origin says where the note with this revision comes from: [Local],
// [Repository], [Changed] or [Synced].
func (l *Ledger) Origin(id, revision string) string {
	return l.Origins()(id, revision)
}

// IsUnknown reports whether nothing was ever entered about a note.
func (l *Ledger) IsUnknown(id string) bool {
	if l.path == "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	return l.revisions[id] == "" && l.revisions[syncedLine+id] == ""
}

// Origins looks at the file once and returns [Ledger.Origin] for many notes.
func (l *Ledger) Origins() func(id, revision string) string {
	if l.path == "" {
		return func(string, string) string { return Local }
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	return func(id, revision string) string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.originOf(id, revision)
	}
}

// Warning says what of the ledger could not be read; it is "" when all could.
func (l *Ledger) Warning() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	switch {
	case l.fault != nil:
		return fmt.Sprintf("ledger %q is not used: %v", l.path, l.fault)
	case l.damaged > 0:
		return fmt.Sprintf("ledger %q has %d damaged lines, which are skipped", l.path, l.damaged)
	}
	return ""
}

// reload reads what was appended since the last reading, or the whole file when
// it is another one.
func (l *Ledger) reload() {
	now, err := os.Stat(l.path)
	if err == nil && l.lastInfo != nil && os.SameFile(now, l.lastInfo) && now.Size() == l.lastInfo.Size() {
		return
	}
	if err != nil || l.lastInfo == nil || !os.SameFile(now, l.lastInfo) || now.Size() < l.end {
		l.end, l.revisions, l.lines, l.damaged = 0, map[string]string{}, 0, 0
	}
	l.lastInfo, l.fault = now, nil
	if err == nil {
		err = l.readAppended()
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.lastInfo, l.revisions, l.fault = nil, nil, err
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
		l.addLine(strings.TrimSuffix(line, "\n"))
	}
	return nil
}

func (l *Ledger) addLine(line string) {
	if line == "" {
		return
	}
	l.lines++
	_, rest, _ := strings.Cut(line, " ")
	revision, id, _ := strings.Cut(rest, " ")
	if formatLine(id, revision) != line+"\n" {
		l.damaged++
		return
	}
	l.revisions[id] = revision
}

// compact writes the valid lines to a new file, which takes the old one's place.
// The lock keeps others from appending to the old one meanwhile.
func (l *Ledger) compact() error {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(l.revisions)) {
		text.WriteString(formatLine(id, l.revisions[id]))
	}
	return replaceFile(l.path, text.String())
}

func formatLine(id, revision string) string {
	rest := revision + " " + id
	return fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(rest), crc32.MakeTable(crc32.Castagnoli)), rest)
}

// appendLine adds the line in one write. A last line that was cut off is ended
// first, so that it spoils no other.
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	var last [1]byte
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
