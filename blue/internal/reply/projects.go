package reply

import (
	"fmt"
	"strings"

	"blue/errors"
)

// Known is a project that the user has opened on this machine.
type Known struct {
	Root     string `json:"root"`
	Name     string `json:"name"`
	ID       string `json:"id"`
	Used     string `json:"used,omitempty"` // last, exact to a day
	Age      string `json:"age,omitempty"`
	Personal bool   `json:"personal,omitempty"` // holds the notes about the user
	Missing  bool   `json:"gone,omitempty"`
	Fault    string `json:"fault,omitempty"` // why it is not searched from other projects
}

// Projects is the answer to projects.
type Projects struct {
	Projects []Known `json:"projects"`         // the one used last first
	Forgot   string  `json:"forgot,omitempty"` // root of the one that was taken off the list
}

// Text lists the projects, one a line. What a name or a root holds stands escaped, on one line.
func (p Projects) Text() string {
	var b strings.Builder
	if p.Forgot != "" {
		fmt.Fprintf(&b, "Forgot %s; its files stay as they are\n", errors.Visible(p.Forgot))
	}
	for _, k := range p.Projects {
		remarks := make([]string, 0, 3)
		for _, remark := range []string{map[bool]string{true: "personal notes"}[k.Personal], k.Age, k.Fault} {
			if remark != "" {
				remarks = append(remarks, remark)
			}
		}
		fmt.Fprintf(&b, "%s  %s  (%s)\n", errors.Visible(k.Name), errors.Visible(k.Root), strings.Join(remarks, ", "))
	}
	if len(p.Projects) == 0 && p.Forgot == "" {
		b.WriteString("No project was opened on this machine yet\n")
	}
	return b.String()
}
