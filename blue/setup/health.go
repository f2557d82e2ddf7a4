package setup

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net"
	neturl "net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Machine is what setup and doctor work on: this user's clients, Blue's own files and the
// running servers.
type Machine struct {
	Blue *blue.Blue
	Self string // path of this binary, for the user's own files and for comparison
}

// place returns the environment in which clients look for their configuration files.
func (m Machine) place(project string) clients.Environment {
	return clients.Environment{Home: m.Blue.Home(), Project: project, OS: runtime.GOOS, Env: m.Blue.Env}
}

// Diagnosis is the result of doctor: what was examined and what is wrong.
type Diagnosis struct {
	result.About
	Version  string     `json:"version"`
	Binary   string     `json:"binary"`
	Servers  []string   `json:"servers"` // URLs of this user's running servers
	Findings []Check    `json:"findings"`
	Clients  []Examined `json:"clients"`          // those found on this machine, in which Blue is registered first
	Others   []string   `json:"others,omitempty"` // names of the other clients that Blue knows

	asked bool // for one client
}

// Check is the result of one examination.
type Check struct {
	Matter string `json:"matter"`
	State  string `json:"state"` // ok, note, or mend
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// The states of a finding. Only mend makes the diagnosis unsound.
const (
	fine   = "ok"
	remark = "note"
	mend   = "mend"
)

// Sound reports that nothing must be mended.
func (d Diagnosis) Sound() bool { return d.countFaults() == 0 }

func (d Diagnosis) countFaults() (n int) {
	all := d.Findings
	for _, c := range d.Clients {
		all = append(all[:len(all):len(all)], c.Findings...)
	}
	for _, f := range all {
		if f.State == mend {
			n++
		}
	}
	return n
}

// Text names what is well in one line, and shows the other findings. It shows all about a client that was
// asked for.
func (d Diagnosis) Text() string {
	var b strings.Builder
	var well []string
	for _, f := range d.Findings {
		switch {
		case f.State != fine:
			b.WriteString(f.lines())
		case f.Matter == "project":
			well = append(well, f.Matter+": "+f.Text)
		default:
			well = append(well, f.Matter)
		}
	}
	for _, c := range d.Clients {
		if d.asked {
			b.WriteString(c.lines())
			continue
		}
		odd := slices.DeleteFunc(slices.Clone(c.Findings), func(f Check) bool { return f.State == fine || slices.Contains(c.usual, f.Text) })
		if len(odd) == 0 {
			well = append(well, c.Client)
		}
		for _, f := range odd {
			b.WriteString(f.lines())
		}
	}
	head := fmt.Sprintf("Blue %s, %s\n", d.Version, d.Binary)
	if len(well) > 0 {
		head += fmt.Sprintf("%-5s %s\n", fine, strings.Join(well, ", "))
	}
	if n := d.countFaults(); n > 0 {
		return head + b.String() + result.Plural(n, "thing") + " to mend\n"
	}
	return head + b.String() + "Nothing to mend\n"
}

func (f Check) lines() string {
	text := fmt.Sprintf("%-5s %s: %s\n", f.State, f.Matter, strings.ReplaceAll(f.Text, "\n", "\n      "))
	if f.Remedy != "" {
		text += "      remedy: " + f.Remedy + "\n"
	}
	return text
}

// Examined holds what doctor found about one client.
type Examined struct {
	Client   string        `json:"client"`
	Title    string        `json:"title"`
	Entries  []ClientEntry `json:"entries"`
	Findings []Check       `json:"findings"`

	usual []string // findings that are true wherever the client is set up
}

// ClientEntry is an entry in a client's file. Arguments and the values of variables and headers
// are not shown, because they may be secret.
type ClientEntry struct {
	File    string `json:"file"`
	Scope   string `json:"scope"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"`
	Spawn   string `json:"spawn,omitempty"` // where the client starts the server, in words
	Source  string `json:"source"`          // source that names the project of calls without cwd
}

func (c Examined) lines() string {
	text := fmt.Sprintf("%s (%s)\n", c.Title, c.Client)
	for _, e := range c.Entries {
		text += "      " + e.line() + "\n"
	}
	for _, f := range c.Findings {
		text += f.lines()
	}
	return text
}

func (e ClientEntry) line() string {
	text := fmt.Sprintf("%s (%s scope): %q ", e.File, e.Scope, e.Name)
	if e.URL == "" {
		text += fmt.Sprintf("starts %s; directory: %s", e.Command, e.Spawn)
	} else {
		text += "calls " + e.URL
	}
	return text + "; the project is named by: " + namedBy(e.Source)
}

// namedBy describes the source that names the project of a call.
func namedBy(source string) string {
	if source == string(marker.Argument) {
		return "cwd of each call alone"
	}
	return source
}

// firstRemedy returns the first hint of a failure.
func firstRemedy(err error) string {
	if hints := errors.Of(err).Hints; len(hints) > 0 {
		return hints[0].ForPerson()
	}
	return ""
}

// examineProject checks the marker, the files, the index, the sync and the trust of a project.
func (m Machine) examineProject(ctx context.Context, found marker.Found) []Check {
	p := Check{Matter: "project", State: fine, Text: fmt.Sprintf("%s at %s (source: %s)", found.Name, found.Root, found.Source)}
	all := []Check{p}
	for _, w := range found.Warnings {
		all = append(all, Check{"project", mend, w, "mend that file in an editor"})
	}
	dir := filepath.Join(found.Root, marker.Name)
	all = append(all, examineDirectory("marker", dir, 0o002))
	for _, name := range []string{"notes", "private", "history", "trash"} {
		if f := examineDirectory(name, filepath.Join(found.Notes.Dir(), name), 0o002); f.State != fine {
			all = append(all, f)
		}
	}
	h := m.Blue.Health(ctx, found)
	all = append(all, noteFinding(h), examineDirectory("index", h.Index, 0o002))
	if m.Blue.SessionsOn() {
		all = append(all, examineDirectory("sessions", filepath.Join(h.Index, "sessions"), 0o077))
	}
	switch {
	case h.Synced != "":
		all = append(all, Check{"sync", fine, "on " + h.Travels + ", the last one ended well at " + h.Synced, ""})
	case found.Notebook:
		all = append(all, Check{"sync", remark, "the notes are to travel on " + h.Travels + ", and have not from here", "blue sync"})
	}
	if !h.Trusted {
		all = append(all, Check{"trust", remark, "the project is not trusted: agents are told none of its notes unasked", "blue trust"})
	}
	for _, other := range h.Twins {
		all = append(all, Check{"project", remark, "the project at " + other + " has the same id; trust, syncs and indexes are of each alone", "if they are different projects, change the id in .blue/project.yaml of one"})
	}
	return all
}

// noteFinding reports the health of the notes.
func noteFinding(h blue.Health) Check {
	switch {
	case h.Fault != nil:
		return Check{"notes", mend, errors.Of(h.Fault).Message, firstRemedy(h.Fault)}
	case h.Unserved > 0:
		return Check{"notes", remark, fmt.Sprintf("%s, and %s that cannot be served", result.Plural(h.Notes, "note"), result.Plural(h.Unserved, "file")), "see which and why: blue check"}
	}
	return Check{"notes", fine, result.Plural(h.Notes, "note"), ""}
}

// examineOwn checks the user's own files and the environment.
func (m Machine) examineOwn(urls, dead []string) []Check {
	all := []Check{
		examineDirectory("config", m.Blue.Directory("config"), 0o022), examineDirectory("state", m.Blue.Directory("state"), 0o022),
		examineDirectory("cache", m.Blue.Directory("cache"), 0o002), m.examineToken(),
	}
	if w := m.Blue.TrustWarning(); w != "" {
		all = append(all, Check{"trust", mend, w, "mend or remove that file; blue trust makes a new one"})
	}
	if m.Blue.Env("MCPGODEBUG") != "" {
		all = append(all, Check{"MCPGODEBUG", mend, "is set, and changes how the MCP library behaves", "unset it where clients and servers are started"})
	}
	for _, url := range urls {
		all = append(all, Check{"server", fine, "runs on " + withoutSecrets(url), ""})
	}
	for _, path := range dead {
		all = append(all, Check{"server", remark, "the one of " + path + " does not answer", "when it is gone, that file may go too"})
	}
	return all
}

// examineToken checks the token file as a server does; it shows no token.
func (m Machine) examineToken() Check {
	path := m.Blue.TokenFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Check{"token", fine, path + " is not there yet; blue mcp --http makes it", ""}
	}
	if _, _, err := blue.ReadTokens(path); err != nil {
		return Check{"token", mend, errors.Of(err).Message, firstRemedy(err)}
	}
	return Check{"token", fine, path, ""}
}

