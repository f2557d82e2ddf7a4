package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/result"
	"blue/blue/server"
	"blue/errors"
	"blue/marker"
	"blue/mcp"
)

// IO is the environment of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string // working directory, empty if it was removed
	Self     string // path of this binary, for demo
	Width    int    // columns of Out if it is a terminal, else 0
	Height   int    // rows of it
	Pager    string // command line of the user's pager, empty for none
	Typed    bool   // In is a terminal
	Watched  bool   // Err is a terminal
	Color    bool

	Exit  func(code int) // ends the process immediately, even if a goroutine waits for a disk
	Quiet func()         // stops logging to Err
}

// Servers starts the servers of the program. Package program implements it: a server has the
// process's standard streams, its log and the directory in which it was started.
type Servers interface {
	// Page serves the page of `blue ui` and calls ready with the link that opens it, and with another
	// for each value of again.
	Page(ctx context.Context, call blue.Call, port int, readOnly bool, again <-chan struct{}, ready func(url string)) error
	// MCP serves the protocol at h.Addr, or on standard input and output if that is empty.
	MCP(ctx context.Context, o mcp.Options, h mcp.HTTP, debug bool) error
	// Host serves the projects of a database.
	Host(ctx context.Context, s server.Options, o mcp.Options, h mcp.Hosting) error
	// TrustAuthorities makes this process accept the TLS authorities that browsers accept, if the
	// system has none. It must be called at most once.
	TrustAuthorities()
}

// door is one run of a command line.
type door struct {
	std   IO
	out   *output // std.Out, with its first error
	b     *blue.Blue
	serve Servers
	json  bool
	paged bool          // long output goes through the pager
	in    *bufio.Reader // std.In, once a question was asked
	of    *cli.Command  // the running command, nil before one is found

	progress *progress // progress of the command, nil if standard error is not a terminal
	code     int       // exit code of a command that has shown its result
}

// readLine reads what the person types in answer to a question, without spaces around it. It fails
// with the error of the context when that ends.
func (d *door) readLine(ctx context.Context) (string, error) {
	if d.in == nil {
		d.in = bufio.NewReader(d.std.In)
	}
	type answer struct {
		line string
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		line, err := d.in.ReadString('\n')
		typed <- answer{strings.TrimSpace(line), err}
	}()
	select {
	case a := <-typed:
		return a.line, a.err
	case <-ctx.Done():
		fmt.Fprintln(d.std.Err)
		return "", ctx.Err()
	}
}

// call returns what names the project: --cwd, BLUE_PROJECT and the working directory. A relative
// --cwd is relative to the working directory.
func (d *door) call(c *cli.Context) blue.Call {
	call := d.callFrom(c.String("cwd"), c.IsSet("cwd"))
	call.Plain = !c.Bool("verbose")
	return call
}

// callFrom is call with the value of --cwd, if given.
func (d *door) callFrom(cwd string, given bool) blue.Call {
	var all []marker.Candidate
	if given {
		all = append(all, marker.Candidate{Source: marker.Argument, Value: d.absolute(cwd)})
	}
	all = append(all, marker.Candidate{Source: marker.Env, Value: d.b.Env("BLUE_PROJECT")}, d.b.Process(d.std.Dir))
	return blue.Call{Cwd: d.std.Dir, Door: marker.Door{Terminal: true}, Private: true, From: slices.Values(all)}
}

// absolute makes a path absolute and clean. Values that are no plain path are returned unchanged.
func (d *door) absolute(dir string) string {
	dir = marker.Native(dir)
	switch {
	case filepath.IsAbs(dir):
		return filepath.Clean(dir)
	case filepath.IsAbs(filepath.VolumeName(d.std.Dir) + dir): // below the root of this drive, on Windows
		return filepath.Clean(filepath.VolumeName(d.std.Dir) + dir)
	case dir == "" || d.std.Dir == "" || strings.HasPrefix(strings.ToLower(dir), "file:"):
		return dir
	}
	return filepath.Join(d.std.Dir, dir)
}

// verb returns a command that works on a project. run fills the input of the verb and calls it.
func (d *door) verb(command *cli.Command, run func(c *cli.Context, p *blue.Project) (reply, error)) *cli.Command {
	command.Flags = append(command.Flags, cwdFlag(), jsonFlag(), verboseFlag())
	command.Action = func(c *cli.Context) error {
		if at := c.String("server"); at != "" {
			return d.runOnServer(c, at, run)
		}
		open := d.b.Open
		if c.Bool("personal") {
			open = d.b.OpenPersonal
		}
		p, err := open(c.Context, d.call(c))
		if err != nil {
			return err
		}
		return d.answer(run(c, p))
	}
	return command
}

// verbOfNote returns a command that works on one note, whose id is the only argument.
func (d *door) verbOfNote(command *cli.Command, run func(c *cli.Context, p *blue.Project, id string) (reply, error)) *cli.Command {
	return d.verb(command, func(c *cli.Context, p *blue.Project) (reply, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		return run(c, p, id)
	})
}

// wrongArguments returns an error that states the expected and the given arguments.
func wrongArguments(c *cli.Context, takes string) error {
	given := result.Plural(c.NArg(), "argument") + " were given"
	switch c.NArg() {
	case 0:
		given = "no argument was given"
	case 1:
		given = "1 argument was given"
	}
	return errors.Usage("%s takes %s; %s", c.Command.HelpName, takes, given).
		Hint("", "", "see: "+c.Command.HelpName+" --help")
}

// runOnServer runs a command on the notes of a server. It shows the result once the server has
// stored it.
func (d *door) runOnServer(c *cli.Context, at string, run func(c *cli.Context, p *blue.Project) (reply, error)) (err error) {
	var r reply
	on := blue.OnServer{URL: at, Project: c.String("project"), Send: c.Command.Name == "import" && !c.Bool("dry-run")}
	err = d.b.WorkOnServer(c.Context, on, func(p *blue.Project) (err error) {
		r, err = run(c, p)
		return err
	})
	return d.answer(r, err)
}

// serverFlags returns the flags of commands that also work on the notes of a server.
func serverFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Usage: "the `URL` of a blue server whose notes are meant"},
		&cli.StringFlag{Name: "project", Usage: "the project `NAME` on that server"},
	}
}

// oneArgument returns the only argument of a command.
func oneArgument(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", wrongArguments(c, "one "+what)
	}
	return c.Args().First(), nil
}

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

func noPagerFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-pager", Usage: "do not send long output to a terminal through BLUE_PAGER, PAGER or less"}
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
		Selection: blue.Selection{Type: c.String("type"), Tags: c.StringSlice("tags"), Since: c.String("since")},
		Paging:    blue.Paging{Limit: c.Int("limit"), MaxTokens: c.Int("max-tokens"), Cursor: c.String("cursor"), Whole: true},
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
