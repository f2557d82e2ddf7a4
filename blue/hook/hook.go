// Package hook is the door through which Blue speaks unasked: a client's hook runs
// `blue hook CLIENT`, which reads the client's event and answers it with notes that
// belong to that moment, or with nothing.
//
// An event becomes a moment ([readEvent]: the clients' names for it differ), the core
// says what an agent should know then ([blue.Project.Context]), and the answer takes the
// shape that the client reads ([answerShape]). What a session has seen, read and changed
// stands in a file of its own ([session]), so that nothing is said twice.
//
// A hook stands between a person and their agent: it never fails, never waits for longer
// than [patience] and changes no note. Whatever goes wrong ends in silence.
package hook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/marker"
)

const (
	patience   = 400 * time.Millisecond // for one event, from start to answer
	eventLimit = 1 << 20                // bytes of an event; a longer one is ignored

	syncPatience = 2 * time.Second // for the notes to be carried, where the project wants that, beside patience
)

// Hook answers the events of one client.
type Hook struct {
	Blue   *blue.Blue
	Client string // as `blue setup` names it
	Self   string // path of this program, to answer in a child process; "" answers in this one
	Mounts string // the file with the table of mounts
	Log    *slog.Logger
	Now    func() time.Time

	delay func(time.Duration) // gives an event this time from now on
}

// Answer reads one event and returns what the client is to read, nil for nothing.
// In time is false when the answer did not come within [patience]: something waits for a
// disk still, and the process should end without it.
func (h *Hook) Answer(ctx context.Context, in io.Reader) (answer []byte, inTime bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(patience, cancel)
	defer timer.Stop()
	h.delay = func(d time.Duration) { timer.Reset(d) }
	done := make(chan []byte, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				h.Log.Error("hook", "panic", fault)
				done <- nil
			}
		}()
		done <- h.answer(ctx, in)
	}()
	select {
	case answer = <-done:
		inTime = ctx.Err() == nil
	case <-ctx.Done():
	}
	if !inTime {
		h.Log.Warn("hook", "client", h.Client, "err", "no answer in time", "limit", patience)
		answer = nil
	}
	if len(answer) == 0 && shapes[h.Client].always {
		answer = []byte("{}\n")
	}
	return answer, inTime
}

// answer is Answer without a limit of time.
func (h *Hook) answer(ctx context.Context, in io.Reader) []byte {
	shape, known := shapes[h.Client]
	if !known {
		h.Log.Warn("hook", "client", h.Client, "err", "not a client with hooks")
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(in, eventLimit+1))
	if err != nil || len(text) > eventLimit {
		h.Log.Warn("hook", "client", h.Client, "err", err, "bytes", len(text))
		return nil
	}
	e, err := readEvent(text)
	if err != nil {
		h.Log.Warn("hook", "client", h.Client, "err", err)
		return nil
	}
	if mounts, _ := os.ReadFile(h.Mounts); h.Self != "" && MayHang(string(mounts), e.Cwd) {
		return h.guard(ctx, text)
	}
	said, err := h.say(ctx, e)
	if err != nil {
		h.Log.Info("hook", "client", h.Client, "event", e.Name, "err", err)
		return nil
	}
	h.Log.Debug("hook", "client", h.Client, "event", e.Name, "cwd", e.Cwd, "bytes", len(said))
	if said == "" {
		return nil
	}
	return shape.write(e, said)
}

// say is what is to be said at an event, empty for nothing.
func (h *Hook) say(ctx context.Context, e event) (string, error) {
	if e.Moment == other || e.Cwd == "" || h.Client == "claude-code" && h.Blue.Env("COPILOT_CLI") != "" {
		return "", nil // Copilot runs the hooks of Claude Code too, beside its own
	}
	p, err := h.Blue.Open(ctx, blue.Call{
		From: slices.Values([]marker.Candidate{{Source: marker.Hook, Value: e.Cwd}}),
		Cwd:  e.Cwd, Door: marker.Door{Terminal: true}, Client: h.Client, Log: h.Log,
	})
	if err != nil {
		return "", err
	}
	if h.carryNotes(ctx, p, e); ctx.Err() != nil {
		return "", ctx.Err()
	}
	s, late := h.session(e, p), shapes[h.Client].late
	switch e.Moment {
	case start:
		return h.sayStart(ctx, p, s, e)
	case prompt:
		if strings.Contains(e.Prompt, nudgeText) { // some clients ask with it in the person's place
			return "", nil
		}
		return h.sayNotes(ctx, p, s, blue.Moment{For: e.Prompt})
	case before:
		if !late {
			return h.sayOfFiles(ctx, p, s, e.Files)
		}
	case after:
		s.update(func(s *seen) {
			s.Edited = joined(s.Edited, e.Edited)
			s.Read, s.Wrote = joined(s.Read, e.Read), joined(s.Wrote, e.Wrote)
		})
		if late {
			return h.sayOfFiles(ctx, p, s, e.Files)
		}
	case compact:
		s.update(func(s *seen) { s.Branch = p.Branch() })
	case stop:
		return h.nudge(ctx, p, s, e)
	}
	return "", nil
}

