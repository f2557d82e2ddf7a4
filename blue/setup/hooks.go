package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/clients"
	"blue/blue/internal/config"
)

// hookLimit is how long doctor waits for a hook, which answers within a second.
const hookLimit = 5 * time.Second

// examineHooks tries the hooks that a client has been given. It never runs what a file
// says: only `blue hook CLIENT`, and only where the file says what setup would write.
func (x examination) examineHooks(ctx context.Context, c clients.Client) (all []Finding) {
	for _, scope := range []clients.Scope{clients.Project, clients.User} {
		f, ok := c.HookFile(x.place, scope)
		if !ok || !f.Exists {
			continue
		}
		program := x.m.Self
		text, err := config.Load(f.Path)
		found, current := f.HasHooks(text, program)
		about := func(state, text, remedy string) { all = append(all, Finding{c.Name, state, text, remedy}) }
		again := fmt.Sprintf("blue setup %s --scope %s", c.Name, scope)
		if scope == clients.Project {
			program = x.place.Program(clients.Server)
		}
		switch {
		case err != nil || !found:
		case !current:
			about(remark, fmt.Sprintf("the hooks in %s are not those that this Blue writes, and were not tried", f.Path), again)
		case program == "":
			about(mend, fmt.Sprintf("the hooks in %s run blue, which is not on your PATH", f.Path), "install Blue on your PATH")
		default:
			about(x.tryHook(ctx, program, c.Name, scope))
		}
	}
	return all
}

// tryHook runs a hook at the start of a session, and says what came back.
func (x examination) tryHook(ctx context.Context, program, client string, scope clients.Scope) (state, text, remedy string) {
	dir := x.place.Project
	if dir == "" {
		dir = x.place.Home
	}
	sample, err := json.Marshal(map[string]string{"hook_event_name": "SessionStart", "source": "startup", "cwd": dir})
	if err != nil {
		return mend, err.Error(), ""
	}
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	run := exec.CommandContext(ctx, program, "hook", client)
	run.Dir, run.Stdin, run.WaitDelay = dir, bytes.NewReader(sample), time.Second
	began := time.Now()
	answer, err := run.Output()
	took := time.Since(began).Round(time.Millisecond)
	switch said := strings.TrimSpace(string(answer)); {
	case err != nil:
		return mend, fmt.Sprintf("its hook (%s scope) fails after %s: %s hook %s: %v", scope, took, program, client, err), "install this version of Blue there"
	case said == "" || said == "{}":
		return remark, fmt.Sprintf("its hook (%s scope) says nothing at the start of a session, after %s", scope, took), "see: blue context"
	default:
		return fine, fmt.Sprintf("its hook (%s scope) says %d bytes at the start of a session, after %s: %s", scope, len(answer), took, said), ""
	}
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
		text, _ := config.Load(f.Path) // what cannot be read has been told
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
