package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue write [TEXT...] [--body TEXT] [--title TITLE] [--type WORD] [--tags TAG] [--files PATH] [--private] [--personal] [--supersedes ID] [--key KEY] [--allow-secret]
func (d *door) write() *cli.Command {
	return d.verb(&cli.Command{
		Name: "write", Usage: "add a note; without TEXT it opens $VISUAL or $EDITOR", ArgsUsage: "[TEXT...]",
		Description: "TEXT is the text of the note. Where the text comes through a pipe or with --body, TEXT is its\n" +
			"title:\n\n" +
			"   blue write We deploy on Fridays.\n" +
			"   go test ./... 2>&1 | blue write Why the build fails\n" +
			"   blue write Deploys -m 'We deploy on Fridays.' -t ops",
		Flags: append(metaFlags("`TITLE` of the note (default: its first heading or line)"),
			&cli.StringFlag{Name: "body", Aliases: []string{"m"}, Usage: "`TEXT` of the note; the arguments are then its title; - reads standard input"},
			&cli.BoolFlag{Name: "private", Usage: "keep it on this machine, out of git"},
			&cli.BoolFlag{Name: "personal", Usage: "write it to your personal notes, which every project finds; see blue init --personal"},
			&cli.StringSliceFlag{Name: "supersedes", Usage: "`ID` of a note, or path of a document, that this one replaces"},
			&cli.StringFlag{Name: "key", Usage: "any `WORD`; a note written again with the same one is not made twice"},
			allowFlag()),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		draft := blue.Draft{
			Title: c.String("title"), Type: c.String("type"), Tags: c.StringSlice("tags"), Files: c.StringSlice("files"),
			Private: c.Bool("private"), Supersedes: c.StringSlice("supersedes"), Key: c.String("key"),
			AllowSecret: c.Bool("allow-secret"),
		}
		return d.written(c, p, draft)
	})
}

// written writes a new note. The text comes from --body, standard input or the editor, and the
// arguments are the title. Otherwise the arguments are the text.
func (d *door) written(c *cli.Context, p *blue.Project, draft blue.Draft) (r result, err error) {
	words := strings.Join(c.Args().Slice(), " ")
	if words == "" && d.std.Typed && !c.IsSet("body") {
		err = d.editText(c.Context, "note", draft.Template(), "the text as an argument", func(text string) error {
			if draft, err = draft.Completed(text); err != nil {
				return err
			}
			if strings.TrimSpace(draft.Body) == "" {
				return errors.Usage("nothing was written: the note has no text").Hint("", "", "type it below the second line ---")
			}
			r, err = p.Write(c.Context, draft)
			return err
		})
		return r, err
	}
	if draft.Body, err = d.bodyOf(c, words); err != nil {
		return nil, err
	}
	switch {
	case words == "" && draft.Body == "" && !c.IsSet("body"):
		return nil, errors.Missing("TEXT", "give the text of the note, or pipe it in")
	case words == "" || words == "-":
	case draft.Body == "":
		draft.Body = words
	case draft.Title != "":
		return nil, errors.Exclusive("--title", "an argument beside the text")
	default:
		draft.Title = words
	}
	return p.Write(c.Context, draft)
}

// silence is how long standard input may be idle before Blue says that it waits.
const silence = 2 * time.Second

// bodyOf returns the text of a note that is not in the arguments, or "".
func (d *door) bodyOf(c *cli.Context, words string) (body string, err error) {
	switch {
	case c.IsSet("body") && c.String("body") != "-":
		return c.String("body"), nil
	case d.std.Typed && !c.IsSet("body") && words != "-":
		return "", nil
	}
	if words != "" && words != "-" { // standard input may never end
		said := time.AfterFunc(silence, func() {
			fmt.Fprintln(d.std.Err, "blue: waiting for the text of the note on standard input; to give none: blue write ... </dev/null")
		})
		defer said.Stop()
	}
	if body, err = d.piped(c.Context); strings.TrimSpace(body) == "" {
		body = ""
	}
	return body, err
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
