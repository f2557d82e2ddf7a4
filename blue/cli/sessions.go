package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue/result"
	"blue/errors"
)

func (d *door) sessions() *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "search what you and coding agents said in past sessions: switch it on, see what there is, show or forget a session", ArgsUsage: "[show ID]",
		Description: "Off until you switch it on. Then blue search --in sessions finds passages of the transcripts that\n" +
			"coding agents keep on this machine, of this project and its git worktrees. Transcripts are only read.\n" +
			"What is kept of them is text of you and the agent, and errors of tools, without secrets, in an index\n" +
			"in your cache directory that you alone can read. It is never synced, exported or sent over HTTP.\n" +
			"ID is that of a search, such as claude-code/1a2b#3, or the start of it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "on", Usage: "search past sessions, in all projects of yours"},
			&cli.BoolFlag{Name: "off", Usage: "search them no more, and remove all that was kept of them"},
			&cli.StringFlag{Name: "forget", Usage: "leave out the session `ID` for good; its transcript stays"},
			&cli.StringFlag{Name: "forget-before", Usage: "leave out for good what was said before the `DAY`, such as 2026-01-31, in all projects"},
			cwdFlag(), jsonFlag(), verboseFlag(),
		},
		Action: func(c *cli.Context) error {
			given := 0
			for _, name := range []string{"on", "off", "forget", "forget-before"} {
				if c.IsSet(name) {
					given++
				}
			}
			switch {
			case given > 1 || given == 1 && c.NArg() > 0:
				return errors.Exclusive("--on", "--off", "--forget", "--forget-before", "show ID")
			case c.NArg() > 0 && (c.NArg() != 2 || c.Args().First() != "show"):
				return wrongArguments(c, "show and an ID")
			case c.Bool("on") || c.Bool("off"):
				return d.switchSessions(c.Bool("on"))
			}
			p, err := d.b.Open(c.Context, d.call(c))
			switch {
			case err != nil && exitCode(err) == noProject && given+c.NArg() == 0:
				return d.show(result.Sessions{On: d.b.SessionsOn()})
			case err != nil:
				return err
			case c.NArg() > 0:
				return d.answer(p.Session(c.Context, c.Args().Get(1)))
			case c.IsSet("forget"):
				return d.answer(p.ForgetSession(c.Context, c.String("forget")))
			case c.IsSet("forget-before"):
				return d.answer(p.ForgetSessionsBefore(c.String("forget-before")))
			}
			return d.answer(p.Sessions(c.Context))
		},
	}
}

func (d *door) switchSessions(on bool) error {
	if err := d.b.SwitchSessions(on); err != nil {
		return err
	}
	return d.show(result.Sessions{On: on})
}
