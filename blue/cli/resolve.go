package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue resolve ID [--ours | --theirs | --both]
func (d *door) resolve() *cli.Command {
	return d.verb(&cli.Command{
		Name: "resolve", Usage: "end a conflict: one note gets the text that is right, the other goes to the trash", ArgsUsage: "ID",
		Description: "ID is that of either note of a conflict; blue list and blue sync name them, and blue diff ID ID\n" +
			"compares them. Without options $VISUAL or $EDITOR opens both texts in one, with markers around the\n" +
			"lines that differ. Keep what is right, delete the markers, and save. The text that is not kept is in\n" +
			"the history of the note or in the trash.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ours", Usage: "keep the text of the note"},
			&cli.BoolFlag{Name: "theirs", Usage: "keep the other text"},
			&cli.BoolFlag{Name: "both", Usage: "keep both, the other one below a heading"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		var keep []string
		for _, name := range []string{"ours", "theirs", "both"} {
			if c.Bool(name) {
				keep = append(keep, name)
			}
		}
		switch len(keep) {
		case 0:
			return d.resolved(c.Context, p, id)
		case 1:
			return p.Resolve(c.Context, blue.Resolving{ID: id, Keep: keep[0]})
		}
		return nil, errors.Exclusive("--ours", "--theirs", "--both")
	})
}

// resolved opens both texts in the person's editor. The revisions read here keep a concurrent
// change from being lost.
func (d *door) resolved(ctx context.Context, p *blue.Project, id string) (r result, err error) {
	conflict, err := p.Conflict(ctx, id)
	if err != nil {
		return nil, err
	}
	err = d.editText(ctx, conflict.ID, conflict.Merged, "--ours, --theirs or --both", func(text string) error {
		r, err = p.Resolve(ctx, blue.Resolving{ID: conflict.With, Text: &text, Revision: conflict.Revision, WithRevision: conflict.WithRevision})
		return err
	})
	return r, err
}
