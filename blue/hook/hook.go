// Package hook answers events of coding agents. A client's hook runs `blue hook CLIENT`, which
// reads the event and returns the notes that are relevant at that moment, or nothing.
//
// [readEvent] maps the client's event to a moment, [blue.Project.Context] selects the notes, and
// [answerShape] formats the answer for the client. Each session has a file ([session]) with what it
// has seen, read and changed, so that nothing is told twice.
//
// A hook runs between a person and their agent: it never fails, never takes longer than [patience]
// and changes no note. On any error it says nothing; [Hook.Debug] gets the reason.
package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

const (
	patience   = 400 * time.Millisecond // limit for one event
	eventLimit = 1 << 20                // size limit of an event; longer ones are ignored

	syncPatience = 2 * time.Second // additional time for a sync, in projects with hooks that sync
)

// Hook answers the events of one client.
type Hook struct {
	Blue   *blue.Blue
	Client string // name as in `blue setup`
	Log    *slog.Logger
	Now    func() time.Time
	Debug  io.Writer // receives the reason for an empty answer; may be nil

	delay func(time.Duration) // extends the time limit of the event
}

// Answer reads an event and returns the answer, nil for none. inTime is false if the answer took
// longer than [patience]: a goroutine is then still waiting for a disk, and the process should
// exit.
func (h *Hook) Answer(ctx context.Context, in io.Reader) (answer []byte, inTime bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(patience, cancel)
	defer timer.Stop()
	h.delay = func(d time.Duration) { timer.Reset(d) }
	type answered struct {
		text []byte
		why  error
	}
	done := make(chan answered, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- answered{why: fmt.Errorf("panic: %v", fault)}
			}
		}()
		text, why := h.answer(ctx, in)
		done <- answered{text, why}
	}()
	why := error(silence("no answer in time"))
	select {
	case a := <-done:
		if inTime = ctx.Err() == nil; inTime {
			answer, why = a.text, a.why
		}
	case <-ctx.Done():
	}
	h.explain(why)
	if len(answer) == 0 && shapes[h.Client].always {
		answer = []byte("{}\n")
	}
	return answer, inTime
}

// explain writes the reason for an empty answer to Debug, if both are set.
func (h *Hook) explain(why error) {
	if why == nil {
		return
	}
	h.Log.Info("hook", "client", h.Client, "silent", why)
	if h.Debug != nil {
		fmt.Fprintf(h.Debug, "blue: nothing said: %s\n", errors.Visible(why.Error()))
	}
}

// answer is Answer without a time limit. An empty answer comes with an error that gives the reason.
func (h *Hook) answer(ctx context.Context, in io.Reader) ([]byte, error) {
	shape, known := shapes[h.Client]
	if !known {
		return nil, fmt.Errorf("%q is no client with hooks", h.Client)
	}
	text, err := io.ReadAll(io.LimitReader(in, eventLimit+1))
	if err != nil {
		return nil, err
	}
	if len(text) > eventLimit {
		return nil, fmt.Errorf("the event has more than %d bytes", eventLimit)
	}
	e, err := readEvent(text)
	if err != nil {
		return nil, fmt.Errorf("the event is not a JSON object: %w", err)
	}
	said, why := h.say(ctx, e)
	h.Log.Debug("hook", "client", h.Client, "event", e.Name, "cwd", e.Cwd, "bytes", len(said))
	if said == "" {
		return nil, why
	}
	answer := shape.write(e, said)
	if len(answer) == 0 {
		return nil, silence("the client reads no answer at this event")
	}
	return answer, nil
}

// say returns the text to tell at an event, or "" and an error that gives the reason.
func (h *Hook) say(ctx context.Context, e event) (string, error) {
	shape := shapes[h.Client]
	switch {
	case e.Moment == other:
		return "", fmt.Errorf("nothing is said at the event %q", e.Name)
	case e.Cwd == "":
		return "", silence("the event names no directory")
	case e.Moment == after && len(e.Files) == 0 && !e.Called && e.Failure == "" && (e.Agent == "" || !shape.deaf) && !(shape.loses && shape.late):
		return "", silence("a tool has run that concerns no file and no note, and no command has failed")
	case h.Client == "claude-code" && h.Blue.Env("COPILOT_CLI") != "":
		return "", silence("Copilot CLI also runs its own hooks, which answer")
	case h.Client == "claude-code" && e.Cursor:
		return "", silence("Cursor also runs its own hooks, which answer")
	}
	var p *blue.Project
	var err error
	for _, e.Cwd = range e.Roots {
		if p, err = h.open(ctx, e.Cwd); err == nil {
			break
		}
	}
	if err != nil {
		return "", err
	}
	if h.syncNotebook(ctx, p, e); ctx.Err() != nil {
		return "", ctx.Err()
	}
	s := h.session(e, p)
	if s.Lost && e.Agent == "" && (e.Moment == prompt || e.Moment == after && shape.late) {
		return sayLost(ctx, p, s, func() (string, error) { return sayMoment(ctx, p, s, shape, e) })
	}
	return sayMoment(ctx, p, s, shape, e)
}

