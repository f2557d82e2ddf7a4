package setup

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/errors"
	"blue/marker/mount"
)

// examination is one run of doctor over clients.
type examination struct {
	m     Machine
	place clients.Place
	urls  []string // of the servers that run
	asked bool     // a person named the client, so Blue is expected there
	below bool     // doctor was started below the root of the project
}

func (x examination) examineClient(ctx context.Context, c clients.Client) Examined {
	done := Examined{Client: c.Name, Title: c.Title, Entries: []Entry{}, Findings: []Finding{}}
	registered := false
	for _, f := range c.Files(x.place) {
		found, err := f.Entries()
		if err != nil {
			done.Findings = append(done.Findings, Finding{c.Name, mend, errors.Of(err).Message, firstRemedy(err)})
		}
		for _, r := range found {
			registered = registered || r.IsBlue()
			done.Entries = append(done.Entries, entryOf(c, f, r))
			done.Findings = append(done.Findings, x.examineEntry(c, f, r)...)
		}
	}
	done.Findings = append(done.Findings, x.examineStart(c)...)
	if x.asked {
		for _, scope := range []clients.Scope{clients.Project, clients.User} {
			done.Findings = append(done.Findings, x.examineHooks(ctx, c, scope)...)
		}
	}
	x.m.limitShown(&done)
	if !registered {
		missing := Finding{c.Name, remark, "Blue is not registered", "blue setup " + c.Name}
		if x.asked {
			missing.State = mend
		}
		done.Findings = append(done.Findings, missing)
	}
	return done
}

// What doctor shows of the files of one client, some of which come with a repository.
const (
	entriesShown  = 10
	findingsShown = 20
	nameShown     = 100 // characters
	valueShown    = 200
)

// limitShown cuts what the files of a client say to what a person can look through,
// and masks its tokens before it cuts them.
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
		c.Findings = slices.Insert(c.Findings, 0, Finding{c.Client, remark, fmt.Sprintf("entries not shown: %d", more), "look at the files themselves"})
	}
	if more := len(c.Findings) - findingsShown; more > 0 {
		c.Findings = append(c.Findings[:findingsShown:findingsShown], Finding{c.Client, remark, fmt.Sprintf("findings not shown: %d", more), "look at the files themselves"})
	}
}

func entryOf(c clients.Client, f clients.File, r clients.Registered) Entry {
	source := c.Source(f.Scope, r)
	e := Entry{File: f.Path, Scope: string(f.Scope), Name: r.Name, Command: r.Command, Spawn: source.Spawn, Source: source.Name}
	if r.URL != "" {
		e.URL = withoutSecrets(r.URL)
	}
	return e
}

// examineEntry judges one entry.
func (x examination) examineEntry(c clients.Client, f clients.File, r clients.Registered) []Finding {
	again := "blue setup " + c.Name + " --scope " + string(f.Scope)
	about := func(state, text, remedy string) Finding { return Finding{c.Name, state, text, remedy} }
	if host, _ := splitAddress(r.URL); !r.IsBlue() && (r.URL == "" || host != "") { // a URL in variables may well be Blue's
		if r.Name == clients.Server {
			return []Finding{about(mend, "the server blue is another program", "rename it in "+f.Path+", then: "+again)}
		}
		return []Finding{about(remark, fmt.Sprintf("the server %q is another program", r.Name), "")}
	}
	var all []Finding
	if r.Name != clients.Server {
		all = append(all, about(remark, fmt.Sprintf("%q is Blue under another name", r.Name), "rename it to blue, or take it out, in "+f.Path))
	}
	if r.Disabled {
		all = append(all, about(mend, fmt.Sprintf("%q is disabled, so the client does not start it", r.Name), "enable it in the client, or in "+f.Path))
	}
	if r.URL != "" {
		all = append(all, x.examineURL(r.URL, about, again))
	} else {
		all = append(all, x.examineCommand(f, r, about, again)...)
	}
	for _, text := range c.Notes(f.Scope, r) {
		all = append(all, about(remark, text, ""))
	}
	return all
}

// finding makes one of a client.
type finding func(state, text, remedy string) Finding

// examineURL compares a URL with the servers that run.
func (x examination) examineURL(url string, about finding, again string) Finding {
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

// examineCommand looks at what an entry starts.
func (x examination) examineCommand(f clients.File, r clients.Registered, about finding, again string) (all []Finding) {
	if r.Command == "" {
		return []Finding{about(mend, "the entry neither starts nor calls anything", again)}
	}
	if !slices.Contains(r.Args, "mcp") {
		all = append(all, about(mend, "its arguments lack the word mcp, so that its command does not serve", again))
	}
	pinned := slices.ContainsFunc(r.Args, func(arg string) bool { return strings.HasPrefix(arg, "--project") })
	if pinned && f.Scope == clients.User {
		all = append(all, about(remark, "--project in its arguments makes every window use that one project", ""))
	}
	whole, bare := filepath.IsAbs(r.Command), filepath.Base(r.Command) == r.Command
	switch {
	case whole && f.Scope == clients.Project:
		all = append(all, about(remark, "the absolute path of its command may hold on this machine alone, and the file is committed", again))
	case bare && f.Scope != clients.Project:
		all = append(all, about(remark, fmt.Sprintf("desktop programs have a short PATH and may not find %q", r.Command), again))
	}
	if strings.Contains(r.Command, "$") || !whole && !bare {
		return append(all, about(remark, "its command holds a variable or is relative, so it was not looked for", ""))
	}
	path := x.findCommand(r.Command)
	switch {
	case path == "":
		all = append(all, about(mend, fmt.Sprintf("its command %q does not exist, or cannot be run", r.Command), "install Blue on your PATH, then: "+again))
	case x.isThisBinary(path):
		all = append(all, about(fine, "starts this binary", ""))
	default:
		all = append(all, about(remark, "starts another program than this one: "+path, ""))
	}
	return all
}

// findCommand finds a command as a client that has this environment would, "" when it
// is not there or cannot be run.
func (x examination) findCommand(command string) string {
	if !filepath.IsAbs(command) {
		return x.place.Program(command)
	}
	path, _ := exec.LookPath(command) // empty with an error
	return path
}

// isThisBinary reports whether a path leads to the running binary.
func (x examination) isThisBinary(path string) bool {
	if mount.Check(path) != nil {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(x.m.Self)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
