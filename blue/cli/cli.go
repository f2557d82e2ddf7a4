// Package cli implements the command line. Each command calls one verb of package blue, setup or
// transfer and prints its result.
//
// Commands of one subject share a file. Each declares its flags and fills the input of its verb.
// [door.show] prints results and [door.fail] prints errors, as text or, with --json, as the object
// that the MCP tool of the same name returns.
package cli

import (
	"context"
	"flag"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// Run runs a command line and returns the exit code. args[0] is the program's name.
func Run(ctx context.Context, args []string, std IO, b *blue.Blue, serve Servers) (code int) {
	d := &door{std: std, out: &output{Writer: std.Out}, b: b, serve: serve}
	app := d.app()
	args, err := d.ordered(app, args)
	if err == nil {
		err = d.dispatch(ctx, app, args)
	}
	if err == nil {
		err = d.out.failed
	}
	switch {
	case err == nil, d.out.failed != nil && errors.Is(err, syscall.EPIPE): // as head leaves
		return d.code
	case ctx.Err() != nil && errors.Of(err).Kind == errors.Internal: // Ctrl-C needs no message
		return interrupted
	}
	d.fail(err)
	return exitCode(err)
}

func (d *door) app() *cli.App {
	return &cli.App{
		Name: "blue", Usage: "a project's notes for coding agents and the people beside them",
		UsageText: "blue [-C DIR] COMMAND [options] [arguments]", Description: about, Writer: d.out, Commands: d.commands(),
	}
}

// about is the description in the manual; the first page of help is shorter.
const about = `To begin: blue init in your project, blue write to add a note, blue search to
find it, and blue setup to give both to a coding agent.

The project is that of -C DIR or --cwd DIR, else of BLUE_PROJECT, else of the working
directory: blue where says which, and why. ID is a note's id or the start of it. Options
may stand before or behind the arguments, -C DIR and --json before the command too; behind
-- everything is text.

--json prints one object, with every command but completion, demo, hook, man,
mcp and ui.
Colours and layout are for terminals alone; NO_COLOR=1 turns colours off.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 note not found, 4 no project,
5 conflict, 6 refused (secret, hidden text, size, trust), 130 ended by Ctrl-C.`

// chapter is a group of commands on the first page of help.
type chapter struct {
	title    string
	short    bool // list names only
	commands []*cli.Command
}

func (d *door) chapters() []chapter {
	return []chapter{
		{"Begin", false, []*cli.Command{d.initCommand(), d.setupCommand(), d.where(), d.ui()}},
		{"Notes", false, []*cli.Command{d.write(), d.read(), d.search(), d.list(), d.edit(), d.remove(), d.mv()}},
		{"What has changed", true, []*cli.Command{d.log(), d.diff(), d.history(), d.restore(), d.trash(), d.resolve()}},
		{"More of notes", true, []*cli.Command{d.open(), d.path(), d.tags(), d.context(), d.sessions()}},
		{"Care", true, []*cli.Command{d.check(), d.review(), d.stats(), d.trust(), d.doctor(), d.reindex()}},
		{"Sharing", true, []*cli.Command{d.sync(), d.importCommand(), d.export(), d.projects()}},
		{"For agents", true, []*cli.Command{d.mcp(), d.hook(), d.server()}},
		{"Blue itself", true, []*cli.Command{d.demo(), d.completion(), d.man(), d.version()}},
	}
}

func (d *door) commands() (commands []*cli.Command) {
	for _, of := range d.chapters() {
		commands = append(commands, of.commands...)
	}
	commands = append(commands, d.completing(), d.probe())
	for _, c := range commands {
		if slices.Contains(paged, c.Name) {
			c.Flags = append(c.Flags, noPagerFlag())
		}
		c.UsageText = strings.Join(strings.Fields("blue "+c.Name+" [options] "+c.ArgsUsage), " ")
		for _, f := range c.Flags {
			if f, ok := f.(*cli.BoolFlag); ok {
				f.DisableDefaultText = true // the library would print false as the default
			}
		}
	}
	return commands
}

// unknown reports an unknown command and suggests similar names.
func (d *door) unknown(c *cli.Context) error {
	if !c.Args().Present() {
		return d.help(c.App, c.Command)
	}
	name := c.Args().First()
	e := errors.Usage("there is no command %q", name)
	var near []string
	for _, command := range c.App.Commands {
		if !command.Hidden && resembles(name, command.Name) {
			near = append(near, "blue "+command.Name)
		}
	}
	if len(near) > 0 {
		e.Hint("", "", "did you mean: "+strings.Join(near, ", "))
	}
	return e.Hint("", "", "see: blue --help")
}

// resembles reports whether word may be a mistyped command: letters are missing or swapped, or
// wrong after the first three.
func resembles(word, command string) bool {
	left := word
	for _, letter := range []byte(command) {
		left = strings.TrimPrefix(left, string(letter))
	}
	return left == "" || sortLetters(word) == sortLetters(command) || len(word) > 2 && strings.HasPrefix(command, word[:3])
}

func sortLetters(word string) string {
	return string(slices.Sorted(slices.Values([]byte(word))))
}

// dispatch runs the command that args names. args[0] is the program's name.
//
// It replaces the library's App.Run, whose help is written with text/template.
func (d *door) dispatch(ctx context.Context, app *cli.App, args []string) error {
	command := &cli.Command{Action: d.unknown}
	rest := args[min(1, len(args)):]
	if len(rest) > 0 {
		if named := commandNamed(app, rest[0]); named != nil {
			command, rest = named, rest[1:]
		}
	}
	if command.SkipFlagParsing {
		rest = append([]string{"--"}, rest...)
	}
	set := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range command.Flags {
		if err := f.Apply(set); err != nil {
			return err
		}
	}
	c := cli.NewContext(app, set, &cli.Context{Context: ctx})
	c.Command, d.of = command, command
	switch err := set.Parse(rest); {
	case errors.Is(err, flag.ErrHelp):
		return d.help(app, command)
	case err != nil:
		return badFlag(command, err)
	case c.NArg() > 0 && command.Name != "" && command.ArgsUsage == "" && !command.SkipFlagParsing:
		return errors.Usage("blue %s takes no arguments; %q was given", command.Name, c.Args().First()).
			Hint("", "", "see: blue "+command.Name+" --help")
	}
	if !slices.Contains(homeless, command.Name) {
		if err := d.checkDirectories(); err != nil {
			return err
		}
	}
	d.paged = slices.Contains(paged, command.Name) && !c.Bool("no-pager") && d.std.Width > 0
	d.watch(command.Name)
	defer d.progress.end()
	return command.Action(c)
}

// checkDirectories returns an error if Blue's own files lie on a mount that hangs.
func (d *door) checkDirectories() error {
	for _, dir := range d.b.Directories() {
		if marker.CheckMount(dir) != nil {
			return errors.E(errors.FSTimeout, "%s did not answer in time, and Blue keeps its own files there", errors.Path(dir)).
				Hint("", "", "check the mount")
		}
	}
	return nil
}

// paged lists the commands that only show something, but for trash --empty.
var paged = []string{
	"read", "search", "list", "tags", "context", "log", "diff", "history", "trash", "check", "review", "stats", "projects", "doctor", "man", "sessions",
}

// homeless lists the commands that do not wait for files of the user.
var homeless = []string{"", "hook", "version", "man", "completion", marker.ProbeCommand}
