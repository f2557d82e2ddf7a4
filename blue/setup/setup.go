// Package setup holds the verbs that work outside a project: it registers Blue with MCP
// clients, diagnoses a machine, and finds running servers.
//
// [Machine] has the verbs setup ([Machine.Setup], [Machine.Clients], [Machine.Plugin]) and doctor
// ([Machine.Doctor]). Only setup writes: the files of the named client, AGENTS.md on request, or
// the directory of a plugin. No result shows a token.
package setup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/blue/result"
	"blue/errors"
)

// Setup adds Blue to the files of a client, or removes it, and keeps every other byte. It adds
// the entry that starts Blue, the hooks through which Blue speaks unasked, and the block in the
// file that the model reads. Files of a project require that there is one, unless they are only
// printed.
func (m Machine) Setup(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	done, err := m.register(ctx, c, r)
	if err != nil { // parsers quote what they cannot read
		e := *errors.Of(err)
		e.Message = m.maskTokens(e.Message)
		err = &e
	}
	return done, err
}

func (m Machine) register(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	s := setupRun{m: m, r: r, done: Configured{removing: r.Remove, forced: r.Force, writes: !r.Remove && !r.Print && !r.DryRun, Scope: string(clients.Project), Tried: []Check{}, Files: []Rewritten{}, Prints: []Shown{}, Notes: []string{}}}
	err := s.checkFlags()
	if err == nil && (r.Client != "" || !r.AgentsMD) {
		s.client, err = clients.Named(r.Client)
	}
	if err != nil {
		return Configured{}, err
	}
	s.chooseParts()
	if err := s.findFiles(ctx, c); err != nil {
		return s.done, err
	}
	if s.entry, err = m.newEntry(ctx, r); err != nil {
		return s.done, err
	}
	if r.Print {
		return s.done, s.printFiles()
	}
	if err := s.changeFiles(); err != nil {
		return s.done, err
	}
	s.tryHooks(ctx)
	return s.done, nil
}

// newEntry returns the entry to write.
func (m Machine) newEntry(ctx context.Context, r Registration) (clients.Entry, error) {
	e := clients.Entry{Command: m.Self, Quiet: r.NoNudge}
	if r.HTTP == "" || r.Remove {
		return e, nil
	}
	urls, _ := m.findServers(ctx)
	e.URL = r.HTTP
	if r.HTTP == Running {
		switch len(urls) {
		case 0:
			return e, errors.E(errors.Invalid, "no server of Blue runs on this machine").
				Hint("mcp", "--http 127.0.0.1:7865", "start one").
				Hint("setup", "CLIENT --http URL", "or give the URL that it will have")
		case 1:
			e.URL = urls[0]
		default:
			return e, errors.BadValue("http", Running, "one of "+strings.Join(urls, ", "))
		}
	}
	if host, _ := splitAddress(e.URL); host == "" {
		return e, errors.BadValue("http", e.URL, "the URL of a server such as http://127.0.0.1:7865/mcp, or "+Running)
	}
	if !isLocal(e.URL) && !slices.Contains(urls, e.URL) { // no other server may get the token
		return e, nil
	}
	token, err := m.firstToken()
	e.Token = token
	return e, err
}

// ClientList is the result of setup without a client.
type ClientList struct {
	result.About
	Clients []ClientState `json:"clients"` // found on this machine
	Others  []string      `json:"others"`  // names of supported clients that were not found
	Servers []string      `json:"servers"` // URLs of this user's running servers
}

// ClientState is the state of one client.
type ClientState struct {
	Client string   `json:"client"`
	Title  string   `json:"title"`
	Files  []string `json:"files"` // files that hold an entry for Blue
}

// NotSetUp returns the clients that were found and have no entry of Blue.
func (s ClientList) NotSetUp() []ClientState {
	return slices.DeleteFunc(slices.Clone(s.Clients), func(c ClientState) bool { return len(c.Files) > 0 })
}

// Text lists the clients.
func (s ClientList) Text() string {
	var b strings.Builder
	b.WriteString("Clients found on this machine:\n")
	for _, c := range s.Clients {
		state := "not registered"
		if len(c.Files) > 0 {
			state = "registered in " + strings.Join(c.Files, ", ")
		}
		fmt.Fprintf(&b, "  %-14s  %s: %s\n", c.Client, c.Title, state)
	}
	if len(s.Clients) == 0 {
		b.WriteString("  none\n")
	}
	if len(s.Others) > 0 {
		fmt.Fprintf(&b, "Also known: %s\n", strings.Join(s.Others, ", "))
	}
	for _, url := range s.Servers {
		fmt.Fprintf(&b, "Running server: %s\n", url)
	}
	return b.String() + s.Head() + "Next: blue setup CLIENT\n"
}

