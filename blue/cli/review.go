package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue review [--type WORD] [--tags TAG] [--since WHEN] [--limit N | --all]
// blue review --unreviewed
func (d *door) review() *cli.Command {
	return d.verb(&cli.Command{
		Name: "review", Usage: "name the notes that deserve a look, with the reason and the command",
		Description: "Files that notes cite have changed, a note holds another machine's text, superseded notes are\n" +
			"linked to, two notes may contradict each other, a proposal waits for 30 days, the branch of a\n" +
			"checkpoint is gone, nothing has changed for a year, removing the worktree would delete notes.\n" +
			"Nothing is changed: what the commands do is for you to decide.",
		Flags: append(listFlags("50"), &cli.BoolFlag{Name: "unreviewed", Usage: "instead, list the notes that came from others since you looked so last"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		if c.Bool("unreviewed") {
			return nil, p.ReviewOthers(c.Context, f, func(r blue.Rows) error { return d.show(r) })
		}
		return p.Review(c.Context, f)
	})
}
