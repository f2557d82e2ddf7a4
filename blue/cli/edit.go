package cli

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue edit ID [--body TEXT | --append TEXT | --old-text TEXT --new-text TEXT | --restore REVISION] [--title TITLE] [--type WORD] [--tags TAG] [--files PATH] [--supersedes ID] [--status WORD] [--verified] [--revision REVISION] [--allow-secret]
func (d *door) edit() *cli.Command {
	return d.verb(&cli.Command{
		Name: "edit", Usage: "change a note; without options it opens $VISUAL or $EDITOR", ArgsUsage: "ID",
		Flags: append(metaFlags("the new `TITLE`; blue mv changes the id too"),
			&cli.StringFlag{Name: "body", Aliases: []string{"m"}, Usage: "replace the whole text with `TEXT`; - reads standard input"},
			&cli.StringFlag{Name: "append", Usage: "add `TEXT` at the end"},
			&cli.StringFlag{Name: "old-text", Usage: "replace `TEXT`, which must occur exactly once, with --new-text"},
			&cli.StringFlag{Name: "new-text", Usage: "the `TEXT` to put in place of --old-text"},
			&cli.StringFlag{Name: "restore", Usage: "bring back the text of `REVISION`; blue history lists them"},
			&cli.StringSliceFlag{Name: "supersedes", Usage: "`ID` of a note, or path of a document, that this one replaces; name all, or '' for none"},
			&cli.StringFlag{Name: "status", Usage: "`WORD` of yours, or active, proposed, accepted, rejected, deprecated, superseded"},
			&cli.BoolFlag{Name: "verified", Usage: "say that the note still holds: updates the hashes of what it cites, and sets verified"},
			revisionFlag(), allowFlag()),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		change, err := d.change(c, id)
		if err != nil {
			return nil, err
		}
		change.Restore = wholeRevision(c.Context, p, id, change.Restore)
		if change == (blue.Change{ID: id, Revision: change.Revision, AllowSecret: change.AllowSecret}) {
			return d.edited(c.Context, p, change)
		}
		return p.Edit(c.Context, change)
	})
}

func (d *door) change(c *cli.Context, id string) (blue.Change, error) {
	text := func(name string) *string {
		if !c.IsSet(name) {
			return nil
		}
		value := c.String(name)
		return &value
	}
	words := func(name string) *[]string {
		if !c.IsSet(name) {
			return nil
		}
		value := c.StringSlice(name)
		return &value
	}
	change := blue.Change{
		ID: id, Body: text("body"), Append: text("append"), OldText: text("old-text"), NewText: text("new-text"),
		Restore: c.String("restore"), Title: text("title"), Type: text("type"), Tags: words("tags"), Files: words("files"),
		Supersedes: words("supersedes"), Status: text("status"), Verified: c.Bool("verified"), Revision: c.String("revision"), AllowSecret: c.Bool("allow-secret"),
	}
	if change.Body != nil && *change.Body == "-" {
		body, err := d.piped(c.Context)
		change.Body = &body
		return change, err
	}
	return change, nil
}

// edited opens the note in the person's editor. The revision read here keeps a concurrent change
// from being overwritten.
func (d *door) edited(ctx context.Context, p *blue.Project, change blue.Change) (r result, err error) {
	id, text, revision, err := p.ShowFile(ctx, change.ID)
	if err != nil {
		return nil, err
	}
	change.Revision = cmp.Or(change.Revision, revision)
	err = d.editText(ctx, id, text, "--body, --append or --old-text", func(file string) error {
		change.File = &file
		r, err = p.Edit(ctx, change)
		return err
	})
	return r, err
}