// carryNotes fetches the notes of others when a session begins and sends those of here
// when it ends, where project.yaml wants that and a person has synced before. It says
// nothing, whatever becomes of it.
func (h *Hook) carryNotes(ctx context.Context, p *blue.Project, e event) {
	if !p.SyncsSessions() || e.Moment != start && e.Moment != stop {
		return
	}
	h.delay(patience + syncPatience)
	ctx, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	if _, err := p.Sync(ctx, blue.Syncing{NoPush: e.Moment == start, Known: true}); err != nil {
		h.Log.Info("sync", "client", h.Client, "event", e.Name, "err", err)
	}
}

// sayStart is the digest. After a compaction or a resumption it begins with what the
// session had, and what the agent was told before may be told again.
func (h *Hook) sayStart(ctx context.Context, p *blue.Project, s *session, e event) (string, error) {
	sweep(s.dir, h.Now())
	before := ""
	if e.Source == "compact" || e.Source == "resume" {
		before = s.summary()
	}
	s.update(func(s *seen) {
		s.Branch = p.Branch()
		if e.Source == "compact" || e.Source == "clear" {
			s.Shown, s.Asked = nil, nil
		}
	})
	c, err := p.Context(ctx, blue.Moment{})
	if err != nil {
		return before, nil
	}
	return before + c.Text(), nil
}

// sayOfFiles is the notes about files, for which the session has not been asked yet.
func (h *Hook) sayOfFiles(ctx context.Context, p *blue.Project, s *session, files []string) (string, error) {
	files = slices.DeleteFunc(slices.Clone(files), s.asked)
	if len(files) == 0 {
		return "", nil
	}
	s.update(func(s *seen) { s.Asked = joined(s.Asked, files) })
	return h.sayNotes(ctx, p, s, blue.Moment{Files: files})
}

// sayNotes is the notes of a moment that this session has not been shown.
func (h *Hook) sayNotes(ctx context.Context, p *blue.Project, s *session, m blue.Moment) (string, error) {
	if strings.TrimSpace(m.For) == "" && len(m.Files) == 0 {
		return "", nil
	}
	m.Seen = func(id, revision string) bool { return s.Shown[id] == revision }
	c, err := p.Context(ctx, m)
	if err != nil {
		return "", err
	}
	if notes := slices.Concat(c.Answers, c.Cited); len(notes) > 0 {
		s.update(func(s *seen) {
			if s.Shown == nil {
				s.Shown = map[string]string{}
			}
			for _, note := range notes {
				s.Shown[note.ID] = note.Revision
			}
		})
	}
	return c.Text(), nil
}

// nudgeText asks once for what a session has settled.
const nudgeText = "If this session settled something that someone will need again, write it with blue_write now; if not, finish."

// nudge asks for a note when the session ends, at most once, and only if it has changed
// files and no note.
func (h *Hook) nudge(ctx context.Context, p *blue.Project, s *session, e event) (string, error) {
	if e.Stopping || s.Nudged || len(s.Edited) == 0 || len(s.Wrote) > 0 {
		return "", nil
	}
	written, err := p.WrittenSince(ctx, s.Began)
	if err != nil || written {
		return "", err
	}
	if !s.update(func(s *seen) { s.Nudged = true }) {
		return "", fmt.Errorf("the session cannot be kept, and would be asked again")
	}
	return nudgeText, nil
}

// Unguarded is the argument with which `blue hook` runs itself as a child.
const Unguarded = "--unguarded"

// guard answers an event in a child process. A thread that waits for a file system which
// is served over a network, or by a program, may not be ended by any signal, and its
// process cannot go before it does: then the child stays behind, and not the hook.
func (h *Hook) guard(ctx context.Context, event []byte) []byte {
	c := exec.CommandContext(ctx, h.Self, "hook", h.Client, Unguarded)
	c.Dir, c.Stdin = "/", bytes.NewReader(event)
	answer, err := c.Output()
	if err != nil {
		h.Log.Warn("hook", "client", h.Client, "err", err)
	}
	return answer
}

// session reads what is known of the event's session; a damaged file is begun anew.
func (h *Hook) session(e event, p *blue.Project) *session {
	s := &session{dir: filepath.Join(h.Blue.Directory("state"), "sessions"), fresh: seen{Root: p.Root(), Began: h.Now()}}
	if e.Session != "" {
		sum := sha256.Sum256([]byte(h.Client + "\x00" + e.Session))
		s.path = filepath.Join(s.dir, hex.EncodeToString(sum[:16])+".json")
	}
	s.load()
	return s
}
