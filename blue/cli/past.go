package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

func (d *door) log() *cli.Command {
	return d.verb(&cli.Command{
		Name: "log", Usage: "say who wrote what, newest first; with ID, of one note", ArgsUsage: "[ID]",
		Description: "Who wrote a note and when stands in the note, when it was edited in its history. Who edited it\n" +
			"is known where Blue did so, or when the edit was committed with git; so are edits and removals by\n" +
			"others. It is \"unknown\" who changed a file in an editor.",
		Flags: listFlags("50"),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if c.NArg() > 1 {
			return nil, wrongArguments(c, "one ID, or none")
		}
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		return p.Log(c.Context, c.Args().First(), f)
	})
}

func (d *door) diff() *cli.Command {
	return d.verb(&cli.Command{
		Name: "diff", Usage: "show the last change of a note, or all since a revision; or compare two notes", ArgsUsage: "ID [REVISION [REVISION] | ID]",
		Description: "Without a REVISION it shows the last change; with one, all that has changed since; with two,\n" +
			"what changed from the first to the second. blue history ID lists them; the start of one is\n" +
			"enough. With the ID of another note it shows how that one differs. The output is a unified diff.",
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if c.NArg() < 1 || c.NArg() > 3 {
			return nil, wrongArguments(c, "an ID and at most two revisions, or two IDs")
		}
		return p.Compare(c.Context, blue.Comparing{ID: c.Args().Get(0), From: c.Args().Get(1), To: c.Args().Get(2)})
	})
}

func (d *door) history() *cli.Command {
	return d.verbOfNote(&cli.Command{
		Name: "history", Usage: "list the revisions of a note that are kept", ArgsUsage: "ID",
	}, func(c *cli.Context, p *blue.Project, id string) (reply, error) { return p.History(c.Context, id) })
}

func (d *door) restore() *cli.Command {
	return d.verb(&cli.Command{
		Name: "restore", Usage: "bring back an earlier revision of a note; without REVISION, a note from the trash", ArgsUsage: "ID [REVISION]",
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
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
	found := slices.DeleteFunc(h.Revisions, func(r result.Revised) bool { return !strings.HasPrefix(r.Revision, start) })
	if len(found) != 1 {
		return start
	}
	return found[0].Revision
}

func (d *door) trash() *cli.Command {
	return d.verb(&cli.Command{
		Name: "trash", Usage: "list the notes in the trash; blue restore ID brings one back",
		Description: "Nothing leaves the trash by itself. --empty deletes what is in it, for good,\nafter a question at a terminal, or with --yes.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "empty", Usage: "delete the notes in the trash for good"},
			&cli.StringFlag{Name: "older", Usage: "with --empty: only those that were removed longer ago than `TIME`, such as 30d"},
			&cli.BoolFlag{Name: "yes", Usage: "with --empty: do not ask"},
		},
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if !c.Bool("empty") {
			if c.IsSet("older") || c.Bool("yes") {
				return nil, errors.Missing("empty", "--older and --yes belong to blue trash --empty")
			}
			return p.Trash(c.Context)
		}
		age, err := parseAge("older", c.String("older"))
		if err != nil {
			return nil, err
		}
		would, err := p.EmptyTrash(c.Context, age, false)
		if err != nil || would.Deleted == 0 {
			return would, err
		}
		if !c.Bool("yes") {
			if !d.mayAsk() {
				return nil, errors.Missing("yes", fmt.Sprintf("%s would be deleted for good", result.Plural(would.Deleted, "note")))
			}
			if yes, err := d.ask(c.Context, fmt.Sprintf("Delete %s in the trash for good?", result.Plural(would.Deleted, "note"))); !yes {
				return would, err
			}
		}
		return p.EmptyTrash(c.Context, age, true)
	})
}
