package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"blue/blue"
	"blue/blue/build"
	"blue/blue/internal/clients"
	"blue/errors"
)

// Diagnosis is the answer to doctor: what was looked at and what is wrong.
type Diagnosis struct {
	blue.About
	Version  string     `json:"version"`
	Binary   string     `json:"binary"`
	Servers  []string   `json:"servers"` // URLs of this user's servers that run
	Findings []Finding  `json:"findings"`
	Clients  []Examined `json:"clients"`
}

// Finding is one thing that was looked at.
type Finding struct {
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

// Text shows every finding, those of a client below its name.
func (d Diagnosis) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Blue %s, %s\n", d.Version, d.Binary)
	for _, f := range d.Findings {
		b.WriteString(f.lines())
	}
	for _, c := range d.Clients {
		b.WriteString(c.lines())
	}
	if n := d.countFaults(); n > 0 {
		return b.String() + blue.Plural(n, "thing") + " to mend\n"
	}
	return b.String() + "Nothing to mend\n"
}

func (f Finding) lines() string {
	text := fmt.Sprintf("%-5s %s: %s\n", f.State, f.Matter, f.Text)
	if f.Remedy != "" {
		text += "      remedy: " + f.Remedy + "\n"
	}
	return text
}

// Doctor looks at everything between a client and the notes: the project, Blue's
// own files, and the configuration of one client or of all those found on this
// machine. It changes nothing, and that there is no project is no failure.
func (m Machine) Doctor(ctx context.Context, c blue.Call, client string) (Diagnosis, error) {
	d := Diagnosis{Version: build.Version(), Binary: m.Self, Servers: []string{}, Clients: []Examined{}}
	chosen := clients.All()
	if client != "" {
		one, err := clients.Named(client)
		if err != nil {
			return d, err
		}
		chosen = []clients.Client{one}
	}
	found, missing := m.Blue.Choose(ctx, c)
	if missing == nil {
		d.About = blue.AboutFound(found)
		d.Findings = m.examineProject(ctx, found)
	} else {
		d.Findings = []Finding{missingProject(missing)}
	}
	urls, dead := m.findServers(ctx)
	d.Servers = append(d.Servers, urls...)
	d.Findings = append(d.Findings, m.examineOwn(urls, dead)...)
	e := examination{m: m, place: m.place(found.Root), urls: urls, asked: client != "", below: found.Root != "" && isBelow(found.Root, c.Cwd)}
	for _, chosen := range chosen {
		if e.asked || chosen.Found(e.place) {
			d.Clients = append(d.Clients, e.examineClient(ctx, chosen))
		}
	}
	return d, nil
}

// isBelow reports whether dir is another directory than root, and in it.
func isBelow(root, dir string) bool {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	below, err := filepath.Rel(root, dir)
	return err == nil && below != "." && filepath.IsLocal(below)
}

// missingProject says why there is none. That nothing was found is no fault: a person
// may ask from anywhere.
func missingProject(err error) Finding {
	f := Finding{Matter: "project", State: mend, Text: errors.Of(err).Message, Remedy: firstRemedy(err)}
	if errors.Is(err, errors.NoProject) {
		f.State = remark
	}
	return f
}

// firstRemedy is the first next step of a failure.
func firstRemedy(err error) string {
	hints := errors.Of(err).Hints
	if len(hints) == 0 {
		return ""
	}
	if hints[0].Verb == "" {
		return hints[0].Text
	}
	return fmt.Sprintf("%s: blue %s", hints[0].Text, strings.TrimSpace(hints[0].Verb+" "+hints[0].Args))
}
