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
)

const (
	sessionsKept = 200
	sessionsAge  = 7 * 24 * time.Hour
	sessionLimit = 1 << 20 // bytes of a file
	listMost     = 500     // files, or notes, that a session remembers of a kind
)

// seen is what a session has seen and done, as it stands in the session's file.
type seen struct {
	Root   string              `json:"root"` // of the project
	Began  time.Time           `json:"began"`
	Branch string              `json:"branch,omitempty"`
	Edited []string            `json:"edited,omitempty"` // files, as paths below the root
	Read   []string            `json:"read,omitempty"`   // ids of notes, as Wrote
	Wrote  []string            `json:"wrote,omitempty"`
	Shown  map[string]string   `json:"shown,omitempty"` // revision of each note that was shown, by id
	Asked  []string            `json:"asked,omitempty"` // files for which notes were looked for
	Near   map[string][]string `json:"near,omitempty"`  // names of notes that nearly answered the last prompt of an agent, until it reads or changes a file
	Nudged bool                `json:"nudged,omitempty"`
	Tasks  []string            `json:"tasks,omitempty"` // of subagents that have not begun yet
	Later  map[string]string   `json:"later,omitempty"` // what a subagent is to be told after its first tool, by its id
}

// session is a client's session in a project. The file is replaced whole; of two hooks
// that run at once the later one adds to what the earlier has left.
type session struct {
	seen
	log       *slog.Logger
	id        string // names it in the files of Blue
	dir, path string // no path: the client names no session, and nothing is remembered
	fresh     seen   // what a session begins with
	agent     string // before what a subagent was shown, and asked for: it does not see what others were shown
}

func (s *session) load() {
	s.seen = s.fresh
	info, err := os.Lstat(s.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > sessionLimit {
		return
	}
	text, err := os.ReadFile(s.path)
	var kept seen
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.Root != s.fresh.Root {
		return // the session has moved to another project, or the file is damaged
	}
	s.seen = kept
}

// update changes what is known of the session, and reports whether that was kept.
func (s *session) update(change func(*seen)) bool {
	if s.path == "" {
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
	return err == nil && atomicfile.File{Path: s.path, Volatile: true}.Replace(text) == nil
}

// record enters what the session was told, or has done, in the ledger of the project.
func (s *session) record(p *blue.Project, what deliveries.What, text string, notes []string) {
	if s.id != "" {
		p.Record(deliveries.Event{What: what, Session: s.id, Bytes: len(text), Notes: notes})
	}
}

// recordWork records what a tool has done: whether it was one of Blue's, and which notes that
// the session was told cite a file that it has changed for the first time.
func (s *session) recordWork(ctx context.Context, p *blue.Project, e event) {
	if e.Called {
		s.record(p, deliveries.Called, "", nil)
	}
	edited := slices.DeleteFunc(slices.Clone(e.Edited), func(file string) bool { return slices.Contains(s.Edited, file) })
	if len(edited) == 0 || len(s.Shown) == 0 {
		return
	}
	citing, _ := p.Citing(ctx, edited) // without it nothing is recorded
	citing = slices.DeleteFunc(citing, func(id string) bool { return s.Shown[id] == "" && s.Shown[s.agent+id] == "" })
	if len(citing) > 0 {
		s.record(p, deliveries.Changed, "", citing)
	}
}

// taskRoom is how many bytes of what a subagent is asked are kept.
const taskRoom = 2000

// keepTask keeps what a subagent is asked until it begins.
func (s *session) keepTask(task string) {
	s.update(func(s *seen) { s.Tasks = append(s.Tasks, strings.ToValidUTF8(task[:min(len(task), taskRoom)], "")) })
}

// nextTask takes the oldest task that was kept.
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

// keepLater keeps what a subagent is to be told after its first tool.
func (s *session) keepLater(agent, text string) {
	s.update(func(s *seen) {
		if s.Later == nil {
			s.Later = map[string]string{}
		}
		s.Later[agent] = text
	})
}

// joined is a list with what it does not hold yet at its end.
func joined(list, more []string) []string {
	for _, word := range more {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

const (
	summaryNames = 10  // files, and notes, that a summary names
	nameShown    = 100 // characters of each
)

// summary is what the session had, on one line; empty when that is nothing. The branch is not
// named in a project that is not trusted.
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
			names = append(names, blue.Label(name, nameShown))
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
		parts = append(parts, "on branch "+blue.ShowName(s.Branch))
	}
	return "This session so far: " + strings.Join(parts, "; ") + ".\n"
}

// sweep removes the files of sessions that are over, and the oldest, so that there is room
// for one more.
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