// open returns the project of a directory that the client has open.
func (h *Hook) open(ctx context.Context, dir string) (*blue.Project, error) {
	return h.Blue.Open(ctx, blue.Call{
		From: slices.Values([]marker.Candidate{{Source: marker.Hook, Value: dir}}),
		Cwd:  dir, Door: marker.Door{Terminal: true}, Client: h.Client, Log: h.Log,
	})
}

// sayMoment returns the text to tell at an event of the session.
func sayMoment(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (string, error) {
	switch e.Moment {
	case start:
		return sayStart(ctx, p, s, e)
	case subagent:
		return saySubagent(ctx, p, s, shape, e)
	case prompt:
		if strings.Contains(e.Prompt, nudgeText) { // some clients send the nudge back as a prompt
			return "", silence("the prompt is the question that Blue itself asked")
		}
		if len(s.Tasks) > 0 && e.Agent == "" && e.Prompt != "" { // the subagents were never started
			s.update(func(s *seen) { s.Tasks = nil })
		}
		return sayNotes(ctx, p, s, blue.Moment{For: e.Prompt})
	case before:
		return sayBefore(ctx, p, s, shape, e)
	case after:
		return sayAfter(ctx, p, s, shape, e)
	case invocation:
		return sayInvocation(ctx, p, s)
	case compact:
		s.update(func(s *seen) {
			if s.Branch = p.Branch(); shape.loses && e.Agent == "" {
				s.Lost, s.Shown, s.Asked = true, nil, nil
			}
		})
	case stop:
		return nudge(ctx, p, s, e)
	}
	return "", onlyRemembers
}

// syncNotebook syncs the notebook at the start and the end of a session if project.yaml enables
// that; in a project that is not trusted, only if this machine has synced before. It only logs
// failures.
func (h *Hook) syncNotebook(ctx context.Context, p *blue.Project, e event) {
	if !p.Found.Sync.Session || e.Moment != start && e.Moment != stop {
		return
	}
	h.delay(patience + syncPatience)
	ctx, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	if _, err := p.Sync(ctx, blue.Syncing{NoPush: e.Moment == start, Known: !p.Trusted()}); err != nil {
		h.Log.Info("sync", "client", h.Client, "event", e.Name, "err", err)
	}
}

// Debug is the argument of `blue hook` that prints the reason for an empty answer.
const Debug = "--debug"

// session loads the event's session. A damaged file counts as empty.
func (h *Hook) session(e event, p *blue.Project) *session {
	s := &session{log: h.Log.With("client", h.Client), dir: filepath.Join(h.Blue.Directory("state"), "hooks"), fresh: seen{Root: p.Root(), Began: h.Now()}}
	if e.Agent != "" {
		s.agent = e.Agent + "\x00"
	}
	if e.Session != "" {
		sum := sha256.Sum256([]byte(h.Client + "\x00" + e.Session))
		s.id = hex.EncodeToString(sum[:16])
		s.path = filepath.Join(s.dir, s.id+".json")
	}
	s.load()
	return s
}

// answerShape describes the answers that a client expects.
type answerShape struct {
	write  func(e event, text string) []byte
	always bool // an empty answer is an empty JSON object
	late   bool // answers before a tool do not reach the model; tell after it
	keeps  bool // a subagent's prompt is no event; remember it from the tool call
	deaf   bool // answers at a subagent's start do not reach it; tell after its first tool
	loses  bool // no event follows a compaction; tell what it took at the next prompt or, if late, tool
	mute   bool // answers after a tool do not reach the model; tell at its next invocation
}

// shapes maps clients, named as in `blue setup`, to their answer shapes. docs/agents.md lists the
// tested versions.
var shapes = map[string]answerShape{
	"claude-code": {write: nested, keeps: true},
	"codex":       {write: nested},
	"qwen-code":   {write: nested, always: true, late: true, keeps: true, deaf: true},
	"gemini":      {write: nested, always: true, late: true},
	"copilot-cli": {loses: true, write: func(e event, text string) []byte {
		if e.Moment == stop {
			return nested(e, text)
		}
		return line(map[string]any{"additionalContext": text})
	}},
	"cursor": {late: true, loses: true, write: func(e event, text string) []byte {
		if e.Moment == stop {
			return line(map[string]any{"followup_message": text})
		}
		return line(map[string]any{"additional_context": text})
	}},
	"antigravity": {always: true, late: true, mute: true, write: func(e event, text string) []byte {
		if e.Moment == stop {
			return line(map[string]any{"decision": "continue", "reason": text})
		}
		return line(map[string]any{"injectSteps": []any{map[string]any{"userMessage": text}}})
	}},
	"opencode": {write: func(_ event, text string) []byte { return []byte(text) }, late: true},
}

// nested formats answers for Claude Code and the clients that follow it. At the end of a turn they
// read only a reason to continue.
func nested(e event, text string) []byte {
	switch {
	case e.Moment == stop:
		return line(map[string]any{"decision": "block", "reason": text})
	case e.Task != "": // Gemini CLI has no subagent event, but hooks may extend the subagent's prompt
		e.TaskCall["prompt"] = e.Task + "\n\n" + text
		return line(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": e.Name, "tool_input": e.TaskCall}})
	}
	return line(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": e.Name, "additionalContext": text}})
}

func line(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return append(text, '\n')
}
