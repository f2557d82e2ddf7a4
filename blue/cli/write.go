package cli

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue write [TEXT...] [--body TEXT] [--title TITLE] [--type WORD] [--tags TAG] [--files PATH] [--private] [--supersedes ID] [--key KEY] [--allow-secret]
func (d *door) write() *cli.Command {
	return d.verb(&cli.Command{
		Name: "write", Usage: "add a note; without text it reads standard input or opens the editor", ArgsUsage: "[TEXT...]",
		Flags: append(metaFlags(),
			&cli.StringFlag{Name: "body", Usage: "`TEXT` of the note, Markdown"},
			&cli.BoolFlag{Name: "private", Usage: "keep it on this machine, out of git"},
			&cli.StringSliceFlag{Name: "supersedes", Usage: "`ID` of a note it replaces"},
			&cli.StringFlag{Name: "key", Usage: "any `WORD`; sent again it makes no second note"},
			allowFlag()),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		body, err := d.body(c)
		if err != nil {
			return nil, err
		}
		return p.Write(c.Context, blue.Draft{
			Body: body, Title: c.String("title"), Type: c.String("type"), Tags: c.StringSlice("tags"), Files: c.StringSlice("files"),
			Private: c.Bool("private"), Supersedes: c.StringSlice("supersedes"), Key: c.String("key"),
			AllowSecret: c.Bool("allow-secret"),
		})
	})
}

// body is the text of a new note: the flag, the arguments, standard input, or
// what the person types in the editor.
func (d *door) body(c *cli.Context) (string, error) {
	switch {
	case c.IsSet("body") && c.NArg() > 0:
		return "", errors.Exclusive("--body", "text")
	case c.IsSet("body"):
		return c.String("body"), nil
	case c.NArg() > 0:
		return strings.Join(c.Args().Slice(), " "), nil
	case d.std.Typed:
		return d.editText(c.Context, "")
	}
	return d.piped()
}

// piped reads a text from standard input.
func (d *door) piped() (string, error) {
	data, err := io.ReadAll(io.LimitReader(d.std.In, blue.BodyLimit+4096))
	if err != nil {
		return "", errors.E(errors.Invalid, "standard input cannot be read: %w", err).Hint("", "", "give the text with --body")
	}
	return string(data), nil
}
