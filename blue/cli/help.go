package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue/setup"
)

func (d *door) man() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the manual page, which says what every --help says",
		Description: "Read it:     blue man | man -l -\nInstall it:  blue man >~/.local/share/man/man1/blue.1",
		Action: func(c *cli.Context) error {
			page, err := manual(c.App)
			if err != nil {
				return err
			}
			return d.page(page)
		},
	}
}

// using is the rest of the description in the manual.
const using = `The project is that of -C DIR or --cwd DIR, else of BLUE_PROJECT, else of the working
directory: blue where says which, and why. ID is a note's id or the start of it. Options
may stand before or behind the arguments, -C DIR and --json before the command too; behind
-- everything is text.

--json prints one object, with every command that ends by itself but completion, demo,
hook and man. Colours and layout are for terminals alone; NO_COLOR=1 turns colours off.`

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
than the home directory. A linked worktree of git without a .blue/ uses the notes of
the main tree; a .blue/ of its own makes it a project. When several projects are open,
changes need cwd.`

// variables lists the environment variables and their effect.
func variables() [][2]string {
	return [][2]string{
		{"BLUE_PROJECT", "the project for calls that name none"},
		{"BLUE_AUTHOR", "who writes; without it git's user.name, else USER"},
		{"BLUE_MCP_PORT", "the port of blue mcp --http HOST; 7865 without it"},
		{"BLUE_PAGER, PAGER", "what shows long output on a terminal; less without them, nothing if empty or cat"},
		{"VISUAL, EDITOR", "the editor of notes"},
		{"NO_COLOR", "1 turns colours off"},
		{"BLUE_STORE", "the URL of the database of blue server"},
		{"BLUE_PAGE_SECRET", "the secret of the client of blue server --page-client"},
		{"XDG_CACHE_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME", "where blue/ with indexes, state, tokens, and notes about yourself lies"},
	}
}

// manual returns the manual page in man(7) format.
func manual(app *cli.App) (string, error) {
	var b strings.Builder
	b.WriteString(app.Description + "\n\n" + using + "\n\n# HOW THE PROJECT IS FOUND\n\n" + finding + "\n\n# ENVIRONMENT\n\n")
	for _, v := range variables() {
		fmt.Fprintf(&b, "**%s**\n:   %s\n\n", v[0], v[1])
	}
	page := *app
	page.Description, page.Commands = b.String(), described(app.Commands)
	return page.ToManWithSection(1)
}

// described returns commands whose usage has the description too, which the library's manual leaves
// out. Paragraphs in columns are kept as they are.
func described(commands []*cli.Command) (all []*cli.Command) {
	for _, c := range commands {
		command := *c
		command.Flags = c.Flags[:len(c.Flags)-1] // without --help
		for part := range strings.SplitSeq(c.Description, "\n\n") {
			if strings.Contains(part, "  ") {
				part = "```\n" + part + "\n```"
			}
			command.Usage = strings.TrimSpace(command.Usage + "\n\n" + part)
		}
		command.Subcommands = described(c.Subcommands)
		all = append(all, &command)
	}
	return all
}

func (d *door) version() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the versions of Blue, Go and the MCP SDK",
		Flags:  []cli.Flag{jsonFlag()},
		Action: func(*cli.Context) error { return d.show(setup.ReadBuild()) },
	}
}
