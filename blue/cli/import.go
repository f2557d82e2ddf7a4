package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/transfer"
	"blue/errors"
)

// blue import SOURCE PATH [--dry-run] [--allow-secret]
func (d *door) importCommand() *cli.Command {
	return d.verb(&cli.Command{
		Name: "import", Usage: "make notes of what another tool keeps; run again, it adds only what is new", ArgsUsage: "SOURCE PATH",
		Description: sourcesHelp,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
			&cli.BoolFlag{Name: "allow-secret", Usage: "keep lines that look like a secret but are none, marked as allowed"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() != 2 {
			return nil, errors.Usage("blue import takes a SOURCE and a PATH, not %d arguments", c.NArg()).Hint("", "", "see: blue import --help")
		}
		tell, end := d.progress("Importing")
		defer end()
		return transfer.Import(c.Context, p, transfer.Importing{
			Source: c.Args().Get(0), Path: d.absolute(c.Args().Get(1)),
			DryRun: c.Bool("dry-run"), AllowSecret: c.Bool("allow-secret"), Progress: tell,
		})
	})
}

const sourcesHelp = `SOURCE and PATH, which holds it, are one of:

markdown        a folder of Markdown files, or one: decision records (adr), a vault (obsidian)
basic-memory    the directory of a project of basic-memory
serena          .serena/memories, or the project that has it
claude-code     the auto memory of a project: ~/.claude/projects/PROJECT/memory
memory-bank     memory-bank, or the project that has it
backlog         the directory of Backlog.md, or the project that has it
okf             a bundle in the Open Knowledge Format, such as blue export makes
server-memory   memory.jsonl of the reference memory server
engram          the file that engram export makes

Links between what is taken lead to the new notes. What is about the person alone
becomes private. Nothing is overwritten, and links out of PATH are not followed.`
