package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// Flags that several commands have. Each has the name of the tool's argument, with
// hyphens.

func cwdFlag() cli.Flag {
	return &cli.StringFlag{Name: "cwd", Usage: "use the project of `DIR` (default: BLUE_PROJECT, else the working directory)"}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print the result, or the failure, as one JSON object"}
}

func revisionFlag() cli.Flag {
	return &cli.StringFlag{Name: "revision", Usage: "refuse when the note is no longer at `REVISION`"}
}

func allowFlag() cli.Flag {
	return &cli.BoolFlag{Name: "allow-secret", Usage: "keep lines that look like a secret but are none, marked as allowed"}
}

// metaFlags name the keys of the front matter.
func metaFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "title", Usage: "`TITLE` of the note (default: its first heading or line)"},
		&cli.StringFlag{Name: "type", Usage: strings.Join(blue.NoteTypes(), ", ") + " or a `WORD` of yours"},
		&cli.StringSliceFlag{Name: "tags", Usage: "`TAG` of the note; several with commas, or repeated"},
		&cli.StringSliceFlag{Name: "files", Usage: "`PATH` of a file that the note is about, or of a part of it: PATH#L10-L42, PATH#NAME; it tells when that has changed"},
	}
}

// filterFlags narrow a search or a list; limit is how many notes it shows otherwise.
func filterFlags(limit string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "type", Usage: "only notes of the type `WORD`"},
		&cli.StringSliceFlag{Name: "tags", Usage: "only notes with this `TAG`; of several, with each"},
		&cli.StringFlag{Name: "since", Usage: "only notes from `WHEN` on: a day (2026-01-31) or an age (7d, 12h)"},
		&cli.IntFlag{Name: "limit", Usage: "at most `N` notes", DefaultText: limit},
		&cli.IntFlag{Name: "max-tokens", Usage: "an answer of at most `N` tokens, 4 bytes each", DefaultText: "2000"},
		&cli.StringFlag{Name: "cursor", Usage: "go on where the last answer ended: the `CURSOR` that it gave"},
	}
}
