package cli

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue/hook"
	"blue/errors"
	"blue/marker/mount"
)

// blue hook CLIENT [--debug]
//
// It always exits with 0 and, without --debug, writes nothing to standard error, because clients
// stop or bother the person otherwise. So it accepts any arguments.
func (d *door) hook() *cli.Command {
	return &cli.Command{
		Name: "hook", Usage: "answer an event of a client's hook with the notes for that moment (blue setup writes the hooks)", ArgsUsage: "CLIENT",
		Description:     "Reads the event as JSON from standard input, and prints what the client gives to its model, or nothing.",
		Flags:           []cli.Flag{&cli.BoolFlag{Name: "debug", Usage: "say on standard error why nothing was said, and log the call to mcp-debug.log in the state directory"}},
		SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if slices.Contains(words, "--help") || slices.Contains(words, "-h") {
				return d.help(c.App, c.Command)
			}
			if d.std.Typed {
				return errors.Usage("blue hook reads a client's event from standard input, which is a terminal here").
					Hint("", "", "try it: echo '{\"hook_event_name\":\"SessionStart\",\"cwd\":\"'$PWD'\"}' | blue hook claude-code")
			}
			debug := slices.Contains(words, hook.Debug)
			log, done := d.std.Quiet(debug)
			defer func() { _ = done() }()
			h := &hook.Hook{Blue: d.b, Client: c.Args().First(), Self: d.std.Self, Mounts: "/proc/self/mountinfo", Log: log, Now: time.Now}
			if slices.Contains(words, hook.Unguarded) {
				h.Self = ""
				mount.Use("") // the parent process can exit without this one
			}
			if debug {
				h.Debug = d.std.Err
			}
			answer, inTime := h.Answer(c.Context, d.std.In)
			_, _ = d.std.Out.Write(answer)
			if !inTime {
				d.std.Exit(0)
			}
			return nil
		},
	}
}
