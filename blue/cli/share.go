package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/transfer"
	"blue/errors"
)

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
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
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

// syncMemory is the soft memory limit of a sync. It is well below 100 MB, to leave room for the
// program itself and for allocations during a collection on a busy machine. The texts of many
// large notes pass through a sync, but few are needed at a time.
const syncMemory = 32 << 20

const syncHelp = `Notes travel with the code, as files in its commits, or as a notebook that
blue sync carries; blue sync --on moves them into it.

Without a URL the notes go where they went last; at first, to the remote origin
of the repository. blue sync URL --project NAME carries them to a blue server and
stays with it; blue sync origin goes back to git. REMOTE is origin, or what the key
remote of .blue/project.yaml names.

The token of a server stands in a file of the name of its host, for example
~/.config/blue/servers/notes.example.com, that you alone can read.`

func (d *door) importCommand() *cli.Command {
	return d.verb(&cli.Command{
		Name: "import", Usage: "import the notes of another tool; a second run adds only what is new", ArgsUsage: "SOURCE PATH",
		Description: sourcesHelp,
		Flags: append(serverFlags(),
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be imported"},
			&cli.BoolFlag{Name: "escape-hidden", Usage: "spell out hidden characters, such as zero-width spaces, as \\u{200B}; without it their documents are left out"},
			&cli.BoolFlag{Name: "allow-secret", Usage: "keep lines that only look like a secret, marked as allowed"},
		),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if c.NArg() != 2 {
			return nil, wrongArguments(c, "a SOURCE and a PATH")
		}
		return transfer.Import(c.Context, p, transfer.Importing{
			Source: c.Args().Get(0), Path: d.absolute(c.Args().Get(1)),
			DryRun: c.Bool("dry-run"), EscapeHidden: c.Bool("escape-hidden"), AllowSecret: c.Bool("allow-secret"), Progress: d.tell, NoPrivate: c.IsSet("server"),
		})
	})
}

const sourcesHelp = `SOURCE and PATH, which holds it, are one of:

markdown        a folder of Markdown files, or one file: decision records, a vault of Obsidian,
                memories of basic-memory, a memory bank, the tasks of Backlog.md; those of
                Serena are in a hidden directory, .serena/memories: name that
claude-code     the auto memory of a project: ~/.claude/projects/PROJECT/memory
memory-jsonl    memory.jsonl of the reference memory server
bundle          what blue export makes, or another bundle in the Open Knowledge Format

Links between imported documents lead to the new notes. What is only about you becomes
private. Nothing is overwritten, and symbolic links are not followed.`

func (d *door) export() *cli.Command {
	return d.verb(&cli.Command{
		Name: "export", Usage: "write all notes except private ones for other tools, or as JSON",
		Flags: append(serverFlags(),
			&cli.StringFlag{Name: "format", Usage: "`FORMAT`: bundle (in the Open Knowledge Format, the default) or json (the default for a PATH that ends with .json)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`PATH` that does not exist yet, or is an empty directory; --format json needs none, and prints"},
		),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		made, err := transfer.Export(c.Context, p, transfer.Exporting{
			Format: c.String("format"), Output: d.absolute(c.String("output")), Out: d.out, Progress: d.tell,
		})
		if err != nil || made.Output == "" {
			return nil, err // the export itself went to standard output
		}
		return made, nil
	})
}
