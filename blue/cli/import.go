package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/transfer"
)

// blue import SOURCE PATH [--dry-run] [--escape-hidden] [--allow-secret] [--server URL --project NAME]
func (d *door) importCommand() *cli.Command {
	return d.verb(&cli.Command{
		Name: "import", Usage: "import the notes of another tool; a second run adds only what is new", ArgsUsage: "SOURCE PATH",
		Description: sourcesHelp,
		Flags: append(serverFlags(),
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be imported"},
			&cli.BoolFlag{Name: "escape-hidden", Usage: "spell out hidden characters, such as zero-width spaces, as \\u{200B}; without it their documents are left out"},
			&cli.BoolFlag{Name: "allow-secret", Usage: "keep lines that only look like a secret, marked as allowed"},
		),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
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

markdown        a folder of Markdown files, or one file: decision records (adr), a vault (obsidian)
basic-memory    the directory of a basic-memory project
serena          .serena/memories, or the project that has it
claude-code     the auto memory of a project: ~/.claude/projects/PROJECT/memory
memory-bank     memory-bank, or the project that has it
backlog         the directory of Backlog.md, or the project that has it
okf             a bundle in the Open Knowledge Format, such as blue export makes
server-memory   memory.jsonl of the reference memory server
engram          the file that engram export makes

Links between imported documents lead to the new notes. What is only about you becomes
private. Nothing is overwritten, and symbolic links are not followed.`
