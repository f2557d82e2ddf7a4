package cli

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"blue/errors"
)

// HTTP holds the options of `blue mcp --http`. An empty Addr means standard input and output.
type HTTP struct {
	Addr           string
	HostNames      []string
	AllowRoots     []string
	NoAuth         bool
	SSE            bool
	SessionTimeout time.Duration
}

// each is a repeatable flag. Unlike the library's it does not split values at commas, which
// directories may contain.
type each []string

func (e *each) Set(value string) error {
	*e = append(*e, value)
	return nil
}

func (e *each) String() string { return "" } // no default

// blue mcp [--project DIR] [--debug] [--structured] [--http ADDR [--host-name NAME]… [--allow-root DIR]… [--no-auth] [--sse] [--session-timeout D]]
func (d *door) mcp() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve the tools to MCP clients, on standard input and output or over HTTP",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "the project of `DIR`, an absolute path, for calls that name none"},
			&cli.BoolFlag{Name: "debug", Usage: "also write a debug log, whose path is printed"},
			&cli.BoolFlag{Name: "structured", Usage: "send structured content beside each text, for programs"},
			&cli.StringFlag{Name: "http", Usage: "serve HTTP at `ADDR`: HOST:PORT, HOST or PORT"},
			&cli.GenericFlag{Name: "host-name", Value: &each{}, Usage: "accept `NAME` as the server's host name too; may be repeated"},
			&cli.GenericFlag{Name: "allow-root", Value: &each{}, Usage: "serve only projects below `DIR`; may be repeated (default: your home directory)"},
			&cli.BoolFlag{Name: "no-auth", Usage: "ask for no token; only on 127.0.0.1"},
			&cli.BoolFlag{Name: "sse", Usage: "also serve the older transport, of 2024-11-05, at /sse"},
			&cli.DurationFlag{Name: "session-timeout", Usage: "end sessions that have been idle for `TIME`", Value: 24 * time.Hour},
		},
		Action: func(c *cli.Context) error {
			s, err := d.serving(c)
			if err != nil {
				return err
			}
			return d.serve(c.Context, s)
		},
	}
}

// serving reads the flags. It rejects flags of HTTP without --http.
func (d *door) serving(c *cli.Context) (Serving, error) {
	s := Serving{Debug: c.Bool("debug"), Structured: c.Bool("structured")}
	if c.IsSet("project") { // also if empty: an invalid value is not a missing one
		dir := c.String("project")
		s.Project = &dir
	}
	if !c.IsSet("http") {
		for _, name := range []string{"host-name", "allow-root", "no-auth", "sse", "session-timeout"} {
			if c.IsSet(name) {
				fmt.Fprintf(d.std.Err, "blue: warning: --%s has no effect without --http\n", name)
			}
		}
		return s, nil
	}
	s.HTTP = HTTP{
		Addr: c.String("http"), HostNames: *c.Generic("host-name").(*each), AllowRoots: *c.Generic("allow-root").(*each),
		NoAuth: c.Bool("no-auth"), SSE: c.Bool("sse"), SessionTimeout: c.Duration("session-timeout"),
	}
	if s.HTTP.Addr == "" {
		return s, errors.BadAddress("", "it is empty")
	}
	if s.HTTP.SessionTimeout <= 0 {
		return s, errors.BadTimeout(s.HTTP.SessionTimeout)
	}
	return s, nil
}
