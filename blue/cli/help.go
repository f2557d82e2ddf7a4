package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue/setup"
)

// help prints the help of a command or, for the program itself, the list of commands.
func (d *door) help(app *cli.App, command *cli.Command) error {
	p := newPen(unbounded, false)
	if d.std.Width > 0 {
		p = newPen(min(d.std.Width, measure), d.std.Color)
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
func (d *door) firstPage(p *pen, app *cli.App) {
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

func (d *door) man() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the manual page, which says what every --help says",
		Description: "Read it:     blue man | man -l -\nInstall it:  blue man >~/.local/share/man/man1/blue.1",
		Action: func(c *cli.Context) error {
			return d.page(manual(c.App))
		},
	}
}

// finding is the section on how the project is found.
const finding = `Over MCP the first of these that leads to a project decides: the argument cwd,
blue_use, blue mcp --project, the directory that Codex sends, the roots of the client,
what it said in initialize, over HTTP ?project_path= or the header Blue-Project, then
BLUE_PROJECT, and on standard input and output CLAUDE_PROJECT_DIR, the working
directory and WORKSPACE_FOLDER_PATHS.

A directory that somebody named on purpose (cwd, blue_use, --project, project_path,
BLUE_PROJECT) and that leads to no project fails the call. The others may be passed
over, with one exception, the stop rule: an open folder of the client that lies in no
project ends the search among them.

From the directory Blue walks up to the nearest .blue/, 20 levels at most, no further
than the home directory, a ceiling, and the file system. A linked worktree of git
without a .blue/ uses the notes of the main tree; "worktree: main" in its
.blue/project.yaml does so too, and a .blue/ of its own makes it a project. When
several projects are open, changes need cwd.`

// variables lists the environment variables and their effect.
func variables() [][2]string {
	return [][2]string{
		{"BLUE_PROJECT", "the project for calls that name none"},
		{"BLUE_AUTHOR", "who writes; without it git's user.name, else USER"},
		{"BLUE_CEILING_DIRECTORIES", "directories that end the walk, as in PATH"},
		{"BLUE_DISCOVERY_ACROSS_FILESYSTEM", "1 walks on to parents on other devices"},
		{"BLUE_MCP_PORT", "the port of blue mcp --http HOST; 7865 without it"},
		{"BLUE_PAGER, PAGER", "what shows long output on a terminal; less without them, nothing if empty or cat"},
		{"NO_COLOR", "1 turns colours off"},
		{"XDG_CACHE_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME", "where blue/ with indexes, state, and the token lies"},
	}
}

// manual returns the manual page in man(7) format.
func manual(app *cli.App) string {
	r := &roff{}
	r.macro(".TH", "BLUE", "1", "", "Blue "+setup.Version(), "User Commands")
	r.macro(".SH", "NAME")
	r.text("blue - " + app.Usage)
	r.macro(".SH", "SYNOPSIS")
	r.text(app.UsageText)
	r.macro(".SH", "DESCRIPTION")
	r.paragraphs(app.Description)
	r.macro(".SH", "HOW THE PROJECT IS FOUND")
	r.paragraphs(finding)
	r.macro(".SH", "ENVIRONMENT")
	for _, v := range variables() {
		r.macro(".TP")
		r.verbatim(`\fB` + escaped(v[0]) + `\fR`)
		r.text(v[1])
	}
	r.macro(".SH", "COMMANDS")
	for _, c := range app.VisibleCommands() {
		r.macro(".SS", strings.TrimSpace("blue "+c.Name+" "+c.ArgsUsage))
		r.text(strings.ToUpper(c.Usage[:1]) + c.Usage[1:] + ".")
		if len(c.Aliases) > 0 {
			r.text("Also: blue " + strings.Join(c.Aliases, ", blue ") + ".")
		}
		if c.Description != "" {
			r.macro(".PP")
			r.paragraphs(c.Description)
		}
		for _, f := range c.Flags {
			r.flag(f)
		}
	}
	return r.String()
}

// roff writes man(7) format. A backslash begins an escape; a dot or quote at the start of a line
// begins a request.
type roff struct{ strings.Builder }

var roffEscape = strings.NewReplacer(`\`, `\(rs`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// macro writes a request with arguments.
func (r *roff) macro(name string, args ...string) {
	r.WriteString(name)
	for _, arg := range args {
		r.WriteString(` "` + escaped(arg) + `"`)
	}
	r.WriteByte('\n')
}

// text writes filled text in lines of at most 80 bytes.
func (r *roff) text(text string) {
	line := ""
	for _, word := range append(strings.Fields(text), "") {
		if word = escaped(word); word == "" || len(line)+len(word) > 78 {
			r.verbatim(line)
			line = word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
}

// verbatim writes an escaped line.
func (r *roff) verbatim(line string) {
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	r.WriteString(line + "\n")
}

// escaped escapes roff syntax and non-ASCII characters.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range roffEscape.Replace(text) {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}

// paragraphs writes paragraphs. Those laid out in columns are kept verbatim.
func (r *roff) paragraphs(text string) {
	for i, part := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.macro(".PP")
		}
		if !strings.Contains(part, "  ") {
			r.text(part)
			continue
		}
		r.macro(".nf")
		for line := range strings.Lines(part) {
			r.verbatim(escaped(strings.TrimRight(line, "\n")))
		}
		r.macro(".fi")
	}
}

// flag writes a flag with its placeholder in italics.
func (r *roff) flag(f cli.Flag) {
	r.macro(".TP")
	names := dashed(f)
	for i, name := range names {
		names[i] = `\fB` + escaped(name) + `\fR`
	}
	word, usage := describeFlag(f)
	if word != "" {
		word = ` \fI` + escaped(word) + `\fR`
	}
	r.verbatim(strings.Join(names, ", ") + word)
	r.text(usage)
}

func (d *door) version() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the versions of Blue, Go and the MCP SDK",
		Flags:  []cli.Flag{jsonFlag()},
		Action: func(*cli.Context) error { return d.show(setup.ReadBuild()) },
	}
}
