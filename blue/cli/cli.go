// Package cli implements the command line. Each command calls one verb of package blue, setup or
// transfer and prints its result.
//
// Commands of one subject share a file. Each declares its flags and fills the input of its verb.
// [door.show] prints results and [door.fail] prints errors, as text or, with --json, as the object
// that the MCP tool of the same name returns.
package cli

import (
	"context"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// Run runs a command line and returns the exit code. args[0] is the program's name.
func Run(ctx context.Context, args []string, std IO, b *blue.Blue, serve Servers) (code int) {
	d := &door{std: std, out: &output{Writer: std.Out}, b: b, serve: serve}
	app := d.app()
	args, err := d.ordered(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
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

// helpFlag returns the flag --help. Each command has its own, because the library's is one variable for
// all runs at the same time.
func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help", DisableDefaultText: true}
}

func (d *door) app() *cli.App {
	return &cli.App{
		Name: "blue", Usage: "a project's notes for coding agents and the people who work with them",
		UsageText: "blue [-C DIR] COMMAND [options] [arguments]", Description: about, Writer: d.out, Commands: d.commands(),
		Action: d.unknown, ExitErrHandler: func(*cli.Context, error) {}, HideHelp: true, Flags: []cli.Flag{helpFlag()},
	}
}

// about is the description on the first page of help.
const about = `To begin: blue init in your project, blue write to add a note, blue search to
find it, and blue setup to give both to a coding agent. blue help COMMAND says
what a command takes, blue man everything.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 note not found, 4 no project,
5 conflict, 6 refused (secret, hidden text, size, trust), 130 ended by Ctrl-C.`

// commands returns the commands in the order of help: to begin, for notes, what has changed, more of
// notes, care, sharing, for agents, and Blue itself.
func (d *door) commands() []*cli.Command {
	commands := []*cli.Command{
		d.initCommand(), d.setupCommand(), d.where(), d.ui(),
		d.write(), d.read(), d.search(), d.list(), d.edit(), d.remove(), d.mv(),
		d.log(), d.diff(), d.history(), d.restore(), d.trash(), d.resolve(),
		d.open(), d.path(), d.tags(), d.context(), d.sessions(),
		d.check(), d.review(), d.accept(), d.reject(), d.stats(), d.trust(), d.doctor(), d.reindex(),
		d.sync(), d.importCommand(), d.export(), d.projects(),
		d.mcp(), d.hook(), d.server(),
		d.demo(), d.completion(), d.man(), d.version(),
		d.completing(),
	}
	for _, c := range commands {
		d.setCommon("blue", c)
	}
	return commands
}

// setCommon sets what all commands have in common, in a command and its subcommands.
func (d *door) setCommon(parent string, c *cli.Command) {
	if slices.Contains(paged, c.Name) {
		c.Flags = append(c.Flags, noPagerFlag())
	}
	c.UsageText = strings.Join(strings.Fields(parent+" "+c.Name+" [options] "+c.ArgsUsage), " ")
	c.HideHelp, c.Flags = true, append(c.Flags, helpFlag())
	c.Before, c.After = d.before, d.after
	c.OnUsageError = func(c *cli.Context, err error, _ bool) error {
		d.of = c.Command
		return badFlag(c.Command, err)
	}
	for _, f := range c.Flags {
		if f, ok := f.(*cli.BoolFlag); ok {
			f.DisableDefaultText = true // the library would print false as the default
		}
	}
	for _, sub := range c.Subcommands {
		d.setCommon(parent+" "+c.Name, sub)
	}
}

// before prepares the command that is about to run.
func (d *door) before(c *cli.Context) error {
	command := c.Command
	if command.Command(c.Args().First()) != nil {
		return nil // that one is about to run
	}
	d.of = command
	if c.NArg() > 0 && command.ArgsUsage == "" && !command.SkipFlagParsing && len(command.Subcommands) == 0 {
		return errors.Usage("%s takes no arguments; %q was given", command.HelpName, c.Args().First()).
			Hint("", "", "see: "+command.HelpName+" --help")
	}
	d.paged = slices.Contains(paged, command.Name) && !c.Bool("no-pager") && d.std.Width > 0
	d.watch(command.Name)
	return nil
}

func (d *door) after(*cli.Context) error {
	d.progress.end()
	return nil
}

// unknown shows the help of a command without an action of its own, or reports an unknown one of its
// commands.
func (d *door) unknown(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowSubcommandHelp(c)
	}
	name, e := c.Args().First(), errors.Usage("%s has no command %q", c.Command.HelpName, c.Args().First())
	var known []string
	for _, command := range c.Command.Subcommands {
		if !command.Hidden {
			known = append(known, command.Name)
		}
	}
	if name == "undo" {
		e.Hint("restore", "ID", "to bring back a removed note or a former text")
	} else if near := errors.Near(name, known...); len(near) > 0 {
		e.Hint("", "", "did you mean: "+c.Command.HelpName+" "+strings.Join(near, ", "))
	}
	return e.Hint("", "", "see: "+c.Command.HelpName+" --help")
}

// paged lists the commands that only show something, but for trash --empty.
var paged = []string{
	"read", "search", "list", "tags", "context", "log", "diff", "history", "trash", "check", "review", "stats", "projects", "doctor", "man", "sessions",
}
