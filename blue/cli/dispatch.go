package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/errors"
)

// dispatch runs the command that a line names, args[0] being the program's name.
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
	c.Command = command
	switch err := set.Parse(rest); {
	case errors.Is(err, flag.ErrHelp):
		return help(app, command)
	case err != nil && command.Name == "":
		return errors.Usage("blue has no flag %q before a command", rest[0]).Hint("", "", "see: blue --help")
	case err != nil:
		return badFlag(command, err)
	}
	return command.Action(c)
}

// flagFault is what the standard library says of a value that is none of its flag.
var flagFault = regexp.MustCompile(`^invalid (boolean )?value (".*") for (?:flag )?-([a-z-]+):`)

// badFlag says which value a flag cannot have, and what it takes.
func badFlag(command *cli.Command, err error) error {
	m := flagFault.FindStringSubmatch(err.Error())
	if m == nil {
		return errors.Usage("%w", err).Hint("", "", "see: blue "+command.Name+" --help")
	}
	value, _ := strconv.Unquote(m[2]) // the library has quoted it
	want := "a number"
	if m[1] != "" {
		want = "true or false"
	}
	for _, f := range command.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && f.Names()[0] == m[3] {
			want = "a time such as 30m or 24h"
		}
	}
	return errors.BadValue("--"+m[3], value, want)
}

// help prints what a command takes, or, for the program itself, its commands.
func help(app *cli.App, command *cli.Command) error {
	name, usage, usageText, text := "blue "+command.Name, command.Usage, command.UsageText, command.Description
	if command.Name == "" {
		name, usage, usageText, text = app.Name, app.Usage, app.UsageText, app.Description
	}
	usageText = cmp.Or(usageText, strings.TrimSpace(name+" [command options] "+command.ArgsUsage))
	var b strings.Builder
	fmt.Fprintf(&b, "NAME:\n   %s - %s\n\nUSAGE:\n   %s\n", name, usage, usageText)
	if text != "" {
		fmt.Fprintf(&b, "\nDESCRIPTION:\n   %s\n", strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n   "), "   \n", "\n"))
	}
	title, flags := "OPTIONS", command.Flags
	if command.Name == "" {
		title = "GLOBAL OPTIONS"
		b.WriteString("\nCOMMANDS:\n")
		writeRows(&b, commandRows(app))
	}
	fmt.Fprintf(&b, "\n%s:\n", title)
	writeRows(&b, flagRows(flags))
	_, err := io.WriteString(app.Writer, b.String())
	return err
}

func commandRows(app *cli.App) (rows [][2]string) {
	for _, c := range app.Commands {
		if !c.Hidden {
			rows = append(rows, [2]string{strings.Join(c.Names(), ", "), c.Usage})
		}
	}
	return rows
}

// flagRows are the flags as the library describes each: the flag, a tab, the text.
func flagRows(flags []cli.Flag) (rows [][2]string) {
	for _, f := range flags {
		name, text, _ := strings.Cut(strings.ReplaceAll(f.String(), "\n", " "), "\t")
		rows = append(rows, [2]string{name, text})
	}
	return append(rows, [2]string{"--help, -h", "show help"})
}

// writeRows writes two columns.
func writeRows(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		fmt.Fprintf(b, "   %-*s  %s\n", width, row[0], row[1])
	}
}
