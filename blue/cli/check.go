package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue check
func (d *door) check() *cli.Command {
	return d.verb(&cli.Command{
		Name: "check", Usage: "look for what is wrong with the notes; exit code 1 when something is",
		Description: "Wrong: names that are not served, twins by case or Unicode form, broken front matter, conflict\n" +
			"markers, secrets, hidden characters, links to no note. Hints, which pass: changed files that notes\n" +
			"cite, one name in notes/ and private/, files that are no notes, bounds. Nothing is changed.\n\n" +
			"As a pre-commit check: printf '#!/bin/sh\\nexec blue check\\n' >.git/hooks/pre-commit",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Check(c.Context)
	})
}
