package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

func (d *door) edit() *cli.Command {
	return d.verbOfNote(&cli.Command{
		Name: "edit", Usage: "change a note; without options it opens $VISUAL or $EDITOR", ArgsUsage: "ID",
		Flags: append(metaFlags("the new `TITLE`; blue mv keeps the former one as an alias"),
			&cli.StringFlag{Name: "body", Aliases: []string{"m"}, Usage: "replace the whole text with `TEXT`; - reads standard input"},
			&cli.StringFlag{Name: "append", Usage: "add `TEXT` at the end"},
			&cli.StringFlag{Name: "old-text", Usage: "replace `TEXT`, which must occur exactly once, with --new-text"},
			&cli.StringFlag{Name: "new-text", Usage: "the `TEXT` to put in place of --old-text"},
			&cli.StringFlag{Name: "restore", Usage: "bring back the text of `REVISION`; blue history lists them"},
			&cli.StringSliceFlag{Name: "supersedes", Usage: "`ID` of a note, or path of a document, that this one replaces; name all, or '' for none"},
			&cli.StringFlag{Name: "status", Usage: "`WORD` of yours, or active, proposed, accepted, rejected, deprecated, superseded"},
			&cli.BoolFlag{Name: "verified", Usage: "say that the note still holds: updates the hashes of what it cites, and sets verified"},
			revisionFlag(), allowFlag()),
	}, func(c *cli.Context, p *blue.Project, id string) (reply, error) {
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

// edited opens the note in the person's editor. It reads the revision first, so that a concurrent
// change is not overwritten.
func (d *door) edited(ctx context.Context, p *blue.Project, change blue.Change) (r reply, err error) {
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

func (d *door) open() *cli.Command {
	return d.verbOfNote(&cli.Command{
		Name: "open", Usage: "open the file of a note in $VISUAL or $EDITOR, or print its path when there is none", ArgsUsage: "ID",
		Description: "The file itself is opened: nothing is checked before it is saved, as blue edit does. The text\n" +
			"that was there before goes into the history.",
	}, func(c *cli.Context, p *blue.Project, id string) (reply, error) {
		if len(d.editor()) == 0 {
			return p.Locate(c.Context, id)
		}
		return p.ChangeInPlace(c.Context, id, func(path string) error { return d.runEditor(c.Context, path) })
	})
}

func (d *door) path() *cli.Command {
	return d.verb(&cli.Command{
		Name: "path", Usage: "print the path of the file of a note, for other programs", ArgsUsage: "ID...",
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if c.NArg() == 0 {
			return nil, errors.Missing("ID", "give the id of a note; blue list shows them")
		}
		return p.Locate(c.Context, c.Args().Slice()...)
	})
}

func (d *door) resolve() *cli.Command {
	return d.verbOfNote(&cli.Command{
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
	}, func(c *cli.Context, p *blue.Project, id string) (reply, error) {
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

// resolved opens both texts in the person's editor. It reads both revisions first, so that a
// concurrent change is not lost.
func (d *door) resolved(ctx context.Context, p *blue.Project, id string) (r reply, err error) {
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

// editor returns the command line of the person's editor, or nil if there is none.
func (d *door) editor() []string {
	if words := strings.Fields(d.b.Env("VISUAL")); len(words) > 0 {
		return words
	}
	return strings.Fields(d.b.Env("EDITOR"))
}

// runEditor opens a file in the person's editor, which must exist.
func (d *door) runEditor(ctx context.Context, file string) error {
	words := d.editor()
	editor := exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	editor.Stdin, editor.Stdout, editor.Stderr = d.std.In, d.std.Out, d.std.Err
	if err := editor.Run(); err != nil {
		return errors.E(errors.Invalid, "editor %q: %w", words[0], err).Hint("", "", "nothing was changed; set $EDITOR to an editor that works")
	}
	return nil
}

// editText opens text in the person's editor, in a temporary file of the given name, and passes the
// saved text to take. If take refuses it, the person may go on editing. If take fails at last, the
// file is kept and the error names it. flags names the flags that make an editor unnecessary.
func (d *door) editText(ctx context.Context, name, text, flags string, take func(edited string) error) error {
	if len(d.editor()) == 0 {
		return errors.E(errors.Invalid, "no editor is set").Hint("", "", "set $VISUAL or $EDITOR, or give "+flags)
	}
	dir, err := os.MkdirTemp("", "blue-") // only this user can enter it
	if err != nil {
		return err
	}
	file := filepath.Join(dir, name+".md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	edited, refused, err := d.editFile(ctx, file, take)
	changed := func() bool { return edited != text && strings.TrimSpace(edited) != "" }
	asked := false
	for refused && changed() && d.isMendable(err) {
		asked = true
		d.fail(err)
		if !d.keepsEditing(ctx) {
			break
		}
		edited, refused, err = d.editFile(ctx, file, take)
	}
	if err != nil && changed() {
		e := *errors.Of(err)
		if e.Hints = slices.Clone(e.Hints); asked { // why has been said
			e.Message, e.Hints = "nothing was saved", nil
		}
		e.Hints = append(e.Hints, errors.Hint{Text: "your text is kept in " + file})
		return &e
	}
	_ = os.RemoveAll(dir) // best effort: a temporary directory
	return err
}

// editFile opens a file in the person's editor and passes its text to take. It reports whether take
// refused it.
func (d *door) editFile(ctx context.Context, file string, take func(string) error) (edited string, refused bool, err error) {
	failed := d.runEditor(ctx, file)
	data, err := os.ReadFile(file)
	if edited = string(data); failed != nil || err != nil {
		return edited, false, cmp.Or(failed, err)
	}
	err = take(edited)
	return edited, err != nil, err
}

// isMendable reports whether the person can be asked to mend a text that was refused.
func (d *door) isMendable(err error) bool {
	return d.mayAsk() && slices.Contains([]errors.Kind{errors.Invalid, errors.SecretDetected, errors.HiddenText, errors.TooLarge}, errors.Of(err).Kind)
}

// keepsEditing asks whether the person goes on editing.
func (d *door) keepsEditing(ctx context.Context) bool {
	fmt.Fprint(d.std.Err, "keep editing? [Y/n] ")
	line, failed := d.readLine(ctx)
	answer := strings.ToLower(line)
	return failed == nil && (answer == "" || answer == "y" || answer == "yes")
}

// piped reads standard input until it ends or Ctrl-C is pressed.
func (d *door) piped(ctx context.Context) (string, error) {
	var data []byte
	done := make(chan error, 1)
	go func() {
		var err error
		data, err = io.ReadAll(io.LimitReader(d.std.In, blue.BodyLimit+4096))
		done <- err
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-done:
		if err != nil {
			return "", errors.E(errors.Invalid, "standard input cannot be read: %w", err).Hint("", "", "give the text with --body")
		}
		return string(data), nil
	}
}
