package setup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/errors"
)

// Doctor examines everything between a client and the notes: the project, Blue's own files, and
// the configuration of one client or of all clients found on this machine. It changes nothing.
// A missing project is not a failure.
func (m Machine) Doctor(ctx context.Context, c blue.Call, client string) (Diagnosis, error) {
	d := Diagnosis{asked: client != "", Version: Version, Binary: m.Self, Servers: []string{}, Clients: []Examined{}}
	chosen := clients.All()
	if client != "" {
		one, err := clients.Named(client)
		if err != nil {
			e := errors.Of(err)
			for i, h := range e.Hints {
				if h.Args != "" { // a client that may be meant
					e.Hints[i].Verb = "doctor"
				}
			}
			return d, e
		}
		chosen = []clients.Client{one}
	}
	found, missing := m.Blue.Choose(ctx, c)
	switch {
	case missing == nil:
		d.About = m.Blue.AboutFound(found)
		d.Findings = m.examineProject(ctx, found)
	case errors.Is(missing, errors.NoProject): // not a fault: doctor may be run anywhere
		d.Findings = []Check{{"project", remark, errors.Of(missing).Message, firstRemedy(missing)}}
	default:
		d.Findings = []Check{{"project", mend, errors.Of(missing).Message, firstRemedy(missing)}}
	}
	urls, dead := m.findServers(ctx)
	d.Servers = append(d.Servers, urls...)
	d.Findings = append(d.Findings, m.examineOwn(urls, dead)...)
	e := examination{m: m, place: m.place(found.Root), urls: urls, asked: client != "", below: found.Root != "" && isBelow(found.Root, c.Cwd)}
	e.foreign = e.foreignProgram(ctx)
	for _, chosen := range chosen {
		if e.asked || chosen.Found(e.place) || len(chosen.Registrations(e.place)) > 0 {
			d.Clients = append(d.Clients, e.examineClient(ctx, chosen))
		} else {
			d.Others = append(d.Others, chosen.Name)
		}
	}
	slices.SortStableFunc(d.Clients, func(a, b Examined) int { return cmp.Compare(a.rank(), b.rank()) })
	return d, nil
}

// rank sorts clients that have entries or faults before those that were only found.
func (x Examined) rank() int {
	if len(x.Entries) > 0 || len(x.Findings) > 1 {
		return 0
	}
	return 1
}

// isBelow reports whether dir is a proper subdirectory of root.
func isBelow(root, dir string) bool {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	below, err := filepath.Rel(root, dir)
	return err == nil && below != "." && filepath.IsLocal(below)
}

// examination is one run of doctor over clients.
type examination struct {
	m     Machine
	place clients.Environment
	urls  []string // URLs of the running servers
	asked bool     // the user named the client, so Blue is expected there
	below bool     // doctor was started in a subdirectory of the project

	foreign string // path of the program blue on PATH if it is not Blue
}

func (x examination) examineClient(ctx context.Context, c clients.Client) Examined {
	done := Examined{Client: c.Name, Title: c.Title, Entries: []ClientEntry{}, Findings: []Check{}}
	registered, hooked := false, false
	addUnread := func(err error) { // once for a file that holds several things
		if f := (Check{c.Name, mend, errors.Of(err).Message, firstRemedy(err)}); !slices.Contains(done.Findings, f) {
			done.Findings = append(done.Findings, f)
		}
	}
	for _, f := range c.Files(x.place) {
		found, err := f.Entries()
		if err != nil {
			addUnread(err)
		}
		for _, r := range found {
			registered = registered || r.IsBlue()
			done.Entries = append(done.Entries, entryOf(c, f, r))
			done.Findings = append(done.Findings, x.examineEntry(c, f, r)...)
			done.usual = append(done.usual, c.Notes(f.Scope, r)...)
		}
	}
	done.Findings = append(done.Findings, x.examineStart(c)...)
	for _, scope := range []clients.Scope{clients.Project, clients.User} {
		f, text, err := x.hooks(c, scope)
		if errors.Is(err, errors.Untouched) {
			addUnread(err)
		}
		found, _ := f.HasHooks(text, x.m.Self)
		hooked = hooked || found || err != nil
		if x.asked {
			done.Findings = append(done.Findings, x.examineHooks(ctx, c, scope)...)
		}
	}
	plugin := c.Plugin(x.place)
	_, hookable := c.HookFile(x.place, clients.User)
	switch {
	case plugin != "" && (hooked || len(c.Registrations(x.place)) > 0):
		done.Findings = append(done.Findings, Check{c.Name, mend, "it has Blue also as a plugin, in " + plugin + ": agents are told everything twice", "take out the plugin, or: blue setup " + c.Name + " --remove"})
	case plugin != "":
		done.Findings = append(done.Findings, Check{c.Name, fine, "it has Blue as a plugin, in " + plugin, ""})
	case registered && hookable && !hooked:
		done.Findings = append(done.Findings, Check{c.Name, remark, "it has no hooks: its agents are told only what they ask for", "blue setup " + c.Name})
	}
	x.m.limitShown(&done)
	if !registered && plugin == "" {
		missing := Check{c.Name, remark, "Blue is not registered", "blue setup " + c.Name}
		if x.asked {
			missing.State = mend
		}
		done.Findings = append(done.Findings, missing)
	}
	return done
}