// Clients lists the clients of this machine, for a user who has named none.
func (m Machine) Clients(ctx context.Context, c blue.Call) (ClientList, error) {
	s := ClientList{Clients: []ClientState{}, Others: []string{}, Servers: []string{}}
	found, missing := m.Blue.Choose(ctx, c)
	if missing == nil {
		s.About = m.Blue.AboutFound(found)
	}
	urls, _ := m.findServers(ctx)
	s.Servers = append(s.Servers, urls...)
	place := m.place(found.Root)
	for _, client := range clients.All() {
		seen := ClientState{Client: client.Name, Title: client.Title, Files: []string{}}
		for _, f := range client.Registrations(place) {
			seen.Files = append(seen.Files, f.Path)
		}
		if plugin := client.Plugin(place); plugin != "" {
			seen.Files = append(seen.Files, plugin)
		}
		if !client.Found(place) && len(seen.Files) == 0 {
			s.Others = append(s.Others, client.Name)
			continue
		}
		s.Clients = append(s.Clients, seen)
	}
	return s, nil
}

// ClientChoices returns the MCP clients that Blue can be registered with, as words for the
// command line.
func ClientChoices() (found []blue.Choice) {
	for _, c := range clients.All() {
		found = append(found, blue.Choice{Word: c.Name, Means: c.Title})
	}
	return found
}

// CheckClient returns an error if no client has the name.
func CheckClient(name string) error {
	_, err := clients.Named(name)
	return err
}

// Registration says how to register Blue with a client.
type Registration struct {
	Client   string // empty with AgentsMD only
	Scope    string // "project" or "user"; empty for the client's first scope
	HTTP     string // URL of a server, or Running; empty for a command that starts Blue
	Only     string // comma-separated parts; empty for all
	NoNudge  bool   // omit the hook that asks for a note at the end
	Allow    bool   // also let the model use the tools without confirmation
	Print    bool   // only print the files; works without a project
	Remove   bool   // remove all parts
	DryRun   bool   // only show the differences
	Force    bool   // succeed even if the hooks cannot work
	AgentsMD bool   // write the block to the project's AGENTS.md for any client
}

// Configured is the result of setup for one client.
type Configured struct {
	result.About
	Client  string      `json:"client,omitempty"`
	Title   string      `json:"title,omitempty"`
	Scope   string      `json:"scope"`
	Files   []Rewritten `json:"files"`             // empty if they were only printed
	Prints  []Shown     `json:"prints"`            // text to insert by hand
	Command string      `json:"command,omitempty"` // the client's own command that writes the entry
	Spawn   string      `json:"spawn,omitempty"`   // where the client starts the server
	Source  string      `json:"source,omitempty"`  // what names the project of calls without cwd
	Notes   []string    `json:"notes"`
	Tried   []Check     `json:"tried"` // results of running the hooks

	removing, forced bool
	writes           bool // files were written, not only shown or cleared of Blue
}

// Sound reports that the hooks can work, or that the user does not mind.
func (c Configured) Sound() bool {
	return c.forced || !slices.ContainsFunc(c.Tried, func(f Check) bool { return f.State == mend })
}

// Rewritten describes the outcome for one file.
type Rewritten struct {
	Path    string `json:"path"`
	Holds   string `json:"holds"`          // the parts of Blue in it, in words
	Outcome string `json:"outcome"`        // written, removed, unchanged, or planned by a dry run
	Diff    string `json:"diff,omitempty"` // of a dry run
}

