// Package deliveries keeps a private ledger for each project of what agents were told of its
// notes, and of what they did with them. It contains ids and sizes, but no text of a prompt or
// a note.
package deliveries

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// What is the kind of a [Delivery].
type What string

// Kinds of deliveries. The first two name notes by their titles, the next five tell their
// content.
const (
	Start    What = "start"    // a session began, or was resumed
	Subagent What = "subagent" // a subagent began
	Digest   What = "digest"   // the text of one of these told the notes whole; its bytes are counted there
	Prompt   What = "prompt"   // a person asked; without notes and bytes, the gate was silent
	File     What = "file"     // a file was about to be read or changed
	Failure  What = "failure"  // a command failed
	Context  What = "context"  // blue context was run
	Stop     What = "stop"     // a session was asked for a note
	Search   What = "search"   // a search found the notes
	Read     What = "read"
	Cited    What = "cited"   // a write links to the notes or supersedes them
	Changed  What = "changed" // the session changed a file that the notes cite
	Called   What = "called"  // the session has just called Blue

	begun What = "begun" // the first line: when recording began
	whole What = "whole" // the line between thinned events and complete ones
)

// Delivery is one line of the ledger.
type Delivery struct {
	Time    time.Time
	What    What
	Client  string
	Session string   // empty if unknown
	Bytes   int      // of the text that the model got
	Notes   []string // ids
}

// line returns the event as a line of the file. Each field ends with a tab, so that a truncated
// line can be recognized.
func (e Delivery) line() string {
	words := []string{strconv.FormatInt(e.Time.Unix(), 10), string(e.What), clientWord(e.Client), e.Session, strconv.Itoa(e.Bytes)}
	for _, id := range e.Notes {
		if !strings.ContainsAny(id, "\t\r\n") {
			words = append(words, id)
		}
	}
	return strings.Join(words, "\t") + "\t\n"
}

// families are the clients with hooks, each preceded by a word of its name as an MCP client.
var families = [...][2]string{
	{"claude-code", "claude-code"}, {"codex", "codex"}, {"qwen", "qwen-code"}, {"gemini", "gemini"}, {"copilot", "copilot-cli"}, {"cursor", "cursor"}, {"opencode", "opencode"},
}

// clientWord returns the name of a client as one word, which is the same for its hooks and for
// MCP.
func clientWord(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), "-"))
	for _, f := range families {
		if strings.Contains(name, f[0]) {
			return f[1]
		}
	}
	return errors.Cut(name, 40)
}

// Ledger is the file of one project, to which several processes may append. Without a path it
// stays empty.
type Ledger struct {
	Path string
	Most int64 // bytes of the file; 0 for 1 MiB
}

// Open returns a named ledger in the user's state directory, which need not exist.
func Open(state, name string) Ledger {
	return Ledger{Path: filepath.Join(state, "ledger", name+".told")}
}

func (l Ledger) most() int64 {
	if l.Most > 0 {
		return l.Most
	}
	return 1 << 20
}

// Writable returns the reason why no event can be recorded, or nil.
func (l Ledger) Writable() error {
	unlock, _, err := atomicfile.Lock(l.Path+".lock", lockPatience)
	if err == nil {
		unlock()
	}
	return err
}

// lockPatience is how long an event waits for another process. After that it is appended
// without the lock, and is lost only if the file is just being replaced.
const lockPatience = 100 * time.Millisecond

// Add records an event. It does not flush it to disk.
func (l Ledger) Add(e Delivery) error {
	if l.Path == "" {
		return nil
	}
	unlock, alone, err := atomicfile.Lock(l.Path+".lock", lockPatience)
	if err == nil {
		defer unlock()
	} else if !errors.Is(err, errors.Busy) {
		return err
	}
	size, err := atomicfile.Append(l.Path, e.line())
	if err != nil || size <= l.most() || !alone && size <= 2*l.most() {
		return err
	}
	r, err := l.Read("")
	if err != nil {
		return err
	}
	return atomicfile.Target{Path: l.Path, Volatile: true}.Replace([]byte(r.thin(int(l.most()))))
}

// Record is the content of a ledger.
type Record struct {
	Begun  time.Time  // when recording began; zero if it never did
	Whole  time.Time  // from this time on all events are present
	Events []Delivery // oldest first; before Whole, only the last of each kind for each note
}

// recent is the number of bytes that are searched for events of one kind.
const recent = 128 << 10

// Read returns the content of the ledger or, if only is not empty, the recent events of that
// kind. It skips damaged lines.
func (l Ledger) Read(only What) (r Record, err error) {
	info, err := os.Lstat(l.Path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = atomicfile.Check(info, 4*l.most())
	}
	if err != nil {
		return r, err
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	if only != "" {
		_, err = f.Seek(max(0, info.Size()-recent), io.SeekStart)
	}
	data, failed := io.ReadAll(f)
	err = errors.Join(err, failed)
	for line := range strings.Lines(string(data)) {
		words := strings.Split(strings.TrimSuffix(line, "\t\n"), "\t")
		seconds, bad := strconv.ParseInt(words[0], 10, 64)
		if bad != nil || len(words) < 5 || !strings.HasSuffix(line, "\t\n") || only != "" && words[1] != string(only) {
			continue
		}
		e := Delivery{Time: time.Unix(seconds, 0), What: What(words[1]), Client: words[2], Session: words[3], Notes: words[5:]}
		e.Bytes, _ = strconv.Atoi(words[4])
		if r.Begun.IsZero() {
			r.Begun, r.Whole = e.Time, e.Time
		}
		switch e.What {
		case begun:
		case whole:
			r.Whole = e.Time
		default:
			r.Events = append(r.Events, e)
		}
	}
	return r, err
}

// thin returns the text of a smaller ledger. It keeps the newer half unchanged, and of older
// events only the notes that no later event of the same kind names.
func (r Record) thin(most int) string {
	named := map[string]bool{}
	var lines []string // newest first
	size, at := 0, len(r.Events)
	keep := func(e Delivery) {
		lines = append(lines, e.line())
		size += len(lines[len(lines)-1])
		for _, id := range e.Notes {
			named[string(e.What)+"\t"+id] = true
		}
	}
	for ; at > 0 && size < most/2; at-- {
		keep(r.Events[at-1])
	}
	first := Delivery{Time: r.Begun, What: begun}
	if at > 0 {
		lines = append(lines, Delivery{Time: r.Events[at].Time, What: whole}.line())
	}
	for ; at > 0 && size < most*3/4; at-- {
		e := r.Events[at-1]
		e.Notes = slices.DeleteFunc(slices.Clone(e.Notes), func(id string) bool { return named[string(e.What)+"\t"+id] })
		if len(e.Notes) > 0 {
			e.Session, e.Bytes = "", 0
			keep(e)
		}
	}
	if at > 0 {
		first.Time = r.Events[at].Time
	}
	slices.Reverse(lines)
	return first.line() + strings.Join(lines, "")
}
