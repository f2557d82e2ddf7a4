package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue/hook"
	"blue/blue/setup"
	"blue/errors"
	"blue/mcp"
)

// each is a repeatable flag. Unlike the library's it does not split values at commas, which
// directories may contain.
type each []string

func (e *each) Set(value string) error {
	*e = append(*e, value)
	return nil
}

func (e *each) String() string { return "" } // no default

func (d *door) mcp() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve the tools to MCP clients, on standard input and output or over HTTP",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "the project of `DIR`, an absolute path, for calls that name none"},
			&cli.BoolFlag{Name: "debug", Usage: "also write a debug log, whose path is printed"},
			&cli.BoolFlag{Name: "structured", Usage: "also send structured content, for programs"},
			&cli.StringFlag{Name: "http", Usage: "serve HTTP at `ADDR`: HOST:PORT, HOST or PORT"},
			&cli.GenericFlag{Name: "host-name", Value: &each{}, Usage: "accept `NAME` as the server's host name too; may be repeated"},
			&cli.GenericFlag{Name: "allow-root", Value: &each{}, Usage: "serve only projects below `DIR`; may be repeated (default: your home directory)"},
			&cli.BoolFlag{Name: "no-auth", Usage: "ask for no token; only on 127.0.0.1"},
			&cli.DurationFlag{Name: "session-timeout", Usage: "end sessions that have been idle for `TIME`", Value: 24 * time.Hour},
		},
		Action: d.serveMCP,
	}
}

// serveMCP serves what the flags say. It warns of flags of HTTP without --http.
func (d *door) serveMCP(c *cli.Context) error {
	o := mcp.Options{Version: setup.Version, Structured: c.Bool("structured")}
	if c.IsSet("project") { // also if empty: an invalid value is not a missing one
		dir := c.String("project")
		o.Project = &dir
	}
	if !c.IsSet("http") {
		for _, name := range []string{"host-name", "allow-root", "no-auth", "session-timeout"} {
			if c.IsSet(name) {
				fmt.Fprintf(d.std.Err, "blue: warning: --%s has no effect without --http\n", name)
			}
		}
		return d.serve.MCP(c.Context, o, mcp.HTTP{}, c.Bool("debug"))
	}
	h := mcp.HTTP{
		Addr: c.String("http"), HostNames: *c.Generic("host-name").(*each), AllowRoots: *c.Generic("allow-root").(*each),
		NoAuth: c.Bool("no-auth"), SessionTimeout: c.Duration("session-timeout"),
	}
	if h.Addr == "" {
		return errors.BadAddress("", "it is empty")
	}
	if h.SessionTimeout <= 0 {
		return errors.BadTimeout(h.SessionTimeout)
	}
	return d.serve.MCP(c.Context, o, h, c.Bool("debug"))
}

func (d *door) ui() *cli.Command {
	return &cli.Command{
		Name: "ui", Usage: "open the notes in the browser, to read and change them",
		Description: "Only this machine reaches the page, and only the browser that opens the link first.\n" +
			"It shows what agents write as they write it. Enter in the terminal prints another link; the page\n" +
			"ends with Ctrl-C, not with the browser.\n" +
			"The list shows cards or a table, next to an outline of types, statuses, tags, authors and\n" +
			"documents. Ctrl-K finds notes, documents, views and projects.\n" +
			"There are also a graph, statistics, and the activity of each author.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "port", Usage: "listen on port `N` of 127.0.0.1 (default: a free one)"},
			&cli.BoolFlag{Name: "read-only", Usage: "change nothing"},
			&cli.BoolFlag{Name: "no-open", Usage: "only print the link; it opens the page once"},
			cwdFlag(),
		},
		Action: func(c *cli.Context) error {
			port, err := strconv.Atoi(c.String("port"))
			if text := c.String("port"); text != "" && (err != nil || port < 0 || port > 65535) {
				return errors.BadValue("--port", text, "a number from 0 to 65535")
			}
			if _, err := d.b.Open(c.Context, d.call(c)); err != nil {
				return err
			}
			open := !c.Bool("no-open") && d.std.Width > 0
			return d.serve.Page(c.Context, d.call(c), port, c.Bool("read-only"), d.eachEnter(c.Context), func(url string) {
				d.ready(url, open)
				open = false // another link is for another browser
			})
		},
	}
}

// eachEnter returns a channel with a value for each line that the person enters. It returns nil if
// standard input is not a terminal.
func (d *door) eachEnter(ctx context.Context) <-chan struct{} {
	if !d.std.Typed {
		return nil
	}
	readInBackground()
	entered, lines := make(chan struct{}), bufio.NewScanner(d.std.In)
	go func() {
		for lines.Scan() {
			select {
			case entered <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return entered
}

// ready prints the link and opens it if a person is watching.
func (d *door) ready(url string, open bool) {
	if _, err := fmt.Fprintln(d.out, url); err != nil {
		d.out.failed = nil // printed on standard error
		fmt.Fprintln(d.std.Err, url)
	}
	another := ""
	if d.std.Typed {
		another = " Enter prints another link."
	}
	fmt.Fprintf(d.std.Err, "The link opens the page once, in one browser.%s Ctrl-C ends it.\n", another)
	if !open {
		return
	}
	if err := d.browse(url); err != nil {
		fmt.Fprintf(d.std.Err, "blue: warning: no browser was opened: %v\n", err)
	}
}

// browse opens the link in the person's browser, which outlives this process. It fails silently
// without a desktop.
func (d *door) browse(url string) error {
	words := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	default:
		if d.b.Env("DISPLAY")+d.b.Env("WAYLAND_DISPLAY") == "" {
			return nil
		}
	}
	opener := exec.Command(words[0], words[1:]...)
	if err := opener.Start(); err != nil {
		return err
	}
	return opener.Process.Release()
}

// hook returns the command `blue hook CLIENT [--debug]`. When a client runs it, it exits with 0
// and, without --debug, writes nothing to standard error, because clients would otherwise stop or
// bother the person. So it accepts any arguments.
func (d *door) hook() *cli.Command {
	return &cli.Command{
		Name: "hook", Usage: "answer an event of a client's hook with the notes for that moment (blue setup writes the hooks)", ArgsUsage: "CLIENT",
		Description:     "Reads the event as JSON from standard input, and prints what the client gives to its model, or nothing.",
		Flags:           []cli.Flag{&cli.BoolFlag{Name: "debug", Usage: "say on standard error why nothing was said, and log the call to a file hook-debug-*.log in the state directory"}},
		SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if slices.Contains(words, "--help") || slices.Contains(words, "-h") {
				return cli.ShowCommandHelp(c, c.Command.Name)
			}
			if d.std.Typed {
				return errors.Usage("blue hook reads a client's event from standard input, which is a terminal here").
					Hint("", "", "try it: echo '{\"hook_event_name\":\"SessionStart\",\"cwd\":\"'$PWD'\"}' | blue hook claude-code")
			}
			debug := slices.Contains(words, hook.Debug)
			d.std.Quiet()
			file := ""
			if debug {
				file = d.b.Directory("state")
			}
			log, done := mcp.Logger(io.Discard, slog.LevelWarn, file, "hook")
			defer func() { _ = done() }()
			h := &hook.Hook{Blue: d.b, Client: c.Args().First(), Log: log, Now: time.Now}
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
