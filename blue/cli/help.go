package cli

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpWidth is how wide help is where it is not read on a terminal.
const helpWidth = 1000

// help prints what a command takes, or, for the program itself, its commands.
func (d *door) help(app *cli.App, command *cli.Command) error {
	p := &pen{color: d.std.Color && d.std.Width > 0, room: helpWidth}
	if d.std.Width > 0 {
		p.room = min(d.std.Width, measure)
	}
	if command.Name == "" {
		d.firstPage(p, app)
	} else {
		p.part("NAME", [2]string{"blue " + command.Name, command.Usage})
		p.part("USAGE", [2]string{command.UsageText, ""})
		if len(command.Aliases) > 0 {
			p.part("ALSO", [2]string{"blue " + strings.Join(command.Aliases, ", blue "), ""})
		}
		if command.Description != "" {
			p.part("DESCRIPTION")
			p.indented(command.Description)
		}
		p.part("OPTIONS", flagRows(command.Flags)...)
	}
	_, err := io.WriteString(app.Writer, strings.TrimPrefix(p.String(), "\n"))
	return err
}

// firstPage is what a newcomer needs, on one screen.
func (d *door) firstPage(p *pen, app *cli.App) {
	p.lines(wrapLines(toGlyphs("blue - "+app.Usage, 0), p.room))
	p.lines(wrapLines(toGlyphs("Usage: "+app.UsageText, 0), p.room))
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
		p.part(strings.ToUpper(of.title), rows...)
	}
	p.part("MORE COMMANDS", more...)
	p.tail("blue help COMMAND says what a command takes, blue man everything. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 note not found, 4 no project, 5 conflict, 6 refused.")
}

// flagRows are the flags, each with all its names.
func flagRows(flags []cli.Flag) (rows [][2]string) {
	for _, f := range flags {
		word, usage := describeFlag(f)
		rows = append(rows, [2]string{strings.TrimSpace(strings.Join(dashed(f), ", ") + " " + word), usage})
	}
	return append(rows, [2]string{"--help, -h", "show help"})
}

// dashed are the names of a flag as they are typed.
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

// describeFlag returns the word that stands for a flag's value, and what the flag does.
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

// part writes a heading and rows of two columns; where there is no room for both, the
// second stands below the first.
func (p *pen) part(title string, rows ...[2]string) {
	p.line(nil)
	p.line(toGlyphs(title+":", bold))
	const margin, gap, least = 3, 2, 30
	width := 0
	for _, row := range rows {
		if row[1] != "" {
			width = max(width, len(row[0]))
		}
	}
	indent := margin + width + gap
	below := p.room-indent < least
	if below {
		indent = 2 * margin
	}
	for _, row := range rows {
		first := append(padLine(nil, margin), toGlyphs(row[0], 0)...)
		switch {
		case row[1] == "":
			p.lines(addMargin(padLine(nil, margin), padLine(nil, margin), wrapLines(toGlyphs(row[0], 0), p.room-margin)))
			continue
		case below:
			p.line(first)
			first = padLine(nil, indent)
		}
		p.lines(addMargin(padLine(first, indent), padLine(nil, indent), wrapLines(toGlyphs(row[1], 0), p.room-indent)))
	}
}

// indented writes paragraphs; lines that are laid out in columns stay so.
func (p *pen) indented(text string) {
	for i, part := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.line(nil)
		}
		lines := strings.Split(part, "\n")
		if p.room < helpWidth && !strings.Contains(part, "  ") {
			lines = []string{strings.Join(lines, " ")}
		}
		for _, line := range lines {
			p.lines(addMargin(padLine(nil, 3), padLine(nil, 3), wrapLines(toGlyphs(line, 0), p.room-3)))
		}
	}
}
