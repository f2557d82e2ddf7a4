package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/blue/internal/atomicfile"
	"blue/blue/internal/deliveries"
	"blue/blue/result"
	"blue/errors"
)

const (
	sessionsKept = 200
	sessionsAge  = 7 * 24 * time.Hour
	sessionLimit = 1 << 20 // size limit of a session file
	listMost     = 500     // maximum length of each list of a session
)

// seen is the content of a session file: what the session has seen and done.
type seen struct {
	Root   string              `json:"root"` // root of the project
	Began  time.Time           `json:"began"`
	Branch string              `json:"branch,omitempty"`
	Edited []string            `json:"edited,omitempty"` // files, relative to the root
	Read   []string            `json:"read,omitempty"`   // ids of notes; so is Wrote
	Wrote  []string            `json:"wrote,omitempty"`
	Shown  map[string]string   `json:"shown,omitempty"` // revisions of the notes that were shown, by id; inPart precedes those of which a part was
	Asked  []string            `json:"asked,omitempty"` // files for which notes were searched
	Near   map[string][]string `json:"near,omitempty"`  // notes that nearly answered an agent's last prompt, by agent, until it reads or changes a file
	Nudged bool                `json:"nudged,omitempty"`
	Tasks  []string            `json:"tasks,omitempty"` // prompts of subagents that have not started yet
	Later  map[string]string   `json:"later,omitempty"` // what to tell a subagent after its first tool, by its id, and the main agent at its next invocation
	Lost   bool                `json:"lost,omitempty"`  // a compaction has taken what was told
}

// session is a client's session in a project. Its file is replaced atomically. Of two concurrent
// hooks the later merges its changes into the file of the earlier.
type session struct {
	seen
	log       *slog.Logger
	id        string // its name in Blue's files
	dir, path string // path is empty if the client names no session: nothing is remembered
	fresh     seen   // initial content
	agent     string // key prefix for a subagent, which does not see what others were shown
	begun     bool   // it has a file
}

func (s *session) load() {
	s.seen = s.fresh
	info, err := os.Lstat(s.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > sessionLimit {
		return
	}
	text, err := atomicfile.ReadFile(s.path)
	var kept seen
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.Root != s.fresh.Root {
		return // the session has changed projects, or the file is damaged
	}
	s.seen, s.begun = kept, true
}

// inPart precedes the revision of a note of which a part was shown.
const inPart = "~"

// show remembers notes that were told to an agent.
func (s *seen) show(agent string, told []result.Glance) {
	if s.Shown == nil {
		s.Shown = map[string]string{}
	}
	for _, note := range told {
		if key := agent + note.ID; note.Whole {
			s.Shown[key] = note.Revision
		} else if s.Shown[key] != note.Revision {
			s.Shown[key] = inPart + note.Revision
		}
	}
}

// knows returns how much of a note the agent has seen.
func (s *session) knows(id, revision string) blue.Seen {
	switch s.Shown[s.agent+id] {
	case revision:
		return blue.SeenWhole
	case inPart + revision:
		return blue.SeenPart
	}
	return blue.SeenNone
}

// update changes the session and reports whether its file was saved.
func (s *session) update(change func(*seen)) bool {
	if s.path == "" {
		change(&s.seen)
		return false
	}
	s.load()
	change(&s.seen)
	for _, list := range []*[]string{&s.Edited, &s.Read, &s.Wrote, &s.Asked} {
		*list = (*list)[max(0, len(*list)-listMost):]
	}
	if _, err := os.Lstat(s.path); err != nil {
		sweep(s.dir, time.Now())
	}
	text, err := json.Marshal(s.seen)
	return err == nil && atomicfile.Target{Path: s.path, Volatile: true}.Replace(text) == nil
}

// record adds an entry to the project's ledger of deliveries.
func (s *session) record(p *blue.Project, what deliveries.What, text string, notes []string) {
	if s.id != "" {
		p.Record(deliveries.Delivery{What: what, Session: s.id, Bytes: len(text), Notes: notes})
	}
}

// recordDigest records a digest, and remembers the notes that it tells whole.
func (s *session) recordDigest(p *blue.Project, what deliveries.What, text string, c result.Context) {
	s.record(p, what, text, c.Named())
	told := c.Told()
	if len(told) == 0 {
		return
	}
	s.update(func(seen *seen) { seen.show(s.agent, told) })
	var ids []string
	for _, note := range told {
		ids = append(ids, note.ID)
	}
	s.record(p, deliveries.Digest, "", ids)
}

// recordWork records the effect of a tool: whether it was a Blue tool, and which of the notes told
// cite a file that was now changed for the first time.
func (s *session) recordWork(ctx context.Context, p *blue.Project, e event) {
	if e.Called {
		s.record(p, deliveries.Called, "", nil)
	}
	edited := slices.DeleteFunc(slices.Clone(e.Edited), func(file string) bool { return slices.Contains(s.Edited, file) })
	if len(edited) == 0 || len(s.Shown) == 0 {
		return
	}
	citing, _ := p.Citing(ctx, edited) // on error nothing is recorded
	citing = slices.DeleteFunc(citing, func(id string) bool { return s.Shown[id] == "" && s.Shown[s.agent+id] == "" })
	if len(citing) > 0 {
		s.record(p, deliveries.Changed, "", citing)
	}
}

// taskRoom is the size limit, in bytes, of a remembered subagent prompt.
const taskRoom = 2000

// nextTask removes and returns the oldest remembered prompt.
func (s *session) nextTask() (task string) {
	if len(s.Tasks) > 0 {
		s.update(func(s *seen) {
			if len(s.Tasks) > 0 {
				task, s.Tasks = s.Tasks[0], s.Tasks[1:]
			}
		})
	}
	return task
}

// joined appends the elements that list lacks.
func joined(list, more []string) []string {
	for _, word := range more {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

const (
	summaryNames = 10  // maximum number of files and of notes in a summary
	nameShown    = 100 // maximum characters of each name
)

// summary describes the session in one line, or returns "" if there is nothing to say. It omits the
// branch in untrusted projects.
func (s *session) summary(trusted bool) string {
	var parts []string
	var edited []string
	for _, file := range s.Edited {
		if name, err := filepath.Rel(s.Root, file); err == nil && filepath.IsLocal(name) {
			file = filepath.ToSlash(name)
		}
		edited = append(edited, file)
	}
	for _, part := range []struct {
		word  string
		names []string
	}{{"edited", edited}, {"read the notes", s.Read}, {"wrote the notes", s.Wrote}} {
		if len(part.names) == 0 {
			continue
		}
		var names []string
		for _, name := range part.names[max(0, len(part.names)-summaryNames):] {
			names = append(names, errors.Disarm(blue.Label(name, nameShown)))
		}
		text := part.word + " " + strings.Join(names, ", ")
		if more := len(part.names) - len(names); more > 0 {
			text += fmt.Sprintf(" and %d before", more)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	if s.Branch != "" && trusted {
		parts = append(parts, "on branch "+result.ShowName(s.Branch))
	}
	return "This session so far: " + strings.Join(parts, "; ") + ".\n"
}

// sweep removes the files of old sessions and makes room for one more.
func sweep(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, file := range files {
		if i >= sessionsKept-1 || now.Sub(file.ModTime()) > sessionsAge {
			_ = os.Remove(filepath.Join(dir, file.Name()))
		}
	}
}
