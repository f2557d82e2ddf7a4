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
// than [patience] and changes no note. Whatever goes wrong ends in silence, and [Hook.Debug]
// tells a person who asks why.
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
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
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
	Debug  io.Writer // gets one line that says why nothing was said; nil for none

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

// explain tells why nothing was said; nil is not told.
func (h *Hook) explain(why error) {
	if why == nil {
		return
	}
	h.Log.Info("hook", "client", h.Client, "silent", why)
	if h.Debug != nil {
		fmt.Fprintf(h.Debug, "blue: nothing said: %s\n", errors.Visible(why.Error()))
	}
}

// answer is Answer without a limit of time. An empty answer has an error that says why,
// unless a child process has told it.
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
	mounts, _ := os.ReadFile(h.Mounts)
	if mayHang := func(dir string) bool { return mount.MayHang(string(mounts), dir) }; h.Self != "" && slices.ContainsFunc(append(h.Blue.Directories(), e.Cwd), mayHang) {
		return h.guard(ctx, text)
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

// say is what is to be said at an event, empty with an error that says why nothing is.
func (h *Hook) say(ctx context.Context, e event) (string, error) {
	shape := shapes[h.Client]
	switch {
	case e.Moment == other:
		return "", fmt.Errorf("nothing is said at the event %q", e.Name)
	case e.Cwd == "":
		return "", silence("the event names no directory")
	case e.Moment == after && len(e.Files) == 0 && !e.Called && e.Failure == "" && (e.Agent == "" || !shape.deaf):
		return "", silence("a tool has run that concerns no file and no note, and no command has failed")
	case h.Client == "claude-code" && h.Blue.Env("COPILOT_CLI") != "":
		return "", silence("Copilot CLI runs the hooks of Claude Code beside its own, which answer")
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
	s := h.session(e, p)
	switch e.Moment {
	case start:
		return sayStart(ctx, p, s, e)
	case subagent:
		return saySubagent(ctx, p, s, shape, e)
	case prompt:
		if strings.Contains(e.Prompt, nudgeText) { // some clients ask with it in the person's place
			return "", silence("the prompt is the question that Blue itself asked")
		}
		if len(s.Tasks) > 0 && e.Agent == "" && e.Prompt != "" { // they were never begun
			s.update(func(s *seen) { s.Tasks = nil })
		}
		return sayNotes(ctx, p, s, blue.Moment{For: e.Prompt})
	case before:
		return sayBefore(ctx, p, s, shape, e)
	case after:
		return sayAfter(ctx, p, s, shape, e)
	case compact:
		s.update(func(s *seen) { s.Branch = p.Branch() })
	case stop:
		return nudge(ctx, p, s, e)
	}
	return "", onlyRemembers
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
	if _, err := p.Sync(ctx, blue.Syncing{NoPush: e.Moment == start, Known: !p.Trusted()}); err != nil {
		h.Log.Info("sync", "client", h.Client, "event", e.Name, "err", err)
	}
}

// Arguments of `blue hook`.
const (
	Unguarded = "--unguarded" // it runs itself as a child with this one
	Debug     = "--debug"     // tells why nothing was said
)

// guard answers an event in a child process. A thread that waits for a file system which
// is served over a network, or by a program, may not be ended by any signal, and its
// process cannot go before it does: then the child stays behind, and not the hook.
func (h *Hook) guard(ctx context.Context, event []byte) ([]byte, error) {
	c := exec.CommandContext(ctx, h.Self, "hook", h.Client, Unguarded)
	c.Dir, c.Stdin = "/", bytes.NewReader(event)
	if h.Debug != nil {
		c.Args = append(c.Args, Debug)
		c.Stderr = h.Debug
	}
	return c.Output()
}

// session reads what is known of the event's session; a damaged file is begun anew.
func (h *Hook) session(e event, p *blue.Project) *session {
	s := &session{log: h.Log.With("client", h.Client), dir: filepath.Join(h.Blue.Directory("state"), "sessions"), fresh: seen{Root: p.Root(), Began: h.Now()}}
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
