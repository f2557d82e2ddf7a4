package carry

import (
	"strings"
	"time"

	"blue/blue/internal/exchange"
	"blue/blue/internal/remote"
	"blue/blue/internal/store"
	"blue/errors"
)

// server is the one that the notes travel to; without a URL they travel with git. Unless a
// person has named one, it is that of the last sync.
func (c *Copy) server() remote.Address {
	if c.chosen == nil {
		last := exchange.LoadState(c.State)
		c.chosen = &remote.Address{URL: last.Server, Project: last.Project}
	}
	return *c.chosen
}

// chooseServer takes what a person has named: the URL of a server, or the remote of git.
func (c *Copy) chooseServer(o Syncing) error {
	switch {
	case strings.Contains(o.Remote, "://"):
		at, err := remote.ParseAddress(o.Remote, o.Project)
		c.chosen = &at
		return err
	case o.Project != "":
		return errors.Missing("URL", "name the server of the project: blue sync https://notes.example.com --project NAME")
	case o.Remote == c.Found.Carry.Remote || o.Remote == "" && o.Branch != "":
		c.chosen = &remote.Address{}
	case o.Remote != "":
		return errors.BadValue("remote", o.Remote, "the URL of a server, or "+c.Found.Carry.Remote+"; another remote of git is named by the key remote of .blue/project.yaml")
	}
	return nil
}

// stateFile is the file of what is kept of the last sync: of git, or of the server, each of
// which has its own.
func (c *Copy) stateFile() string {
	path, at := c.State, c.server()
	if at.URL == "" {
		return path
	}
	return strings.TrimSuffix(path, ".json") + "-" + store.Revision([]byte(at.URL+"\x00"+at.Project)) + ".json"
}

func (c *Copy) loadState() exchange.State {
	state := exchange.LoadState(c.stateFile())
	state.Server, state.Project = "", ""
	return state
}

// keepState keeps the state, and where the next sync goes.
func (c *Copy) keepState(s exchange.State) {
	err := s.Save(c.stateFile())
	if at, path := c.server(), c.State; at.URL != "" && err == nil {
		if last := exchange.LoadState(path); last.Server != at.URL || last.Project != at.Project {
			last.Server, last.Project = at.URL, at.Project
			err = last.Save(path)
		}
	}
	if err != nil {
		c.Log.Warn("state of the sync not kept", "project", c.Found.Root, "err", err)
	}
}

// Last says where the notes travel, and when a sync ended well last.
func (c *Copy) Last() (travels string, last time.Time) {
	travels = c.Found.Carry.Ref + " of " + c.Found.Carry.Remote
	if at := c.server(); at.URL != "" {
		travels = at.Project + " of " + at.URL
	}
	return travels, c.loadState().Last
}
