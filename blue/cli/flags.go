package cli

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// Flags that several commands share. Each is named like the tool's argument, with hyphens.

func cwdFlag() cli.Flag {
	return &cli.StringFlag{Name: "cwd", Aliases: []string{"C"}, Usage: "use the project of `DIR` (default: BLUE_PROJECT, else the working directory)"}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print the result, or the failure, as one JSON object"}
}

func verboseFlag() cli.Flag {
	return &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "also name the project when it is that of the working directory"}
}

func revisionFlag() cli.Flag {
	return &cli.StringFlag{Name: "revision", Aliases: []string{"r"}, Usage: "refuse unless the note is still at `REVISION`"}
}

func allowFlag() cli.Flag {
	return &cli.BoolFlag{Name: "allow-secret", Usage: "keep lines that only look like a secret, marked as allowed"}
}

// metaFlags returns the flags for keys of the front matter. title is the usage of --title.
func metaFlags(title string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "title", Usage: title},
		&cli.StringFlag{Name: "type", Usage: strings.Join(blue.NoteTypes(), ", ") + " or a `WORD` of yours"},
		&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag", "t"}, Usage: "`TAG` of the note; separate several with commas, or repeat the flag"},
		&cli.StringSliceFlag{Name: "files", Aliases: []string{"file", "f"}, Usage: "`PATH` of a file that the note is about, or of a part of it: PATH#L10-L42, PATH#NAME; replies say when it has changed"},
	}
}

// listFlags returns the flags that filter a list, which shows limit entries by default.
func listFlags(limit string) []cli.Flag {
	return append(filterFlags(limit), &cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list all, without a limit"})
}

// filterFlags returns the flags that filter a search or a list of notes, which shows limit notes by
// default.
func filterFlags(limit string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "type", Usage: "only notes of the type `WORD`"},
		&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag", "t"}, Usage: "only notes with this `TAG`; with several, notes that have them all"},
		&cli.StringFlag{Name: "since", Usage: "only notes since `WHEN`: a day (2026-01-31) or an age (7d, 12h)"},
		&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N` notes", DefaultText: limit},
		&cli.IntFlag{Name: "max-tokens", Usage: "limit the answer to `N` tokens of 4 bytes each", DefaultText: "no limit"},
		&cli.StringFlag{Name: "cursor", Usage: "continue after the last answer, from the `CURSOR` that it gave"},
	}
}

// filterOf returns the filter that the flags of [filterFlags] and [listFlags] describe.
func filterOf(c *cli.Context) (blue.Filter, error) {
	f := blue.Filter{
		Type: c.String("type"), Tags: c.StringSlice("tags"), Since: c.String("since"),
		Limit: c.Int("limit"), MaxTokens: c.Int("max-tokens"), Cursor: c.String("cursor"), Whole: true,
	}
	if c.IsSet("limit") && f.Limit <= 0 {
		want := "a number from 1"
		if c.Command.Name != "search" {
			want += "; --all lists all"
		}
		return f, errors.BadValue("limit", strconv.Itoa(f.Limit), want)
	}
	if c.Command.Name != "search" && c.Bool("all") {
		f.Limit = -1
	}
	return f, nil
}
