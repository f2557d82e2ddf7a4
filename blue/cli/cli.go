// Package cli is the terminal door: it turns a command line into one verb of
// package blue, or of setup or transfer, and prints what comes back. It decides nothing
// itself.
//
// Each verb has a file that opens with the command line it implements. A command
// names the flags, fills the struct of the verb, and hands it on; [door.show]
// prints every result and [door.fail] every failure, as text or, with --json, as
// the object that the tool of the same name returns.
package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// Run runs a command line, args[0] being the program's name, and returns the
// exit code.
func Run(ctx context.Context, args []string, std IO, b *blue.Blue, serve Serve) (code int) {
	d := &door{std: std, b: b, serve: serve}
	app := d.app()
	args, err := d.ordered(app, args)
	if err == nil {
		err = d.dispatch(ctx, app, args)
	}
	if err != nil {
		d.fail(err)
		return exitCode(err)
	}
	return d.code
}

func (d *door) app() *cli.App {
	return &cli.App{
		Name: "blue", Usage: "a project's notes for coding agents and the people beside them",
		UsageText: "blue COMMAND [options] [arguments]", Description: about, Writer: d.std.Out, Commands: d.commands(),
	}
}

// about is what the first page of help and the manual say.
const about = `To begin: blue init in your project, blue write to add a note, blue search to
find it, and blue setup to give both to a coding agent.

The project is that of --cwd, else of BLUE_PROJECT, else of the working directory:
blue where says which, and why. ID is a note's id or the start of it; options may
stand before or behind the arguments.

--json prints one object, with every command but completion, demo, hook, man, mcp
and ui.
Colours and layout are for terminals alone; NO_COLOR=1 turns colours off.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 note not found, 4 no project,
5 conflict, 6 refused (secret, hidden text, size, trust).`

func (d *door) commands() []*cli.Command {
	commands := []*cli.Command{
		d.initCommand(), d.where(), d.write(), d.read(), d.search(), d.context(), d.list(), d.edit(), d.remove(),
		d.history(), d.restore(), d.check(), d.review(), d.reindex(), d.trust(), d.projects(), d.sync(), d.setupCommand(), d.doctor(), d.importCommand(), d.export(), d.hook(), d.mcp(), d.server(), d.ui(), d.demo(), d.completion(), d.man(), d.version(), d.completing(), d.probe(),
	}
	for _, c := range commands {
		c.UsageText = strings.Join(strings.Fields("blue "+c.Name+" [options] "+c.ArgsUsage), " ")
		for _, f := range c.Flags {
			plainDefault(f)
		}
	}
	return commands
}

// plainDefault keeps the library from printing zeros as defaults.
func plainDefault(f cli.Flag) {
	if f, ok := f.(*cli.BoolFlag); ok {
		f.DisableDefaultText = true
	}
}

// unknown runs when the first word names no command.
func (d *door) unknown(c *cli.Context) error {
	if !c.Args().Present() {
		return help(c.App, c.Command)
	}
	name := c.Args().First()
	e := errors.Usage("there is no command %q", name)
	for _, command := range c.App.Commands {
		if strings.HasPrefix(command.Name, name[:1]) {
			e.Hint("", "", "did you mean: blue "+command.Name)
		}
	}
	return e.Hint("", "", "see: blue --help")
}

// ordered moves the flags of a command before its arguments, for the library
// reads none after the first argument; `--` ends the flags. A single dash that is
// no flag stays text.
func (d *door) ordered(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	d.json = slices.Contains(args, "--json")
	command := commandNamed(app, args[1])
	if command == nil || command.SkipFlagParsing {
		return args, nil
	}
	var flags, words, named []string
	for rest := args[2:]; len(rest) > 0; rest = rest[1:] {
		word := rest[0]
		if word == "--" {
			words = append(words, rest[1:]...)
			break
		}
		flag := hyphened(word)
		name, _, assigned := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		takes, known := flagNamed(command, name)
		if strings.HasPrefix(word, "--") && (name == "cwd" || name == "project" && command.Name == "mcp") && slices.Contains(named, name) {
			return nil, errors.Usage("flag %q is given twice", "--"+name).Hint("", "", "name one directory")
		}
		named = append(named, name)
		switch {
		case !strings.HasPrefix(word, "-") || word == "-" || !known && !strings.HasPrefix(word, "--"):
			words = append(words, word)
		case !known:
			return nil, errors.Usage("blue %s has no flag %q", command.Name, word).
				Hint("", "", "its flags: "+strings.Join(flagNames(command), ", ")+"; after -- everything is text")
		case takes && !assigned && len(rest) == 1:
			return nil, errors.Usage("flag %q of blue %s needs a value", word, command.Name).
				Hint("", "", "see: blue "+command.Name+" --help")
		case takes && !assigned:
			flags = append(flags, flag, rest[1])
			rest = rest[1:]
		default:
			flags = append(flags, flag)
		}
	}
	return slices.Concat(args[:2], flags, []string{"--"}, words), nil
}

// hyphened is a flag as the commands spell it. The arguments of tools have
// underscores, so a person may type those too.
func hyphened(word string) string {
	name, value, assigned := strings.Cut(word, "=")
	if name = strings.ReplaceAll(name, "_", "-"); assigned {
		return name + "=" + value
	}
	return name
}

func commandNamed(app *cli.App, name string) *cli.Command {
	for _, c := range app.Commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// flagNames are the flags of a command as they are typed.
func flagNames(command *cli.Command) (names []string) {
	for _, f := range command.Flags {
		names = append(names, "--"+f.Names()[0])
	}
	return names
}

// flagNamed reports whether a command knows a flag, and whether that takes a value.
func flagNamed(command *cli.Command, name string) (takes, known bool) {
	if name == "help" || name == "h" {
		return false, true
	}
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool, true
		}
	}
	return false, false
}
