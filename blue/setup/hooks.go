package setup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/clients"
	"blue/errors"
)

// hookLimit is how long doctor waits for a hook, which answers within a second.
const hookLimit = 5 * time.Second

// examineHooks tries the hooks that a client has been given in a scope. It never runs what
// a file says: only the command that setup writes, and only where the file has it.
func (x examination) examineHooks(ctx context.Context, c clients.Client, scope clients.Scope) []Finding {
	about := func(state, text, remedy string) []Finding { return []Finding{{c.Name, state, text, remedy}} }
	f, ok := c.HookFile(x.place, scope)
	if !ok || !f.Exists {
		return nil
	}
	text, err := clients.Load(f.Path)
	found, current := f.HasHooks(text, x.m.Self)
	program := x.m.Self
	if scope == clients.Project {
		program = x.place.Program(clients.Server)
	}
	switch {
	case err != nil || !found:
		return nil
	case !current:
		return about(remark, fmt.Sprintf("the hooks in %s are not those that this Blue writes, and were not tried", f.Path), fmt.Sprintf("blue setup %s --scope %s", c.Name, scope))
	case program == "":
		return about(mend, fmt.Sprintf("the hooks in %s are inert: they run blue, which is not on your PATH", f.Path),
			fmt.Sprintf("put a directory on your PATH that has %s as blue, or name it by its path: blue setup %s --scope user", x.m.Self, c.Name))
	}
	return about(x.tryHook(ctx, c, f, program))
}

// tryHook runs a hook as its client does when a session begins, and says what the model
// reads. When that is nothing, the program is asked why.
func (x examination) tryHook(ctx context.Context, c clients.Client, f clients.File, program string) (state, text, remedy string) {
	dir := x.place.Project
	if dir == "" {
		dir = x.place.Home
	}
	command, event := f.SampleHook(program, dir, x.place.OS)
	its := fmt.Sprintf("its hook (%s scope)", f.Scope)
	r := x.runHook(ctx, dir, event, command...)
	took, failed := r.took, r.err
	switch {
	case errors.Is(failed, exec.ErrNotFound):
		return remark, fmt.Sprintf("%s was not tried: there is no %s on your PATH", its, command[0]), ""
	case failed == nil && r.said != "":
		return fine, fmt.Sprintf("%s ran in %s; at the start of a session the model reads %d bytes:\n%s", its, took, len(r.said), r.said), ""
	case failed == nil: // the line hides that the program fails, and why it is silent
		r = x.runHook(ctx, dir, event, program, "hook", c.Name, "--debug")
		failed = r.err
	}
	if failed != nil {
		return mend, fmt.Sprintf("%s fails after %s: %s hook %s: %v", its, took, program, c.Name, failed), "install this version of Blue there"
	}
	_, why, _ := strings.Cut(r.complaint, "nothing said")
	return remark, fmt.Sprintf("%s ran in %s and says nothing at the start of a session%s", its, took, strings.TrimSpace(why)), "see: blue context"
}

// ran is what came of a hook.
type ran struct {
	said, complaint string
	took            time.Duration
	err             error
}

// runHook runs a command as a client runs its hooks.
func (x examination) runHook(ctx context.Context, dir string, event []byte, command ...string) ran {
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	var complaint bytes.Buffer
	run.Dir, run.Stdin, run.Stderr, run.WaitDelay = dir, bytes.NewReader(event), &complaint, time.Second
	run.Env = append(run.Environ(), "PATH="+x.place.Path())
	endWithChildren(run)
	began := time.Now()
	answer, err := run.Output()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return ran{strings.TrimSpace(heard(answer)), complaint.String(), time.Since(began).Round(time.Millisecond), err}
}

// heard is the part of a hook's answer that the client gives to its model.
func heard(answer []byte) string {
	var a struct {
		Plain  string `json:"additionalContext"`
		Cursor string `json:"additional_context"`
		Nested struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return string(answer) // of opencode, whose script hands the text over
	}
	return cmp.Or(a.Plain, a.Cursor, a.Nested.Text)
}

// examineStart says so when a client that was started here would not find in the root
// what the person's own files do not have either.
func (x examination) examineStart(c clients.Client) []Finding {
	if c.FromRoot() == "" || !x.below {
		return nil
	}
	file, inProject := x.holds(c, clients.Project)
	if _, own := x.holds(c, clients.User); own || !inProject {
		return nil
	}
	text := fmt.Sprintf("started in this directory it may not find the %s in %s", c.FromRoot(), file)
	return []Finding{{c.Name, remark, text, "blue setup " + c.Name + " --scope user"}}
}

// holds names the file of the scope that has what the client finds only in the root.
func (x examination) holds(c clients.Client, scope clients.Scope) (path string, ok bool) {
	if f, known := c.HookFile(x.place, scope); known && c.FromRoot() == clients.Hooks {
		text, _ := clients.Load(f.Path) // what cannot be read has been told
		found, _ := f.HasHooks(text, x.m.Self)
		return f.Path, found
	}
	for _, f := range c.Files(x.place) {
		entries, _ := f.Entries()
		if f.Scope == scope && slices.ContainsFunc(entries, clients.Registered.IsBlue) {
			return f.Path, true
		}
	}
	return "", false
}