// Shown is text to insert into a file.
type Shown struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Text describes what was or would be done, and what will name the project.
func (c Configured) Text() string {
	if c.writes {
		return Summary{About: c.About, Clients: []Configured{c}}.Text()
	}
	var b strings.Builder
	if c.Client != "" {
		fmt.Fprintf(&b, "%s, %s scope\n", c.Title, c.Scope)
	}
	files := c.Files
	if c.removing { // unchanged files are not worth a line
		files = slices.DeleteFunc(slices.Clone(files), func(f Rewritten) bool { return f.Outcome == "unchanged" })
	}
	for _, f := range files {
		fmt.Fprintf(&b, "%s: %s in %s\n%s", f.Outcome, f.Holds, f.Path, f.Diff)
	}
	if c.removing && len(files) == 0 && c.Command == "" {
		b.WriteString("Nothing to remove\n")
	}
	for _, p := range c.Prints {
		fmt.Fprintf(&b, "in %s:\n\n%s\n", p.Path, p.Text)
	}
	if c.Command != "" {
		fmt.Fprintf(&b, "The client's own command: %s\n", c.Command)
	}
	if c.Source != "" {
		fmt.Fprintf(&b, "The project will be named by: %s\n", namedBy(c.Source))
	}
	if c.Spawn != "" {
		fmt.Fprintf(&b, "The server will start in: %s\n", c.Spawn)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	if !c.removing {
		b.WriteString(c.Head())
	}
	for _, f := range c.Tried {
		b.WriteString(f.lines())
	}
	return b.String()
}

// setupRun is one run of the verb setup.
type setupRun struct {
	m      Machine
	r      Registration
	client clients.Client
	parts  []clients.Component
	place  clients.Environment
	files  []clients.ConfigFile
	entry  clients.Entry
	done   Configured
}

// checkFlags rejects flags that contradict one another.
func (s *setupRun) checkFlags() error {
	r := s.r
	for _, part := range r.only() {
		if !slices.Contains([]clients.Component{clients.MCP, clients.Hooks, clients.Instructions, clients.Skill}, part) {
			return errors.BadValue("only", string(part), "one or more of mcp, hooks, instructions, skill, separated by commas")
		}
	}
	switch {
	case r.Remove && r.Print:
		return errors.Exclusive("--remove", "--print")
	case r.Print && r.DryRun:
		return errors.Exclusive("--print", "--dry-run")
	case r.Allow && r.Only != "" && !slices.Contains(r.only(), clients.MCP):
		return errors.Exclusive("--allow", "--only "+r.Only)
	}
	return nil
}

// only returns the parts named by Only.
func (r Registration) only() (parts []clients.Component) {
	for name := range strings.SplitSeq(r.Only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			parts = append(parts, clients.Component(name))
		}
	}
	return parts
}

// chooseParts determines the scope and the parts. It omits the instructions in the user scope
// of a client that also has files in the project, because the block belongs in a file of the
// project.
func (s *setupRun) chooseParts() {
	if s.r.Client == "" {
		s.parts = []clients.Component{clients.Instructions}
		return
	}
	scopes := s.client.Scopes()
	if s.r.Scope == "" {
		s.r.Scope = string(scopes[0])
	}
	s.done.Client, s.done.Title, s.done.Scope = s.client.Name, s.client.Title, s.r.Scope
	all := clients.Components()
	s.parts = slices.DeleteFunc(all, func(part clients.Component) bool {
		switch only := s.r.only(); {
		case part == clients.Permission: // removed with the entry
			return !s.r.Allow && !(s.r.Remove && (only == nil || slices.Contains(only, clients.MCP)))
		case only != nil:
			return !slices.Contains(only, part)
		}
		return part == clients.Instructions && s.r.Scope == string(clients.User) && scopes[0] == clients.Project && !s.r.AgentsMD
	})
	if s.r.Allow && !s.client.Permits() {
		s.addNote("Blue knows no permission entry of " + s.client.Title + ": allow the tools when it asks")
	}
}

