package cli

import "github.com/urfave/cli/v2"

// Flags that several commands have. Each has the name of the tool's argument.

func cwdFlag() cli.Flag {
	return &cli.StringFlag{Name: "cwd", Usage: "`DIR` in the project meant (default: BLUE_PROJECT, then the working directory)"}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object"}
}

func revisionFlag() cli.Flag {
	return &cli.StringFlag{Name: "revision", Usage: "only if `REVISION` is still the current one"}
}

func allowFlag() cli.Flag {
	return &cli.BoolFlag{Name: "allow-secret", Usage: "what looks like a secret in the new text is none: mark its lines as allowed"}
}

// metaFlags name the keys of the front matter.
func metaFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "title", Usage: "`TITLE` (default: the first heading or line)"},
		&cli.StringFlag{Name: "type", Usage: "note, decision, checkpoint, remediation, skill, reference or any `WORD`"},
		&cli.StringSliceFlag{Name: "tags", Usage: "`TAG`, several with commas or by repeating"},
		&cli.StringSliceFlag{Name: "files", Usage: "`PATH` of a project file the note is about"},
	}
}

// filterFlags narrow a search or a list.
func filterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "type", Usage: "only notes of the type `WORD`"},
		&cli.StringSliceFlag{Name: "tags", Usage: "only notes with every `TAG`"},
		&cli.StringFlag{Name: "since", Usage: "only notes since a day (2026-01-31) or an age (7d): `WHEN`"},
		&cli.IntFlag{Name: "limit", Usage: "at most `N` notes (up to 1000)"},
		&cli.IntFlag{Name: "max_tokens", Usage: "at most `N` tokens of answer, 4 bytes each"},
		&cli.StringFlag{Name: "cursor", Usage: "go on at the `CURSOR` of the last answer"},
	}
}
