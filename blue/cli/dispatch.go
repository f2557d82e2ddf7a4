package cli

import (
	"context"
	"flag"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"blue/errors"
	"blue/marker/mount"
)

// dispatch runs the command that args names. args[0] is the program's name.
//
// The library's App.Run is not used: its help is written with text/template, which
// calls methods by name, so that the linker must keep every method in the program:
// 2.8 MB. .ci/release looks at the size.
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
		for _, dir := range d.b.Directories() {
			if mount.Check(dir) != nil {
				return errors.E(errors.FSTimeout, "%s did not answer in time, and Blue keeps its own files there",
					errors.Path(dir)).
					Hint("", "", "check the mount")
			}
		}
	}
	d.watch(command.Name)
	defer d.progress.end()
	return command.Action(c)
}

// homeless lists the commands that do not wait for files of the user.
var homeless = []string{"", "hook", "version", "man", "completion", mount.Probe}

// flagFault matches the standard library's message for an invalid flag value.
var flagFault = regexp.MustCompile(`^invalid (boolean )?value (".*") for (?:flag )?-([a-z-]+):`)

// badFlag returns an error that names the invalid value and what the flag takes.
func badFlag(command *cli.Command, err error) error {
	m := flagFault.FindStringSubmatch(err.Error())
	if m == nil {
		return errors.Usage("%w", err).Hint("", "", "see: blue "+command.Name+" --help")
	}
	value, _ := strconv.Unquote(m[2]) // quoted by the library
	want := "a number"
	if m[1] != "" {
		want = "true or false"
	}
	for _, f := range command.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && f.Names()[0] == m[3] {
			want = "a time such as 30m or 24h"
		}
	}
	return errors.BadValue(m[3], value, want)
}
