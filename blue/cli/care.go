package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

func (d *door) where() *cli.Command {
	return &cli.Command{
		Name: "where", Usage: "say which project this is, why, and what is in it",
		Flags:  []cli.Flag{cwdFlag(), jsonFlag()},
		Action: func(c *cli.Context) error { return d.answer(d.b.Where(c.Context, d.call(c))) },
	}
}

func (d *door) context() *cli.Command {
	return &cli.Command{
		Name: "context", Usage: "say what an agent should know now: unfinished work, changed files, decisions; or the notes for a question or a file",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "only notes that answer `TEXT`; nothing when none clearly does"},
			&cli.StringSliceFlag{Name: "file", Aliases: []string{"files", "f"}, Usage: "only notes that cite the file `PATH`; may be repeated"},
			&cli.BoolFlag{Name: "explain", Usage: "with --for, say which note answers best, its score, and the words that weighed most"},
			&cli.IntFlag{Name: "max-bytes", Usage: "print at most `N` bytes", DefaultText: "2200 with --for or --file; else what start_bytes in project.yaml allows"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			p, err := d.b.Open(c.Context, d.call(c))
			if err != nil && exitCode(err) == noProject {
				if d.json || d.std.Width > 0 {
					d.fail(err)
				}
				return nil // hooks and scripts run it outside projects too
			}
			if err != nil {
				return err
			}
			if c.IsSet("for") && c.String("for") == "" {
				return errors.Missing("for", "give the question, or leave --for out for what is worth knowing at the start")
			}
			m := blue.Moment{For: c.String("for"), Explain: c.Bool("explain"), MaxBytes: c.Int("max-bytes")}
			for _, file := range c.StringSlice("file") {
				m.Files = append(m.Files, d.absolute(file))
			}
			said, err := p.Context(c.Context, m)
			if err == nil {
				p.RecordContext(said)
			}
			return d.answer(said, err)
		},
	}
}

func (d *door) tags() *cli.Command {
	return d.verb(&cli.Command{
		Name: "tags", Usage: "list the tags of the notes, with how many notes have each",
	}, func(c *cli.Context, p *blue.Project) (reply, error) { return p.Tags(c.Context) })
}

func (d *door) check() *cli.Command {
	return d.verb(&cli.Command{
		Name: "check", Usage: "look for what is wrong with the notes; exit code 1 when something is",
		Description: "Wrong: names that are not served, twins by case or Unicode form, broken front matter, conflict\n" +
			"markers, secrets, hidden characters, links to no note. Hints, which pass: changed files that notes\n" +
			"cite, one name in notes/ and private/, files that are no notes, bounds. Nothing is changed.\n\n" +
			"As a pre-commit check: printf '#!/bin/sh\\nexec blue check\\n' >.git/hooks/pre-commit",
	}, func(c *cli.Context, p *blue.Project) (reply, error) { return p.Check(c.Context) })
}

func (d *door) stats() *cli.Command {
	return d.verb(&cli.Command{
		Name: "stats", Usage: "say what agents were told of the notes, and whether it helped",
		Description: "Counted are sessions, prompts, notes that were told, found, read and cited, and bytes, in a file of\n" +
			"the state directory that you alone can read; no text of a prompt is kept.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "since", Usage: "count from `WHEN` on: 2026-01-31, 7d or 12h", Value: "30d"}},
	}, func(c *cli.Context, p *blue.Project) (reply, error) { return p.Stats(c.Context, c.String("since")) })
}

func (d *door) trust() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "let agents be told the notes of a project unasked", ArgsUsage: "[DIR]",
		Description: "Until then, agents find the notes of a project that was cloned or unpacked only by a search. DIR is\n" +
			"that of another project, or one that is to be used although others own or can write it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "remove", Usage: "take trust back"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				dir, err := oneArgument(c, "DIR")
				if err != nil {
					return err
				}
				if dir != "*" {
					dir = d.absolute(dir)
				}
				if c.Bool("remove") {
					return d.answer(d.b.Distrust(c.Context, dir))
				}
				return d.answer(d.b.Trust(c.Context, dir))
			}
			found, err := d.b.FindUntrusted(c.Context, d.call(c))
			switch {
			case err != nil:
				return err
			case c.Bool("remove"):
				return d.answer(d.b.Distrust(c.Context, found.Root))
			}
			return d.answer(d.b.TrustProject(found))
		},
	}
}

func (d *door) doctor() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "look for what is wrong with the project, Blue's files and the clients",
		Description: "Says for each thing that is wrong how to mend it, and changes nothing. Exit code 1 when something\nmust be mended. With CLIENT it looks at that client alone.",
		ArgsUsage:   "[CLIENT]",
		Flags:       []cli.Flag{cwdFlag(), jsonFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongArguments(c, "one CLIENT")
			}
			return d.answer(d.machine().Doctor(c.Context, d.call(c), c.Args().First()))
		},
	}
}

func (d *door) reindex() *cli.Command {
	return d.verb(&cli.Command{
		Name: "reindex", Usage: "throw the search index away and build it from the files",
		Description: "Correct answers never need it: every command brings the index up to date with the files, and builds a\n" +
			"damaged one anew. It takes time, and changes nothing but the cache directory.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "in", Usage: "build the index of the `SHELF` notes or code", DefaultText: "notes"}},
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		switch in := c.String("in"); in {
		case "", "notes":
			return p.Reindex(c.Context, d.tell)
		case "code":
			return p.ReindexCode(c.Context), nil
		default:
			return nil, errors.BadValue("in", in, "notes or code")
		}
	})
}

func (d *door) projects() *cli.Command {
	return &cli.Command{
		Name: "projects", Usage: "list the projects that you and your agents have opened on this machine",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "forget", Usage: "take the project at `ROOT` off the list; its files stay"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("forget") {
				left, err := d.b.ForgetProject(c.String("forget"))
				return d.answer(forgotten{left}, err)
			}
			return d.answer(d.b.Projects(c.Context, d.call(c)))
		},
	}
}