// examineDirectory checks a directory that Blue writes in or will create. The mask holds the
// permission bits that the directory must not have.
func examineDirectory(matter, dir string, mask fs.FileMode) Check {
	info, err := os.Stat(dir)
	f := Check{Matter: matter, State: mend}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return examineMissing(matter, dir)
	case err != nil:
		f.Text, f.Remedy = err.Error(), "make the directories above it yours to enter"
	case !info.IsDir():
		f.Text, f.Remedy = dir+" is not a directory", "move it away"
	case !writable(dir):
		f.Text, f.Remedy = "you cannot read and write in "+dir, "chmod u+rwx "+dir+", or have its owner give it to you"
	case runtime.GOOS != "windows" && info.Mode().Perm()&mask != 0:
		f.Text, f.Remedy = "others can write in "+dir, "chmod go-w "+dir
	default:
		f.State, f.Text = fine, dir
	}
	return f
}

// examineMissing checks the nearest existing directory above one that does not exist.
func examineMissing(matter, dir string) Check {
	above := filepath.Dir(dir)
	info, err := os.Stat(above)
	for err != nil && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		info, err = os.Stat(above)
	}
	if err == nil && !info.IsDir() { // Windows says of what lies below it that it does not exist
		return Check{matter, mend, above + " is not a directory", "move it away"}
	}
	if !writable(above) {
		return Check{matter, mend, dir + " cannot be made: you cannot write in " + above, "make it yourself, or have " + above + " opened to you"}
	}
	return Check{matter, fine, dir + " is made when it is needed", ""}
}

