package setup

import (
	"runtime"

	"blue/blue"
	"blue/blue/internal/clients"
)

// Machine is where setup and doctor look: this user's clients, Blue's own files and
// the servers that run.
type Machine struct {
	Blue *blue.Blue
	Self string // path of this binary, for the files of a person and for comparison
}

// place is where the configuration files of clients lie.
func (m Machine) place(project string) clients.Place {
	return clients.Place{Home: m.Blue.Home(), Project: project, OS: runtime.GOOS, Env: m.Blue.Env}
}
