package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue sync [--on | --off] [URL --project NAME | REMOTE] [--status | --adopt | --branch NAME] [--accept-removals]
func (d *door) sync() *cli.Command {
	return d.verb(&cli.Command{
		Name: "sync", Usage: "carry the notebook between machines: with git, or a blue server", ArgsUsage: "[URL | REMOTE]", Description: syncHelp,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "status", Usage: "say what a sync would carry; asks the remote and changes nothing"},
			&cli.BoolFlag{Name: "on", Usage: "move the notes out of the code's commits into a notebook, one for all worktrees, and sync it"},
			&cli.BoolFlag{Name: "off", Usage: "move the notes back into the code's commits"},
			&cli.BoolFlag{Name: "adopt", Usage: "take in the notes of an older commit, from before --on, that a checkout has brought back"},
			&cli.StringFlag{Name: "branch", Usage: "carry the notebook on the branch `NAME`, for hosts that accept only branches"},
			&cli.StringFlag{Name: "project", Usage: "the project `NAME` on the server of the URL"},
			&cli.BoolFlag{Name: "accept-removals", Usage: "go on although others have removed many notes"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		chosen := 0
		for _, name := range []string{"status", "on", "off", "adopt"} {
			if c.Bool(name) {
				chosen++
			}
		}
		how := blue.Syncing{Remote: c.Args().First(), Project: c.String("project"), Branch: c.String("branch"), AcceptRemovals: c.Bool("accept-removals")}
		switch {
		case c.NArg() > 1:
			return nil, errors.Usage("blue sync takes one URL or remote, not %d arguments", c.NArg()).Hint("", "", "see: blue sync --help")
		case chosen > 1 || !c.Bool("on") && (chosen+c.NArg() > 1 || c.IsSet("branch") && chosen+c.NArg() > 0):
			return nil, errors.Exclusive("--status", "--on", "--off", "--adopt", "--branch", "URL")
		case c.Bool("status"):
			return p.SyncStatus(c.Context)
		case c.Bool("on"), c.Bool("off"):
			status, err := p.SetSync(c.Context, c.Bool("on"), how)
			return switched{status}, err
		case c.Bool("adopt"):
			return p.Adopt(c.Context)
		}
		debug.SetMemoryLimit(syncMemory)
		s, err := p.Sync(c.Context, how)
		if err != nil && c.Context.Err() != nil {
			fmt.Fprintln(d.std.Err, "blue: interrupted; nothing was lost")
		}
		return s, err
	})
}

// syncMemory is the memory from which on the garbage of a sync is collected at once, below
// 100 MB by what the program itself takes and what is allocated meanwhile on a machine that is
// busy. The texts of many large notes pass through, and few of them are needed at a time.
const syncMemory = 32 << 20

// switched is the result of --on and --off.
type switched struct{ blue.SyncStatus }

const syncHelp = `Notes travel with the code, as files in its commits, or as a notebook that
blue sync carries; blue sync --on moves them into it.

Without a URL the notes go where they went last; at first, to the remote origin
of the repository. blue sync URL --project NAME carries them to a blue server and
stays with it; blue sync origin goes back to git. REMOTE is origin, or what the key
remote of .blue/project.yaml names.

The token of a server stands in a file of the name of its host, for example
~/.config/blue/servers/notes.example.com, that you alone can read.`
