package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/setup"
	"blue/errors"
)

func (d *door) initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "make a directory a project (default: the working directory)", ArgsUsage: "[DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the project in replies (default: the name of the directory)"},
			&cli.BoolFlag{Name: "own", Usage: "in a linked git worktree: make a project of its own, apart from that of the main tree"},
			&cli.BoolFlag{Name: "personal", Usage: "make a project for notes about yourself, in your data directory"},
			&cli.StringFlag{Name: "cwd", Aliases: []string{"C"}, Usage: "start from `DIR` instead of the working directory"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongArguments(c, "one directory")
			}
			if c.IsSet("cwd") {
				d.std.Dir = d.absolute(c.String("cwd"))
			}
			dir := d.std.Dir
			if c.NArg() == 1 {
				dir = d.absolute(c.Args().First())
			}
			if c.Bool("personal") && (c.NArg() > 0 || c.Bool("own")) {
				return errors.Exclusive("--personal", "DIR", "--own")
			}
			return d.answer(d.b.Init(c.Context, blue.NewProject{Dir: dir, Name: c.String("name"), Own: c.Bool("own"), Personal: c.Bool("personal"), Read: d.std.Width > 0 && !d.json}))
		},
	}
}

func (d *door) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "give Blue to a coding agent; without CLIENT, list those on this machine and offer to do it", ArgsUsage: "[CLIENT]",
		Description: "Writes the MCP entry, the hooks by which Blue speaks unasked, and a short block in the file that the\n" +
			"model reads, and keeps every other byte of those files. A second run changes nothing. Hooks do nothing\n" +
			"on a machine without Blue, so that the files can be committed. At the end it runs the hook once, as the\n" +
			"client does when a session begins, and prints what the model reads. Exit code 1 when the hooks cannot\n" +
			"work, because blue is not on your PATH or fails.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scope", Usage: "`SCOPE` of the files: project (to commit; the default where the client has one) or user (your own)"},
			&cli.StringFlag{Name: "only", Usage: "only these `PARTS`, separated by commas: mcp, hooks, instructions"},
			&cli.BoolFlag{Name: "no-nudge", Usage: "leave out the hook that asks for a note at the end of a session that changed files"},
			&cli.BoolFlag{Name: "allow", Usage: "also let the model use Blue's tools without a question"},
			&cli.StringFlag{Name: "http", Usage: "register the server at `URL` instead of a command; running means the one that runs now"},
			&cli.BoolFlag{Name: "print", Usage: "only show the files, and the client's own command for the entry"},
			&cli.BoolFlag{Name: "remove", Usage: "remove everything that setup wrote"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would change"},
			&cli.BoolFlag{Name: "force", Usage: "exit with 0 although the hooks cannot work on this machine"},
			&cli.BoolFlag{Name: "agents-md", Usage: "keep the block in AGENTS.md, whatever the client reads; needs no CLIENT"},
			&cli.StringFlag{Name: "plugin", Usage: "write a plugin for Claude Code and Codex, and an extension for Gemini CLI, to the empty or new `DIR`"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			r := setup.Registration{
				Client: c.Args().First(), Scope: c.String("scope"), HTTP: c.String("http"),
				Only: c.String("only"), NoNudge: c.Bool("no-nudge"), Allow: c.Bool("allow"),
				Print: c.Bool("print"), Remove: c.Bool("remove"), DryRun: c.Bool("dry-run"), Force: c.Bool("force"), AgentsMD: c.Bool("agents-md"),
			}
			if c.NArg() > 1 {
				return wrongArguments(c, "one CLIENT")
			}
			if dir := c.String("plugin"); dir != "" {
				if c.NArg() > 0 || r != (setup.Registration{}) {
					return errors.Exclusive("--plugin", "CLIENT or another flag")
				}
				return d.answer(d.machine().Plugin(d.absolute(dir)))
			}
			if r == (setup.Registration{}) {
				return d.offerClients(c)
			}
			if err := d.answer(d.machine().Setup(c.Context, d.call(c), r)); err != nil || r.Print || r.Remove || r.DryRun || r.AgentsMD {
				return err
			}
			return d.offerSessions()
		},
	}
}

// mayAsk reports whether somebody at a terminal can be asked.
func (d *door) mayAsk() bool { return d.std.Typed && d.std.Watched && !d.json }

// ask asks a question at the terminal. No answer means no.
func (d *door) ask(question string) (yes bool) {
	fmt.Fprint(d.std.Err, question+" [y/N] ")
	line, _ := d.readLine()
	answer := strings.ToLower(line)
	return answer == "y" || answer == "yes"
}

// offerSessions asks, once and for all, whether past sessions are to be searched.
func (d *door) offerSessions() error {
	if !d.mayAsk() || d.b.Env("CI") != "" || d.b.SessionsDecided() {
		return nil
	}
	return d.b.SwitchSessions(d.ask("Also search what you and your agents said in past sessions? It stays on this machine, for you alone; blue sessions --off ends it."))
}

// offerClients lists the clients and, on a terminal, offers to set up those that were found.
func (d *door) offerClients(c *cli.Context) error {
	known, err := d.machine().Clients(c.Context, d.call(c))
	if err != nil {
		return err
	}
	if err := d.show(known); err != nil || !d.mayAsk() || known.Project == nil || len(known.Clients) == 0 {
		return err
	}
	if !d.ask(fmt.Sprintf("Set up all that were found (%d) now?", len(known.Clients))) {
		return nil
	}
	for _, seen := range known.Clients {
		done, err := d.machine().Setup(c.Context, d.call(c), setup.Registration{Client: seen.Client})
		if err != nil {
			d.fail(err)
			d.code = exitCode(err)
			continue
		}
		if err := d.show(done); err != nil {
			return err
		}
	}
	return d.offerSessions()
}

// machine returns the input of setup and doctor.
func (d *door) machine() setup.Machine { return setup.Machine{Blue: d.b, Self: d.std.Self} }
