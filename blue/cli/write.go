package cli

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue write [TEXT...] [--body TEXT] [--title TITLE] [--type WORD] [--tags TAG] [--files PATH] [--private] [--personal] [--supersedes ID] [--key KEY] [--allow-secret]
func (d *door) write() *cli.Command {
	return d.verb(&cli.Command{
		Name: "write", Usage: "add a note; without TEXT it reads standard input or opens $VISUAL or $EDITOR", ArgsUsage: "[TEXT...]",
		Flags: append(metaFlags(),
			&cli.StringFlag{Name: "body", Usage: "`TEXT` of the note, instead of the arguments; - reads standard input"},
			&cli.BoolFlag{Name: "private", Usage: "keep it on this machine, out of git"},
			&cli.BoolFlag{Name: "personal", Usage: "write it to your personal notes, which every project finds; see blue init --personal"},
			&cli.StringSliceFlag{Name: "supersedes", Usage: "`ID` of a note that this one replaces"},
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

// written writes the text of a new note: that of the flag, the arguments or standard
// input, or what the person types in the editor.
func (d *door) written(c *cli.Context, p *blue.Project, draft blue.Draft) (r result, err error) {
	take := func(body string) error {
		draft.Body = body
		r, err = p.Write(c.Context, draft)
		return err
	}
	switch {
	case c.IsSet("body") && c.NArg() > 0:
		return nil, errors.Exclusive("--body", "text")
	case c.IsSet("body") && c.String("body") != "-":
		err = take(c.String("body"))
	case c.NArg() > 0 && c.Args().First() != "-":
		err = take(strings.Join(c.Args().Slice(), " "))
	case d.std.Typed && !c.IsSet("body") && c.NArg() == 0:
		err = d.editText(c.Context, "", take)
	default:
		var body string
		if body, err = d.piped(); err == nil {
			err = take(body)
		}
	}
	return r, err
}

// piped reads a text from standard input.
func (d *door) piped() (string, error) {
	data, err := io.ReadAll(io.LimitReader(d.std.In, blue.BodyLimit+4096))
	if err != nil {
		return "", errors.E(errors.Invalid, "standard input cannot be read: %w", err).Hint("", "", "give the text with --body")
	}
	return string(data), nil
}
