package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue/setup"
	"blue/errors"
)

// blue setup [CLIENT] [--scope project|user] [--http URL] [--print] [--remove] [--dry-run] [--agents-md]
func (d *door) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "register Blue with an MCP client; without CLIENT, list those on this machine", ArgsUsage: "[CLIENT]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scope", Usage: "project (a file to commit; the default where the client has one) or user (your own): `SCOPE`"},
			&cli.StringFlag{Name: "http", Usage: "register the server at `URL` instead of a command; running means the one that runs now"},
			&cli.BoolFlag{Name: "print", Usage: "only show the entry, and the client's own command for it"},
			&cli.BoolFlag{Name: "remove", Usage: "take the entry out"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would change"},
			&cli.BoolFlag{Name: "agents-md", Usage: "also tell agents in AGENTS.md when to search and when to write"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			r := setup.Registration{
				Client: c.Args().First(), Scope: c.String("scope"), HTTP: c.String("http"),
				Print: c.Bool("print"), Remove: c.Bool("remove"), DryRun: c.Bool("dry-run"), AgentsMD: c.Bool("agents-md"),
			}
			if c.NArg() > 1 {
				return errors.Usage("blue setup takes one CLIENT, not %d", c.NArg()).Hint("", "", "see: blue setup --help")
			}
			if r == (setup.Registration{}) {
				known, err := d.machine().Clients(c.Context, d.call(c))
				if err != nil {
					return err
				}
				return d.show(known)
			}
			done, err := d.machine().Setup(c.Context, d.call(c), r)
			if err != nil {
				return err
			}
			return d.show(done)
		},
	}
}

// machine is what setup and doctor work on.
func (d *door) machine() setup.Machine { return setup.Machine{Blue: d.b, Self: d.std.Self} }