// Limits of what doctor shows of the files of one client, some of which come with a repository.
const (
	entriesShown  = 10
	findingsShown = 20
	nameShown     = 100 // characters
	valueShown    = 200
)

// limitShown cuts the findings of a client to a readable size. It masks tokens before it cuts.
func (m Machine) limitShown(c *Examined) {
	cut := func(size int, texts ...*string) {
		for _, text := range texts {
			*text = blue.Label(m.maskTokens(*text), size)
		}
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		cut(nameShown, &e.Name)
		cut(valueShown, &e.Command, &e.URL)
	}
	for i := range c.Findings {
		cut(2*valueShown, &c.Findings[i].Text, &c.Findings[i].Remedy)
	}
	if more := len(c.Entries) - entriesShown; more > 0 {
		c.Entries = c.Entries[:entriesShown]
		c.Findings = slices.Insert(c.Findings, 0, Check{c.Client, remark, fmt.Sprintf("entries not shown: %d", more), "look at the files themselves"})
	}
	if more := len(c.Findings) - findingsShown; more > 0 {
		c.Findings = append(c.Findings[:findingsShown:findingsShown], Check{c.Client, remark, fmt.Sprintf("findings not shown: %d", more), "look at the files themselves"})
	}
}

func entryOf(c clients.Client, f clients.ConfigFile, r clients.Registered) ClientEntry {
	source := c.Source(f.Scope, r)
	e := ClientEntry{File: f.Path, Scope: string(f.Scope), Name: r.Name, Command: r.Command, Spawn: source.Spawn, Source: source.Name}
	if r.URL != "" {
		e.URL = withoutSecrets(r.URL)
	}
	return e
}

// examineEntry checks one entry.
func (x examination) examineEntry(c clients.Client, f clients.ConfigFile, r clients.Registered) []Check {
	again := "blue setup " + c.Name + " --scope " + string(f.Scope)
	about := func(state, text, remedy string) Check { return Check{c.Name, state, text, remedy} }
	// Without a host the URL holds a variable or does not parse, and may be Blue's.
	if host, _ := splitAddress(r.URL); !r.IsBlue() && (r.URL == "" || host != "") {
		if r.Name == clients.Server {
			return []Check{about(mend, "the server blue is another program", "rename it in "+f.Path+", then: "+again)}
		}
		return []Check{about(remark, fmt.Sprintf("the server %q is another program", r.Name), "")}
	}
	starts := r.URL == "" && r.Command != ""
	whole, bare := filepath.IsAbs(r.Command), filepath.Base(r.Command) == r.Command
	pinned := slices.ContainsFunc(r.Args, func(arg string) bool { return strings.HasPrefix(arg, "--project") })
	var all []Check
	for _, matter := range []struct {
		holds               bool
		state, text, remedy string
	}{
		{r.Name != clients.Server, remark, fmt.Sprintf("%q is Blue under another name", r.Name),
			"rename it to blue, or take it out, in " + f.Path},
		{r.Disabled, mend, fmt.Sprintf("%q is disabled, so the client does not start it", r.Name),
			"enable it in the client, or in " + f.Path},
		{r.URL+r.Command == "", mend, "the entry neither starts nor calls anything", again},
		{starts && !r.Serves(), mend,
			"its arguments lack the word mcp, so that its command does not serve", again},
		{starts && pinned && f.Scope == clients.User, remark,
			"--project in its arguments makes every window use that one project", ""},
		{starts && whole && f.Scope == clients.Project, remark,
			"the absolute path of its command may hold on this machine alone, and the file is committed", again},
		{starts && bare && f.Scope != clients.Project, remark,
			"desktop programs have a short PATH and may not find " + errors.Quote(r.Command), again},
	} {
		if matter.holds {
			all = append(all, about(matter.state, matter.text, matter.remedy))
		}
	}
	if r.URL != "" {
		all = append(all, x.examineURL(r.URL, about, again))
	} else if starts {
		all = append(all, x.examineProgram(r.Command, about, again))
	}
	for _, text := range c.Notes(f.Scope, r) {
		all = append(all, about(remark, text, ""))
	}
	return all
}

