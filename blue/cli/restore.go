package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue restore ID [REVISION]
func (d *door) restore() *cli.Command {
	return d.verb(&cli.Command{
		Name: "restore", Usage: "bring back an earlier revision of a note; without REVISION, a note from the trash", ArgsUsage: "ID [REVISION]",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		switch c.NArg() {
		case 1:
			return p.Remove(c.Context, blue.Removal{ID: c.Args().First(), Restore: true})
		case 2:
			id := c.Args().First()
			return p.Edit(c.Context, blue.Change{ID: id, Restore: wholeRevision(c.Context, p, id, c.Args().Get(1))})
		}
		return nil, errors.Usage("blue restore takes an ID and a REVISION, or the ID of a note in the trash").
			Hint("history", "ID", "see the revisions").Hint("trash", "", "see the trash")
	})
}

// wholeRevision returns the revision of a note with the given prefix, or the prefix itself if it is
// not unique.
func wholeRevision(ctx context.Context, p *blue.Project, id, start string) string {
	if start == "" {
		return start
	}
	h, _ := p.History(ctx, id) // the verb reports a bad id
	found := slices.DeleteFunc(h.Revisions, func(r blue.Revised) bool { return !strings.HasPrefix(r.Revision, start) })
	if len(found) != 1 {
		return start
	}
	return found[0].Revision
}
