package setup

import (
	"fmt"
	"strings"

	"blue/blue"
	"blue/errors"
	"blue/marker"
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
	text := fmt.Sprintf("%-5s %s: %s\n", f.State, f.Matter, strings.ReplaceAll(f.Text, "\n", "\n      "))
	if f.Remedy != "" {
		text += "      remedy: " + f.Remedy + "\n"
	}
	return text
}

// Examined is what doctor found of one client.
type Examined struct {
	Client   string    `json:"client"`
	Title    string    `json:"title"`
	Entries  []Entry   `json:"entries"`
	Findings []Finding `json:"findings"`
}

// Entry is an entry whose name begins with blue, in a file of a client. Arguments,
// and the values of variables and headers, are not shown: they may be secret.
type Entry struct {
	File    string `json:"file"`
	Scope   string `json:"scope"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"`
	Spawn   string `json:"spawn,omitempty"` // where the client starts the server, in words
	Source  string `json:"source"`          // what names the project of calls without cwd
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

func (e Entry) line() string {
	text := fmt.Sprintf("%s (%s scope): %q ", e.File, e.Scope, e.Name)
	if e.URL == "" {
		text += fmt.Sprintf("starts %s; directory: %s", e.Command, e.Spawn)
	} else {
		text += "calls " + e.URL
	}
	return text + "; the project is named by: " + namedBy(e.Source)
}

// namedBy shows what names the project of a call.
func namedBy(source string) string {
	if source == string(marker.Argument) {
		return "cwd of each call alone"
	}
	return source
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