// finding makes a finding about a client.
type finding func(state, text, remedy string) Check

// examineURL compares a URL with those of the running servers.
func (x examination) examineURL(url string, about finding, again string) Check {
	switch host, port := splitAddress(url); {
	case host == "":
		return about(remark, "its URL holds a variable or does not parse, so it was not compared with the server's", "")
	case slices.ContainsFunc(x.urls, func(u string) bool { return samePort(u, url) }):
		return about(fine, "a server runs there", "")
	case !isLocal(url):
		return about(remark, "its server is on another machine, which was not asked", "")
	case len(x.urls) == 0:
		return about(mend, "no server runs on "+withoutSecrets(url), "blue mcp --http "+net.JoinHostPort(host, port))
	}
	return about(mend, fmt.Sprintf("no server runs on %s; one runs on %s", withoutSecrets(url), strings.Join(x.urls, ", ")), again+" --http "+Running)
}

// examineProgram looks for the program that an entry starts.
func (x examination) examineProgram(command string, about finding, again string) Check {
	whole := filepath.IsAbs(command)
	if strings.Contains(command, "$") || !whole && filepath.Base(command) != command {
		return about(remark, "its command holds a variable or is relative, so it was not looked for", "")
	}
	path := x.place.Program(command) // as a client in this environment finds it
	if whole {
		path, _ = exec.LookPath(command) // empty on error
	}
	switch {
	case path == "":
		return about(mend, "its command "+errors.Quote(command)+" does not exist, or cannot be run",
			"install Blue on your PATH, then: "+again)
	case x.isThisBinary(path):
		return about(fine, "starts this binary", "")
	case path == x.foreign:
		return about(mend, "the blue on your PATH fails or is another program: "+path,
			"put "+filepath.Dir(x.m.Self)+" before it on your PATH")
	case !(clients.Registered{Command: path}).IsBlue():
		return about(remark, "starts Blue through "+path+", which was not tried", "")
	}
	return about(remark, "starts another program than this one: "+path, "")
}

// foreignProgram returns the path of the program blue on PATH if it does not say its version as Blue does.
func (x examination) foreignProgram(ctx context.Context) string {
	path := x.place.Program(clients.Server)
	if path == "" || x.isThisBinary(path) {
		return ""
	}
	if r := x.runHook(ctx, filepath.Dir(path), nil, path, "version"); r.err == nil && strings.HasPrefix(r.said, "blue ") {
		return ""
	}
	return path
}

// isThisBinary reports whether a path leads to the running binary.
func (x examination) isThisBinary(path string) bool {
	return sameFile(path, x.m.Self)
}

// hookLimit is how long doctor waits for a hook, which normally answers within a second.
const hookLimit = 5 * time.Second

