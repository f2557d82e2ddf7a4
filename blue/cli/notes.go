package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

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
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
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
func (d *door) written(c *cli.Context, p *blue.Project, draft blue.Draft) (r reply, err error) {
	words := strings.Join(c.Args().Slice(), " ")
	if words == "" && d.std.Typed && !c.IsSet("body") {
		return d.writtenInEditor(c, p, draft)
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

// writtenInEditor writes a new note that the person types in an editor.
func (d *door) writtenInEditor(c *cli.Context, p *blue.Project, draft blue.Draft) (r reply, err error) {
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

func (d *door) read() *cli.Command {
	return d.verb(&cli.Command{
		Name: "read", Usage: "print notes, laid out on a terminal and as plain Markdown elsewhere", ArgsUsage: "ID...",
		Description: "An ID is the id of a note or its beginning, the path of a document, or the hash of a commit.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "section", Usage: "only the part below `HEADING`"},
			&cli.StringFlag{Name: "revision", Aliases: []string{"r"}, Usage: "the note as it was at `REVISION`; blue history lists them"},
			&cli.BoolFlag{Name: "code", Usage: "show the lines of files that the notes cite, as they are now"},
		},
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		r := blue.Reading{Code: c.Bool("code"), Section: c.String("section"), Revision: c.String("revision"), Whole: true}
		switch ids := joinCommits(c.Args().Slice()); len(ids) {
		case 0:
			return nil, errors.Missing("ID", "give the id of a note").Hint("list", "", "see the ids")
		case 1:
			r.ID, r.Revision = ids[0], wholeRevision(c.Context, p, ids[0], r.Revision)
		default:
			r.IDs = ids
		}
		return p.Read(c.Context, r)
	})
}

// joinCommits joins the two words of each reference to a commit, such as commit 3f2a9c1.
func joinCommits(words []string) (ids []string) {
	for i, word := range words {
		if i > 0 && words[i-1] == "commit" && strings.Trim(word, "0123456789abcdefABCDEF") == "" {
			ids[len(ids)-1] += " " + word
		} else {
			ids = append(ids, word)
		}
	}
	return ids
}

// codeFlags are the flags that narrow a search of code.
var codeFlags = []string{"lang", "path", "symbol", "kind", "uses"}

func (d *door) search() *cli.Command {
	return d.verb(&cli.Command{
		Name: "search", Usage: "find notes by words, a question, an identifier or an error message; -WORD must not occur", ArgsUsage: "WORDS...",
		Flags: append(filterFlags("10"),
			&cli.StringSliceFlag{Name: "in", Usage: "only the `SHELF` notes, documents, commits, code or sessions, or all; several with commas"},
			&cli.StringFlag{Name: "lang", Usage: "only code in the language `NAME`"},
			&cli.StringFlag{Name: "path", Usage: "only code in files that match `GLOB`, such as 'internal/**'"},
			&cli.StringFlag{Name: "symbol", Usage: "only definitions in code of which the name is or begins with `NAME`"},
			&cli.StringFlag{Name: "kind", Usage: "only definitions in code of the `KIND` func, type, method or const"},
			&cli.StringFlag{Name: "uses", Usage: "places in code that mention `NAME` outside of its definition, by file"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "search all projects that you have opened on this machine, this one first"},
			&cli.StringSliceFlag{Name: "projects", Aliases: []string{"project"}, Usage: "search the project `NAME` too, after this one; several with commas"},
			&cli.BoolFlag{Name: "prefix", Usage: "the last word may be the start of a word (on a terminal it always may)"},
			&cli.BoolFlag{Name: "explain", Usage: "show how each score is made up"}),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		others := c.StringSlice("projects")
		if c.Bool("all") {
			others = append(others, "*")
		}
		var narrowed []string // as words of the query, which every door has
		for _, name := range codeFlags {
			if c.IsSet(name) {
				narrowed = append(narrowed, name+":"+c.String(name))
			}
		}
		in := c.StringSlice("in")
		if len(narrowed) > 0 && len(in) == 0 {
			in = []string{"code"}
		}
		drawn := d.std.Width > 0 && !d.json
		q := blue.Query{
			Text: strings.Join(append(narrowed, c.Args().Slice()...), " "), Selection: f.Selection, Paging: f.Paging, In: in, Projects: others,
			Prefix: c.Bool("prefix") || drawn, Explain: c.Bool("explain"), Brief: drawn,
		}
		return p.Search(c.Context, q)
	})
}

func (d *door) list() *cli.Command {
	return d.verb(&cli.Command{
		Name: "list", Aliases: []string{"ls"}, Usage: "list notes by type, tags and age",
		Flags: append(listFlags("50"), &cli.StringFlag{Name: "sort", Usage: "`ORDER` of the list: newest (default) or title"}),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		f.Sort = c.String("sort")
		return p.List(c.Context, f)
	})
}

func (d *door) remove() *cli.Command {
	return d.verb(&cli.Command{
		Name: "remove", Aliases: []string{"rm"}, Usage: "move notes to the trash, or bring them back", ArgsUsage: "ID...",
		Description: "Of several notes none is removed when one of the ids names no note.",
		Flags:       []cli.Flag{revisionFlag(), &cli.BoolFlag{Name: "restore", Usage: "bring it back from the trash"}},
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		var all []blue.Removal
		for _, id := range c.Args().Slice() {
			all = append(all, blue.Removal{ID: id, Revision: c.String("revision"), Restore: c.Bool("restore")})
		}
		switch {
		case len(all) == 0:
			return nil, wrongArguments(c, "one or more IDs")
		case len(all) == 1:
			return p.Remove(c.Context, all[0])
		case c.IsSet("revision"):
			return nil, errors.Exclusive("--revision", "several IDs")
		}
		return p.RemoveAll(c.Context, all)
	})
}

func (d *door) mv() *cli.Command {
	return d.verb(&cli.Command{
		Name: "mv", Usage: "give a note a new title", ArgsUsage: "ID TITLE...",
		Description: "The id of the note stays, and with it every link by the id. The former title becomes an alias, so\nthat links by it lead to the note too.",
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		if c.NArg() < 2 {
			return nil, wrongArguments(c, "an ID and the new title of the note")
		}
		title := strings.Join(c.Args().Tail(), " ")
		return p.Edit(c.Context, blue.Change{ID: c.Args().First(), Title: &title, Rename: true})
	})
}