// findFiles finds the project and the files to change.
func (s *setupRun) findFiles(ctx context.Context, c blue.Call) error {
	found, missing := s.m.Blue.Choose(ctx, c)
	s.place = s.m.place(found.Root)
	if missing == nil {
		s.done.About = s.m.Blue.AboutFound(found)
	}
	scopes := s.client.Scopes()
	inProject := s.r.Scope == string(clients.Project) && slices.Contains(scopes, clients.Project)
	named := s.r.AgentsMD || slices.Contains(s.r.only(), clients.Instructions)
	switch {
	case missing == nil || !inProject && !named:
	case s.r.Print:
		s.place.Project = c.Cwd
		s.addNote("there is no project here yet: blue init makes one")
	case slices.Contains(scopes, clients.User) && !named:
		return errors.Of(missing).Hint("setup", s.client.Name+" --scope user", "or use your own configuration file")
	default:
		return missing
	}
	var err error
	if s.r.Client != "" {
		s.files, err = s.client.Targets(s.place, clients.Scope(s.r.Scope), s.parts...)
	}
	if s.r.Remove && inProject && slices.Contains(s.parts, clients.Instructions) {
		for _, block := range s.client.Blocks(s.place) {
			if !slices.ContainsFunc(s.files, func(f clients.ConfigFile) bool { return f.Path == block.Path }) {
				s.files = append(s.files, block)
			}
		}
	}
	if agents := clients.AgentsFile(s.place); s.r.AgentsMD && !slices.ContainsFunc(s.files, func(f clients.ConfigFile) bool { return f.Path == agents.Path }) {
		s.files = append(s.files, agents)
	}
	if s.place.OS == "windows" && inProject && !s.r.Remove && s.client.NeedsShell() && slices.Contains(s.parts, clients.Hooks) {
		s.addNote(fmt.Sprintf("on Windows the hooks of the project run only by a shell such as Git Bash; else: blue setup %s --scope user", s.client.Name))
	}
	if inProject && missing == nil && !s.r.Remove && c.Cwd != found.Root && !isBelow(found.Root, c.Cwd) {
		s.addNote(fmt.Sprintf("the files lie in %s; another worktree has them once they are committed", found.Root))
	}
	if from := s.client.FromRoot(); inProject && !s.r.Remove && (from == clients.MCP || slices.Contains(s.parts, from)) {
		what := map[clients.Component]string{clients.MCP: "these files", clients.Hooks: "the hooks"}[from]
		s.addNote(fmt.Sprintf("%s may find %s only when it is started in %s; for other directories: blue setup %s --scope user", s.client.Title, what, s.place.Project, s.client.Name))
	}
	return err
}

// tryHooks runs the hooks that this run has written, or reports why nothing will run them.
func (s *setupRun) tryHooks(ctx context.Context) {
	if s.r.Remove || s.r.DryRun || !slices.Contains(s.parts, clients.Hooks) {
		return
	}
	x := examination{m: s.m, place: s.place}
	for _, f := range x.examineHooks(ctx, s.client, clients.Scope(s.r.Scope)) {
		f.Text, f.Remedy = s.m.maskTokens(f.Text), s.m.maskTokens(f.Remedy)
		s.done.Tried = append(s.done.Tried, f)
	}
}

func (s *setupRun) addNote(text string) { s.done.Notes = append(s.done.Notes, text) }

// printFiles fills in what the user can insert by hand.
func (s *setupRun) printFiles() error {
	for _, f := range s.files {
		p, err := f.Print(s.entry)
		if err != nil {
			return err
		}
		if p.Command != "" {
			s.done.Command = s.hideTokens(p.Command)
		}
		s.done.Prints = append(s.done.Prints, Shown{f.Path, s.hideTokens(p.Entry)})
		if err := s.explainParts(f, []byte(p.Entry)); err != nil {
			return err
		}
	}
	return nil
}

// hideTokens masks the tokens in a text that is shown, and adds a note if it did.
func (s *setupRun) hideTokens(text string) string {
	shown := s.m.maskTokens(text)
	if shown != text {
		s.addNote("TOKEN stands for a token that is not shown; those of your servers are in " + s.m.Blue.TokenFile())
	}
	return shown
}

// explainParts reports what will name the project for the server entry in text, and what the
// user must still do.
func (s *setupRun) explainParts(f clients.ConfigFile, text []byte) error {
	if slices.Contains(f.Holds, clients.Hooks) {
		s.done.Notes = append(s.done.Notes, s.client.HookNotes()...)
	}
	if !slices.Contains(f.Holds, clients.MCP) {
		return nil
	}
	found, err := f.Read(text)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r.Name != clients.Server {
			continue
		}
		if r.Command == clients.Server && s.place.Program(r.Command) == "" {
			s.done.Warnings = append(slices.Clone(s.done.Warnings), "the entry starts blue, which is not on your PATH")
		}
		source := s.client.Source(f.Scope, r)
		s.done.Source, s.done.Spawn = source.Name, source.Spawn
		notes := s.client.Notes(f.Scope, r)
		if source.OnlyCwd() { // the first note says so
			s.done.Warnings = append(slices.Clone(s.done.Warnings), notes[0])
			notes = notes[1:]
		}
		s.done.Notes = append(s.done.Notes, notes...)
	}
	if s.entry.URL != "" && s.entry.Token == "" {
		s.addNote("the entry carries no token: add that of the server, if it wants one")
	}
	return nil
}

// rewrite is a file with its text before and after the change.
type rewrite struct {
	clients.ConfigFile
	before, after []byte
}

