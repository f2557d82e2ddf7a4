package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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
			&cli.BoolFlag{Name: "nested", Usage: "inside of another project: make a project of its own, with other notes"},
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
			if c.Bool("personal") && (c.NArg() > 0 || c.Bool("own") || c.Bool("nested")) {
				return errors.Exclusive("--personal", "DIR", "--own", "--nested")
			}
			return d.initialize(c.Context, blue.NewProject{Dir: dir, Name: c.String("name"), Own: c.Bool("own"), Nested: c.Bool("nested"), Personal: c.Bool("personal"), Read: !d.json})
		},
	}
}

// initialize makes a project, and goes on to the coding agents of the machine: at a terminal it asks which
// ones to set up, elsewhere it names them.
func (d *door) initialize(ctx context.Context, n blue.NewProject) error {
	made, err := d.b.Init(ctx, n)
	if errors.Is(err, errors.Exists) && d.mayAsk() {
		d.fail(err)
		if yes, failed := d.ask(ctx, "Make a project of its own?"); !yes {
			return failed
		}
		n.Own, n.Nested = true, true
		made, err = d.b.Init(ctx, n)
	}
	if err != nil || n.Personal {
		return d.answer(made, err)
	}
	call := d.callFrom(made.Project.Root, true)
	known, err := d.machine().Clients(ctx, call)
	if err != nil {
		return err
	}
	left := known.NotSetUp()
	for _, seen := range left {
		made.Clients = append(made.Clients, seen.Client)
	}
	made.Asks = d.mayAsk() && len(left) > 0
	if err := d.show(made); err != nil || !made.Asks {
		return err
	}
	chosen, err := d.askWhich(ctx, left)
	if err != nil {
		return err
	}
	return d.setUp(ctx, call, setup.Registration{}, chosen)
}

func (d *door) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "give Blue to a coding agent; without CLIENT, list those on this machine and offer to do it", ArgsUsage: "[CLIENT...]",
		Description: "Writes the MCP entry, the hooks by which Blue speaks unasked, a short block in the file that the model\n" +
			"reads, and a skill where the client reads skills. It keeps every other byte of those files. A second run\n" +
			"changes nothing. Hooks do nothing on a machine without Blue, so that the files can be committed. At the\n" +
			"end it runs the hook once, as the client does when a session begins, and prints what the model reads.\n" +
			"Exit code 1 when a file does not parse, or the hooks cannot work, because blue is not on your PATH or\n" +
			"fails.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scope", Usage: "`SCOPE` of the files: project (to commit; the default where the client has one) or user (your own)"},
			&cli.StringFlag{Name: "only", Usage: "only these `PARTS`, separated by commas: mcp, hooks, instructions, skill"},
			&cli.BoolFlag{Name: "no-nudge", Usage: "leave out the hook that asks for a note at the end of a session that changed files"},
			&cli.BoolFlag{Name: "allow", Usage: "also let the model use Blue's tools without a question"},
			&cli.StringFlag{Name: "http", Usage: "register the server at `URL` instead of a command; running means the one that runs now"},
			&cli.BoolFlag{Name: "print", Usage: "only show the files, and the client's own command for the entry"},
			&cli.BoolFlag{Name: "remove", Usage: "remove everything that setup wrote"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would change"},
			&cli.BoolFlag{Name: "force", Usage: "exit with 0 although the hooks cannot work on this machine"},
			&cli.BoolFlag{Name: "agents-md", Usage: "keep the block in AGENTS.md, whatever the client reads; needs no CLIENT"},
			&cli.StringFlag{Name: "plugin", Usage: "write a plugin for Claude Code, Codex and Copilot CLI, and an extension for Gemini CLI, to the empty or new `DIR`"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			r := setup.Registration{
				Client: c.Args().First(), Scope: c.String("scope"), HTTP: c.String("http"),
				Only: c.String("only"), NoNudge: c.Bool("no-nudge"), Allow: c.Bool("allow"),
				Print: c.Bool("print"), Remove: c.Bool("remove"), DryRun: c.Bool("dry-run"), Force: c.Bool("force"), AgentsMD: c.Bool("agents-md"),
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
			if c.NArg() == 0 && !r.AgentsMD {
				return errors.Usage("these flags need a client: blue setup CLIENT [FLAGS]").Hint("setup", "", "see the clients")
			}
			var err error
			if c.NArg() > 1 {
				err = d.setUp(c.Context, d.call(c), r, c.Args().Slice())
			} else {
				err = d.answer(d.machine().Setup(c.Context, d.call(c), r))
			}
			if err != nil || r.Print || r.Remove || r.DryRun || r.AgentsMD {
				return err
			}
			return d.offerSessions(c.Context)
		},
	}
}