// examineHooks runs the hooks of a client in a scope. It never runs a command that it has read
// from a file: it runs only the command that setup writes, and only if the file contains it.
func (x examination) examineHooks(ctx context.Context, c clients.Client, scope clients.Scope) []Check {
	about := func(state, text, remedy string) []Check { return []Check{{c.Name, state, text, remedy}} }
	f, text, err := x.hooks(c, scope)
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

// hooks returns the file of a client's hooks and its text, nil if there is none. It returns an error
// if the text does not parse.
func (x examination) hooks(c clients.Client, scope clients.Scope) (f clients.ConfigFile, text []byte, err error) {
	f, ok := c.HookFile(x.place, scope)
	if !ok || !f.Exists {
		return f, nil, nil
	}
	if text, err = clients.Load(f.Path); err == nil {
		_, err = f.Remove(text)
	}
	return f, text, err
}

// sampleIntro stands before what the model reads at the start of a session.
const sampleIntro = "; at the start of a session the model reads "

// tryHook runs a hook as its client does when a session begins, and reports what the model
// would read. If that is nothing, it runs the program with --debug to learn why.
func (x examination) tryHook(ctx context.Context, c clients.Client, f clients.ConfigFile, program string) (state, text, remedy string) {
	dir := x.place.Project
	if dir == "" {
		dir = x.place.Home
	}
	command, event := f.SampleHook(program, dir, x.place.OS)
	its := fmt.Sprintf("its hook (%s scope)", f.Scope)
	r := x.runHook(ctx, dir, event, command...)
	took, failed := r.took, r.err
	switch {
	case errors.Is(failed, exec.ErrNotFound) && filepath.Base(command[0]) == command[0]:
		return remark, fmt.Sprintf("%s was not tried: there is no %s on your PATH", its, command[0]), ""
	case failed == nil && r.said != "":
		return fine, fmt.Sprintf("%s ran in %s"+sampleIntro+"%d bytes:\n%s", its, took, len(r.said), r.said), ""
	case failed == nil && x.place.Project == "":
		return fine, fmt.Sprintf("%s ran in %s; there is no project here to speak of", its, took), ""
	case failed == nil: // the hook hides why the program is silent
		r = x.runHook(ctx, dir, event, program, "hook", c.Name, "--debug")
		failed = r.err
	}
	if failed != nil {
		return mend, fmt.Sprintf("%s fails after %s: %s hook %s: %v", its, took, program, c.Name, failed), "install this version of Blue there"
	}
	_, why, _ := strings.Cut(r.complaint, "nothing said")
	return remark, fmt.Sprintf("%s ran in %s and says nothing at the start of a session%s", its, took, strings.TrimSpace(why)), "see: blue context"
}

// ran is the outcome of a hook.
type ran struct {
	said, complaint string
	took            time.Duration
	err             error
}

// runHook runs a command as a client runs its hooks.
func (x examination) runHook(ctx context.Context, dir string, event []byte, command ...string) ran {
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	run := exec.CommandContext(ctx, cmp.Or(x.place.Program(command[0]), command[0]), command[1:]...)
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

// heard returns the part of a hook's answer that the client gives to its model.
func heard(answer []byte) string {
	var a struct {
		Plain  string `json:"additionalContext"`
		Cursor string `json:"additional_context"`
		Nested struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Steps []struct {
			Text string `json:"userMessage"`
		} `json:"injectSteps"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return string(answer) // plain text for opencode, whose script passes it on
	}
	for _, step := range a.Steps { // of Antigravity
		a.Plain += step.Text
	}
	return cmp.Or(a.Plain, a.Cursor, a.Nested.Text)
}

// examineStart warns about a client that, started in this subdirectory, would not find what
// only the project's root has, and the user's own files do not.
func (x examination) examineStart(c clients.Client) []Check {
	if c.FromRoot() == "" || !x.below {
		return nil
	}
	file, inProject := x.holds(c, clients.Project)
	if _, own := x.holds(c, clients.User); own || !inProject {
		return nil
	}
	text := fmt.Sprintf("started in this directory it may not find the %s in %s", c.FromRoot(), file)
	return []Check{{c.Name, remark, text, "blue setup " + c.Name + " --scope user"}}
}

// holds returns the file of the scope that has what the client finds only from the root.
func (x examination) holds(c clients.Client, scope clients.Scope) (path string, ok bool) {
	if f, known := c.HookFile(x.place, scope); known && c.FromRoot() == clients.Hooks {
		text, _ := clients.Load(f.Path) // load errors were reported before
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
