package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// call returns what names the project: --cwd, BLUE_PROJECT and the working directory. A relative
// --cwd is relative to the working directory.
func (d *door) call(c *cli.Context) blue.Call {
	call := d.callFrom(c.String("cwd"), c.IsSet("cwd"))
	call.Plain = !c.Bool("verbose")
	return call
}

// callFrom is call with the value of --cwd, if given.
func (d *door) callFrom(cwd string, given bool) blue.Call {
	var all []marker.Candidate
	if given {
		all = append(all, marker.Candidate{Source: marker.Argument, Value: d.absolute(cwd)})
	}
	all = append(all, marker.Candidate{Source: marker.Env, Value: d.b.Env("BLUE_PROJECT")}, d.b.Process(d.std.Dir))
	return blue.Call{Cwd: d.std.Dir, Door: marker.Door{Terminal: true}, From: slices.Values(all)}
}

// absolute makes a path absolute and clean. Values that are no plain path are returned unchanged.
func (d *door) absolute(dir string) string {
	switch {
	case filepath.IsAbs(dir):
		return filepath.Clean(dir)
	case dir == "" || d.std.Dir == "" || strings.HasPrefix(strings.ToLower(dir), "file:"):
		return dir
	}
	return filepath.Join(d.std.Dir, dir)
}

// verb returns a command that works on a project. run fills the input of the verb and calls it.
func (d *door) verb(command *cli.Command, run func(c *cli.Context, p *blue.Project) (result, error)) *cli.Command {
	command.Flags = append(command.Flags, cwdFlag(), jsonFlag(), verboseFlag())
	command.Action = func(c *cli.Context) error {
		if at := c.String("server"); at != "" {
			return d.runOnServer(c, at, run)
		}
		open := d.b.Open
		if c.Bool("personal") {
			open = d.b.OpenPersonal
		}
		p, err := open(c.Context, d.call(c))
		if err != nil {
			return err
		}
		return d.answer(run(c, p))
	}
	return command
}

// wrongArguments returns an error that states the expected and the given arguments.
func wrongArguments(c *cli.Context, takes string) error {
	given := blue.Plural(c.NArg(), "argument") + " were given"
	switch c.NArg() {
	case 0:
		given = "no argument was given"
	case 1:
		given = "1 argument was given"
	}
	return errors.Usage("blue %s takes %s; %s", c.Command.Name, takes, given).
		Hint("", "", "see: blue "+c.Command.Name+" --help")
}

// runOnServer runs a command on the notes of a server. It shows the result once the server has
// stored it.
func (d *door) runOnServer(c *cli.Context, at string, run func(c *cli.Context, p *blue.Project) (result, error)) (err error) {
	var r result
	on := blue.OnServer{URL: at, Project: c.String("project"), Send: c.Command.Name == "import" && !c.Bool("dry-run")}
	err = d.b.WorkOnServer(c.Context, on, func(p *blue.Project) (err error) {
		r, err = run(c, p)
		return err
	})
	return d.answer(r, err)
}

// serverFlags returns the flags of commands that also work on the notes of a server.
func serverFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Usage: "the `URL` of a blue server whose notes are meant"},
		&cli.StringFlag{Name: "project", Usage: "the project `NAME` on that server"},
	}
}

// oneArgument returns the only argument of a command.
func oneArgument(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", wrongArguments(c, "one "+what)
	}
	return c.Args().First(), nil
}