// changeFiles edits the files. It prepares all edits before it writes the first file.
func (s *setupRun) changeFiles() error {
	var all []rewrite
	s.leaveShared()
	for _, f := range s.files {
		if f.PrintOnly {
			if err := s.tellPerson(f); err != nil {
				return err
			}
			continue
		}
		w, err := s.edit(f)
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	for _, w := range all {
		if err := s.writeFile(w); err != nil {
			return err
		}
	}
	s.mentionOthers()
	return nil
}

// leaveShared keeps the block, and the skill, in a file that another client also reads.
func (s *setupRun) leaveShared() {
	if !s.r.Remove || s.r.AgentsMD || s.r.Only != "" {
		return
	}
	s.files = slices.DeleteFunc(s.files, func(f clients.ConfigFile) bool {
		part := f.Shares()
		for _, other := range clients.All() {
			if part == "" || other.Name == s.client.Name || !s.isSetUp(other, f.Scope) {
				continue
			}
			if read, _ := other.Targets(s.place, f.Scope, part); len(read) > 0 && sameFile(read[0].Path, f.Path) {
				s.addNote(fmt.Sprintf("%s keeps the %s, which %s reads too", f.Path, part, other.Title))
				return true
			}
		}
		return false
	})
}

// sameFile reports whether two paths lead to one file.
func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// isSetUp reports whether a client has an entry or hooks in the scope, apart from the files of this run.
// One whose only scope is the user counts in projects, where its block is.
func (s *setupRun) isSetUp(c clients.Client, scope clients.Scope) bool {
	if !slices.Contains(c.Scopes(), scope) {
		scope = c.Scopes()[0]
	}
	reads := func(f clients.ConfigFile) bool {
		return f.Scope == scope && !slices.ContainsFunc(s.files, func(own clients.ConfigFile) bool { return own.Path == f.Path })
	}
	for _, at := range []clients.Scope{clients.Project, clients.User} {
		f, _ := c.HookFile(s.place, at)
		text, _ := clients.Load(f.Path) // doctor reports unreadable files
		if found, _ := f.HasHooks(text, s.m.Self); found && reads(f) {
			return true
		}
	}
	return slices.ContainsFunc(c.Registrations(s.place), reads)
}

// tellPerson reports what to do by hand for a file that Blue does not edit: the command to run
// where the client itself rewrites it at any time, else the lines to put in or take out.
func (s *setupRun) tellPerson(f clients.ConfigFile) error {
	p, err := f.Print(s.entry)
	if err != nil {
		return err
	}
	found, err := f.Entries()
	switch {
	case err != nil:
		return err
	case s.r.Remove && !slices.ContainsFunc(found, clients.Registered.IsBlue):
		return nil
	case p.Command == "" && s.r.Remove:
		s.addNote(fmt.Sprintf("%s was left alone, because Blue edits no YAML: take out the entry %q", f.Path, clients.Server))
	case p.Command == "":
		s.addNote(fmt.Sprintf("%s was left alone, because Blue edits no YAML: put the lines in", f.Path))
		s.done.Prints = append(s.done.Prints, Shown{f.Path, s.hideTokens(p.Entry)})
	default:
		s.addNote(fmt.Sprintf("%s was left alone, because %s rewrites it at any moment: run the command", f.Path, s.client.Title))
		s.done.Command = s.hideTokens(p.Command)
	}
	if s.r.Remove {
		s.done.Command = p.Remove
		return nil
	}
	return s.explainParts(f, []byte(p.Entry))
}

// edit computes the new text of a file.
func (s *setupRun) edit(f clients.ConfigFile) (rewrite, error) {
	w := rewrite{ConfigFile: f}
	var err error
	if w.before, err = f.Load(); err != nil {
		return w, err
	}
	if s.r.Remove {
		if present := f.Present(w.before); len(present) > 0 {
			w.Holds = present
		}
		w.after, err = f.Remove(w.before)
		original, known := s.originals().Of(f, w.before)
		if err == nil && known && !s.holdsBlue(f, w.after) {
			w.after = original
		}
		return w, err
	}
	kept := w.before
	held := func(token string) bool { return strings.Contains(string(kept), token) }
	if s.entry.URL != "" && s.entry.Token == "" && slices.ContainsFunc(s.m.spelledTokens(), held) {
		if kept, err = f.Remove(kept); err != nil { // our token is not for that server
			return w, err
		}
	}
	if w.after, err = f.Edit(kept, s.entry); err != nil {
		return w, err
	}
	return w, s.explainParts(f, w.after)
}

func (s *setupRun) writeFile(w rewrite) error {
	var holds []string
	for _, part := range w.Holds {
		holds = append(holds, part.String())
	}
	change := Rewritten{Path: w.Path, Holds: strings.Join(holds, ", "), Outcome: "written"}
	switch {
	case bytes.Equal(w.before, w.after) && (w.before == nil) == (w.after == nil):
		change.Outcome = "unchanged"
	case s.r.DryRun:
		change.Outcome, change.Diff = "planned", s.hideTokens(diff(w.before, w.after))
	default:
		if s.r.Remove {
			change.Outcome = "removed"
		}
		if err := s.replaceFile(w); err != nil {
			return err
		}
	}
	s.done.Files = append(s.done.Files, change)
	return nil
}

// originals keeps the texts that files had before Blue's first edit.
func (s *setupRun) originals() clients.Originals {
	return clients.Originals(filepath.Join(s.m.Blue.Directory("state"), "setup"))
}

// replaceFile writes a file. It keeps the text from before Blue's first edit until nothing of Blue
// is left in the file.
func (s *setupRun) replaceFile(w rewrite) error {
	original, known := s.originals().Of(w.ConfigFile, w.before)
	if !known && !s.holdsBlue(w.ConfigFile, w.before) {
		original, known = w.before, true
	}
	if known && s.holdsBlue(w.ConfigFile, w.after) {
		if err := s.originals().Keep(w.ConfigFile, original, w.before, w.after); err != nil {
			s.addNote(fmt.Sprintf("the bytes of %s from before Blue could not be kept (%v): --remove will take out Blue's part alone", w.Path, err))
		}
		return w.Write(w.before, w.after)
	}
	err := w.Write(w.before, w.after)
	if err == nil {
		s.originals().Drop(w.ConfigFile)
	}
	return err
}

// holdsBlue reports whether the text of a file holds any part of Blue, including parts that
// this run does not touch.
func (s *setupRun) holdsBlue(f clients.ConfigFile, text []byte) bool {
	if s.r.Client != "" {
		all, _ := s.client.Targets(s.place, clients.Scope(s.r.Scope), clients.Components()...)
		if i := slices.IndexFunc(all, func(other clients.ConfigFile) bool { return other.Path == f.Path }); i >= 0 {
			f = all[i]
		}
	}
	without, err := f.Remove(text)
	return err != nil || !bytes.Equal(without, text)
}

// diff shows the changes of a file with one line of context. The context is short because the
// lines around Blue's entry may hold secrets of other servers.
func diff(before, after []byte) string {
	lines := blue.Diff(string(before), string(after))
	changes := func(i int) bool {
		return i >= 0 && i < len(lines) && (lines[i].How == "gone" || lines[i].How == "new")
	}
	var b strings.Builder
	for i, line := range lines {
		sign := map[string]string{"gone": "-", "new": "+"}[line.How]
		switch {
		case changes(i):
			b.WriteString(sign + line.Text + "\n")
		case line.How == "same" && (changes(i-1) || changes(i+1)):
			b.WriteString(" " + line.Text + "\n")
		case changes(i - 2):
			b.WriteString("…\n")
		}
	}
	return b.String()
}

// mentionOthers adds notes about other files in which the client finds an entry or hooks.
func (s *setupRun) mentionOthers() {
	if plugin := s.client.Plugin(s.place); plugin != "" && !s.r.Remove {
		s.addNote(fmt.Sprintf("%s has Blue as a plugin too: with both, agents are told everything twice; take out one of them", plugin))
	}
	for _, scope := range []clients.Scope{clients.Project, clients.User} {
		f, _ := s.client.HookFile(s.place, scope)
		text, _ := clients.Load(f.Path) // doctor reports unreadable files
		if found, _ := f.HasHooks(text, s.m.Self); found && !s.r.Remove && string(scope) != s.r.Scope && slices.Contains(s.parts, clients.Hooks) {
			s.addNote(fmt.Sprintf("%s also has hooks, for the scope %s: with both, Blue is asked twice", f.Path, scope))
		}
	}
	for _, f := range s.client.Files(s.place) {
		found, _ := f.Entries() // doctor reports parse errors
		for _, r := range found {
			written := slices.ContainsFunc(s.files, func(w clients.ConfigFile) bool { return w.Path == f.Path })
			if !written && r.Name == clients.Server && slices.Contains(s.parts, clients.MCP) {
				s.addNote(fmt.Sprintf("%s also has an entry, for the scope %s", f.Path, f.Scope))
			}
		}
	}
}
