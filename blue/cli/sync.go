package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue sync [--status | --on | --off | --branch NAME] [--accept-removals]
func (d *door) sync() *cli.Command {
	return d.verb(&cli.Command{
		Name: "sync", Usage: "carry the notes between machines, branches and worktrees, on a ref of the repository",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "status", Usage: "say what a sync would carry; asks the remote and changes nothing"},
			&cli.BoolFlag{Name: "on", Usage: "keep the notes on the ref alone from now on: one notebook for all worktrees, out of the code's commits"},
			&cli.BoolFlag{Name: "off", Usage: "put the notes into the code's commits again"},
			&cli.StringFlag{Name: "branch", Usage: "carry them on the branch `NAME`, for hosts that accept only branches"},
			&cli.BoolFlag{Name: "accept-removals", Usage: "go on although others have removed many notes"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		chosen := 0
		for _, name := range []string{"status", "on", "off"} {
			if c.Bool(name) {
				chosen++
			}
		}
		switch {
		case c.NArg() > 0:
			return nil, errors.Usage("blue sync takes no argument %q", c.Args().First()).Hint("", "", "see: blue sync --help")
		case chosen > 1 || chosen == 1 && c.IsSet("branch"):
			return nil, errors.Exclusive("--status", "--on", "--off", "--branch")
		case c.Bool("status"):
			return p.SyncStatus(c.Context)
		case c.Bool("on"):
			return p.SetSync(c.Context, true)
		case c.Bool("off"):
			return p.SetSync(c.Context, false)
		}
		return p.Sync(c.Context, blue.Syncing{Branch: c.String("branch"), AcceptRemovals: c.Bool("accept-removals")})
	})
}