// mayAsk reports whether somebody at a terminal can be asked.
func (d *door) mayAsk() bool { return d.std.Typed && d.std.Watched && !d.json }

// ask asks a question at the terminal. No answer means no. The error is that of the context.
func (d *door) ask(ctx context.Context, question string) (yes bool, err error) {
	fmt.Fprint(d.std.Err, question+" [y/N] ")
	line, _ := d.readLine(ctx)
	answer := strings.ToLower(line)
	return answer == "y" || answer == "yes", ctx.Err()
}

// offerSessions asks, once and for all, whether past sessions are to be searched.
func (d *door) offerSessions(ctx context.Context) error {
	if !d.mayAsk() || d.b.Env("CI") != "" || d.b.SessionsDecided() {
		return nil
	}
	yes, err := d.ask(ctx, "Also search what you and your agents said in past sessions? It stays on this machine, for you alone; blue sessions --off ends it.")
	if err != nil {
		return err
	}
	return d.b.SwitchSessions(yes)
}

// offerClients lists the clients and, on a terminal, offers to set up those that were found.
func (d *door) offerClients(c *cli.Context) error {
	known, err := d.machine().Clients(c.Context, d.call(c))
	if err != nil {
		return err
	}
	if err := d.show(known); err != nil || !d.mayAsk() || known.Project == nil {
		return err
	}
	chosen, err := d.askWhich(c.Context, known.NotSetUp())
	if err != nil {
		return err
	}
	if err := d.setUp(c.Context, d.call(c), setup.Registration{}, chosen); err != nil || len(chosen) == 0 {
		return err
	}
	return d.offerSessions(c.Context)
}

// askWhich asks which of the clients to set up, and returns their names. No line at all means none.
// The error is that of the context.
func (d *door) askWhich(ctx context.Context, found []setup.ClientState) (chosen []string, err error) {
	var titles, names []string
	for _, seen := range found {
		names = append(names, seen.Client)
		titles = append(titles, fmt.Sprintf("%d %s", len(names), seen.Title))
	}
	question := fmt.Sprintf("Set up %s? [ALL/1,2/none] ", strings.Join(titles, ", "))
	if len(found) == 1 {
		question = fmt.Sprintf("Set up %s? [Y/n] ", found[0].Title)
	}
	for len(names) > 0 {
		fmt.Fprint(d.std.Err, question)
		line, failed := d.readLine(ctx)
		chosen, err := chooseFrom(names, line)
		switch {
		case failed != nil && line == "":
			return nil, ctx.Err()
		case err == nil:
			return chosen, nil
		}
		d.fail(err)
		if failed != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// chooseFrom returns the names that an answer chooses: all of them, those of some numbers, or none.
func chooseFrom(names []string, answer string) (chosen []string, err error) {
	switch strings.ToLower(answer) {
	case "", "a", "all", "y", "yes":
		return names, nil
	case "n", "no", "none":
		return nil, nil
	}
	for word := range strings.FieldsFuncSeq(answer, func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(names) {
			return nil, noAnswer(word, len(names))
		}
		if name := names[n-1]; !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen, nil
}

// noAnswer returns the error for a word that answers no question about n clients.
func noAnswer(word string, n int) error {
	if n == 1 {
		return errors.E(errors.Invalid, "%s is neither y nor n", errors.Quote(word)).Hint("", "", "answer y or n")
	}
	return errors.E(errors.Invalid, "%s is not one of the numbers", errors.Quote(word)).
		Hint("", "", fmt.Sprintf("answer all, none, or numbers from 1 to %d", n))
}

// setUp sets up several clients and shows one summary. It changes nothing if one of the names is none of a
// client; a client whose files cannot be changed does not keep the others.
func (d *door) setUp(ctx context.Context, call blue.Call, r setup.Registration, names []string) error {
	for _, name := range names {
		if err := setup.CheckClient(name); err != nil {
			return err
		}
	}
	s := setup.Summary{Clients: []setup.Configured{}}
	for _, name := range names {
		r.Client = name
		done, err := d.machine().Setup(ctx, call, r)
		if err != nil {
			d.fail(err)
			d.code = exitCode(err)
			continue
		}
		s.About = done.About
		s.Clients = append(s.Clients, done)
	}
	code := d.code
	if len(s.Clients) > 0 {
		if err := d.show(s); err != nil {
			return err
		}
	}
	d.code = max(d.code, code)
	return nil
}

// machine returns the input of setup and doctor.
func (d *door) machine() setup.Machine { return setup.Machine{Blue: d.b, Self: d.std.Self} }
