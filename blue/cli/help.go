package cli

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue/cli/internal/term"
)

// help prints the help of a command or, for the program itself, the list of commands.
func (d *door) help(app *cli.App, command *cli.Command) error {
	p := term.New(term.Unbounded, false)
	if d.std.Width > 0 {
		p = term.New(min(d.std.Width, term.Measure), d.std.Color)
	}
	if command.Name == "" {
		d.firstPage(p, app)
	} else {
		p.Part("NAME", [2]string{"blue " + command.Name, command.Usage})
		p.Part("USAGE", [2]string{command.UsageText, ""})
		if len(command.Aliases) > 0 {
			p.Part("ALSO", [2]string{"blue " + strings.Join(command.Aliases, ", blue "), ""})
		}
		if command.Description != "" {
			p.Part("DESCRIPTION")
			p.Indented(command.Description)
		}
		p.Part("OPTIONS", flagRows(command.Flags)...)
	}
	_, err := io.WriteString(app.Writer, strings.TrimPrefix(p.String(), "\n"))
	return err
}

// firstPage prints help for newcomers on one screen.
func (d *door) firstPage(p *term.Pen, app *cli.App) {
	p.Paragraph("blue - "+app.Usage, 0)
	p.Paragraph("Usage: "+app.UsageText, 0)
	var more [][2]string
	for _, of := range d.chapters() {
		var rows [][2]string
		var names []string
		for _, c := range of.commands {
			usage, _, _ := strings.Cut(c.Usage, ";")
			rows = append(rows, [2]string{strings.Join(c.Names(), ", "), usage})
			names = append(names, c.Name)
		}
		if of.short {
			more = append(more, [2]string{of.title, strings.Join(names, ", ")})
			continue
		}
		p.Part(strings.ToUpper(of.title), rows...)
	}
	p.Part("MORE COMMANDS", more...)
	p.Tail("blue help COMMAND says what a command takes, blue man everything. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 note not found, 4 no project, 5 conflict, 6 refused.")
}

// flagRows returns a row per flag with all its names.
func flagRows(flags []cli.Flag) (rows [][2]string) {
	for _, f := range flags {
		word, usage := describeFlag(f)
		rows = append(rows, [2]string{strings.TrimSpace(strings.Join(dashed(f), ", ") + " " + word), usage})
	}
	return append(rows, [2]string{"--help, -h", "show help"})
}

// dashed returns the names of a flag with dashes.
func dashed(f cli.Flag) (names []string) {
	for _, name := range f.Names() {
		if len(name) == 1 {
			names = append(names, "-"+name)
		} else {
			names = append(names, "--"+name)
		}
	}
	return names
}

// describeFlag returns the placeholder of a flag's value and the flag's usage.
func describeFlag(f cli.Flag) (word, usage string) {
	if doc, ok := f.(cli.DocGenerationFlag); ok {
		usage = doc.GetUsage()
	}
	if parts := strings.Split(usage, "`"); len(parts) == 3 {
		word = parts[1]
	}
	usage = strings.ReplaceAll(usage, "`", "")
	switch f.(type) {
	case *cli.IntFlag, *cli.DurationFlag:
		usage += " (default: " + f.(cli.DocGenerationFlag).GetDefaultText() + ")"
	}
	return word, usage
}