// Running stands for the URL of the server that runs on this machine.
const Running = "running"

// answerLimit is how long a server may take to accept a connection.
const answerLimit = time.Second

// findServers returns the URLs of this user's servers that accept connections, and the runtime
// files of those that do not.
func (m Machine) findServers(ctx context.Context) (urls, dead []string) {
	dir := filepath.Join(m.Blue.Directory("state"), "http")
	entries, _ := os.ReadDir(dir) // an unreadable directory means that no server is known
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		data, err := clients.Load(path)
		url := strings.TrimSpace(string(data))
		switch {
		case err != nil || !acceptsConnections(ctx, url):
			dead = append(dead, path)
		case !slices.Contains(urls, url):
			urls = append(urls, url)
		}
	}
	return urls, dead
}

// acceptsConnections reports whether something listens where the URL points.
func acceptsConnections(ctx context.Context, url string) bool {
	host, port := splitAddress(url)
	if host == "" {
		return false
	}
	dialer := net.Dialer{Timeout: answerLimit}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// splitAddress returns the host and port of an HTTP URL, empty for anything else.
func splitAddress(url string) (host, port string) {
	u, err := neturl.Parse(url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", ""
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname(), port
}

// isLocal reports whether a URL points to this machine.
func isLocal(url string) bool {
	host, _ := splitAddress(url)
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// samePort reports whether two URLs point to one port of one machine.
func samePort(a, b string) bool {
	hostA, portA := splitAddress(a)
	hostB, portB := splitAddress(b)
	return portA == portB && (strings.EqualFold(hostA, hostB) || isLocal(a) && isLocal(b))
}

// withoutSecrets returns a URL without the parts that may be secret: user, password, query and
// fragment.
func withoutSecrets(url string) string {
	u, err := neturl.Parse(url)
	if err != nil {
		return "a URL that does not parse"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// firstToken returns the first token of the token file, empty if there is no such file.
func (m Machine) firstToken() (string, error) {
	path := m.Blue.TokenFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	tokens, _, err := blue.ReadTokens(path)
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// spelledTokens returns the user's tokens, both raw and as a quoted string of a configuration
// file spells them. The longest come first, because one may be a prefix of another.
func (m Machine) spelledTokens() (all []string) {
	tokens, _, _ := blue.ReadTokens(m.Blue.TokenFile()) // also if the file is open to others
	for _, token := range tokens {
		quoted := strconv.Quote(token)
		all = append(all, token, quoted[1:len(quoted)-1])
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// bearer matches a token in a header or a key of a configuration file, but not a variable.
var bearer = regexp.MustCompile(`(?i)(\bauthorization\W{1,8}bearer\s+|\bbearer_token\W{1,6})[^\s"'$\\{<]+`)

// maskTokens replaces the user's tokens, and any other bearer token, by TOKEN.
func (m Machine) maskTokens(text string) string {
	for _, token := range m.spelledTokens() {
		text = strings.ReplaceAll(text, token, "TOKEN")
	}
	return bearer.ReplaceAllString(text, "${1}TOKEN")
}
