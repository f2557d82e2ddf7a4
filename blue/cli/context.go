package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue context [--for TEXT] [--file PATH]... [--max-bytes N]
func (d *door) context() *cli.Command {
	return &cli.Command{
		Name: "context", Usage: "say what an agent should know now: unfinished work, changed files, decisions; or the notes for a question or a file",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "only notes that answer `TEXT`; nothing when none clearly does"},
			&cli.StringSliceFlag{Name: "file", Aliases: []string{"files", "f"}, Usage: "only notes that cite the file `PATH`; may be repeated"},
			&cli.BoolFlag{Name: "explain", Usage: "with --for, say which note answers best, its score, and the words that weighed most"},
			&cli.IntFlag{Name: "max-bytes", Usage: "print at most `N` bytes", DefaultText: "1500; 1200 with --for or --file"},
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
