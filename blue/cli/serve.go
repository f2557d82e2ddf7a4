package cli

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue/hook"
	"blue/blue/server"
	"blue/blue/setup"
	"blue/errors"
	"blue/marker"
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
			&cli.BoolFlag{Name: "structured", Usage: "send structured content beside each text, for programs"},
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
	o := mcp.Options{Version: setup.Version(), Structured: c.Bool("structured")}
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

const serverHelp = `Without a command it serves the projects of the database over HTTP:

  blue server --store postgres://blue_server@db/notes --listen 127.0.0.1:7865

The URL, of --store or BLUE_STORE, names a role that may only serve. This prints the SQL
that makes it, and the role that owns the tables, with their URLs:

  blue server init --print

For health checks of containers: exit code 0 when the server can answer.

  blue server ready [--listen ADDR]

Commands of the people who keep it, with the URL of the role that owns the tables:

  blue server migrate
  blue server project add NAME [--from DIR [--subject SUBJECT]]
  blue server project list [--after NAME] [--limit N]
  blue server project rename NAME OTHER
  blue server project link NAME ID-OF-ITS-CHECKOUTS
  blue server project remove NAME [--restore]
  blue server project grant NAME --subject SUBJECT|group:NAME --role reader|writer
  blue server project revoke NAME --subject SUBJECT [--purge]
  blue server project quota NAME MB
  blue server erase --project NAME --id ID [--yes]
  blue server token add --subject SUBJECT [--project NAME --role ROLE] [--expires 90d]
  blue server token list
  blue server token revoke ID
  blue server audit [--project NAME] [--since 7d]
  blue server audit --export [--project NAME] [--after CURSOR] [--limit N]`

func (d *door) server() *cli.Command {
	return &cli.Command{
		Name: "server", Usage: "serve projects whose notes lie in PostgreSQL, for many people", ArgsUsage: "[COMMAND]", Description: serverHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "store", Usage: "`URL` of the database (default: BLUE_STORE)"},
			&cli.StringFlag{Name: "listen", Usage: "serve HTTP at `ADDR`: HOST:PORT, HOST or PORT", Value: "127.0.0.1:7865"},
			&cli.GenericFlag{Name: "host-name", Value: &each{}, Usage: "accept `NAME` as the server's host name too; may be repeated"},
			&cli.StringFlag{Name: "oauth-issuer", Usage: "also take the access tokens that the issuer at `URL` has signed"},
			&cli.StringFlag{Name: "audience", Usage: "`URL` of this server, /mcp included, which those tokens must name"},
			&cli.StringFlag{Name: "subject-claim", Usage: "`CLAIM` of those tokens that names the subject", Value: "sub"},
			&cli.StringFlag{Name: "groups-claim", Usage: "`CLAIM` of those tokens that lists the groups of the subject", Value: "groups"},
			&cli.StringFlag{Name: "page-client", Usage: "also show the notes to people who log in at the issuer, where this server is the client `ID`; its secret is BLUE_PAGE_SECRET"},
			&cli.BoolFlag{Name: "no-auth", Usage: "ask for no token; only on 127.0.0.1"},
			&cli.Int64Flag{Name: "cache-size", Usage: "keep at most `MB` of search indexes", Value: 4096},
			&cli.BoolFlag{Name: "structured", Usage: "send structured content beside each text, for programs"},
			&cli.BoolFlag{Name: "metrics-projects", Usage: "name the project of each call in /metrics"},
			&cli.Float64Flag{Name: "per-second", Usage: "`N` calls of one subject a second", Value: 50},
			&cli.Int64Flag{Name: "per-day", Usage: "`MB` that one subject may send in a day", Value: 1024},
			&cli.StringFlag{Name: "from", Usage: "the project of `DIR`, whose notes a new project gets"},
			&cli.StringFlag{Name: "subject", Usage: "`SUBJECT` of a grant or a token, such as ann@example.com; of a grant also group:NAME"},
			&cli.StringFlag{Name: "project", Usage: "`NAME` of a project"},
			&cli.StringFlag{Name: "role", Usage: "`ROLE` of a subject: reader or writer"},
			&cli.StringFlag{Name: "expires", Usage: "end a token after `TIME`, such as 90d or 12h"},
			&cli.StringFlag{Name: "since", Usage: "only entries of the audit of the last `TIME`", Value: "7d"},
			&cli.BoolFlag{Name: "export", Usage: "print the audit as lines of JSON"},
			&cli.StringFlag{Name: "after", Usage: "list the projects whose names come after `NAME`, or the audit behind a line's cursor"},
			&cli.IntFlag{Name: "limit", Usage: "list at most `N` projects or exported lines", Value: 100},
			&cli.BoolFlag{Name: "purge", Usage: "also remove the private notes of the subject, for good"},
			&cli.BoolFlag{Name: "restore", Usage: "bring a removed project back"},
			&cli.StringFlag{Name: "id", Usage: "`ID` of a note to erase"},
			&cli.BoolFlag{Name: "yes", Usage: "erase for good; without it the command only says what it would erase"},
			&cli.BoolFlag{Name: "print", Usage: "of init: print the SQL and the URLs of the roles, with new passwords"},
			jsonFlag(),
		},
		Action: d.runServer,
	}
}

func (d *door) runServer(c *cli.Context) error {
	store := c.String("store")
	if store == "" {
		store = d.b.Env("BLUE_STORE")
	}
	words := c.Args().Slice()
	switch strings.Join(words, " ") {
	case "init":
		if !c.Bool("print") {
			return errors.Missing("print", "blue server init changes nothing: print the SQL, and run it as an administrator of the database")
		}
		return d.answer(server.Init(cmp.Or(store, "postgres://blue@HOST/notes")))
	case "ready":
		return mcp.AskReady(c.Context, c.String("listen"))
	}
	if store == "" {
		return errors.Missing("store", "give the URL of the database: --store postgres://blue_server@HOST/NAME, or BLUE_STORE")
	}
	d.serve.TrustAuthorities()
	switch strings.Join(words, " ") {
	case "":
		return d.serveHosted(c, store)
	case "migrate":
		return d.answer(server.Migrate(c.Context, store))
	}
	command, names := strings.Join(words[:min(2, len(words))], " "), words[min(2, len(words)):]
	if n, known := operands[command]; !known || len(names) != n {
		return errors.Usage("blue server has no command %q", strings.Join(words, " ")).Hint("", "", "see: blue server --help")
	}
	o, err := server.Operate(c.Context, store)
	if err != nil {
		return err
	}
	defer o.Close()
	return d.answer(d.operate(c, o, command, names))
}

// operands maps the subcommands of `blue server` to their number of arguments.
var operands = map[string]int{
	"audit": 0, "erase": 0, "project quota": 2, "project list": 0, "project add": 1, "project rename": 2, "project link": 2, "project remove": 1,
	"project grant": 1, "project revoke": 1, "token list": 0, "token add": 0, "token revoke": 1,
}

// operate runs a subcommand of `blue server`.
func (d *door) operate(c *cli.Context, o *server.Operator, command string, names []string) (result, error) {
	ctx, subject, project := c.Context, c.String("subject"), c.String("project")
	switch command {
	case "project list":
		return o.Projects(ctx, c.String("after"), c.Int("limit"))
	case "project add":
		return o.AddProject(ctx, names[0], d.absolute(c.String("from")), subject)
	case "project rename":
		return o.RenameProject(ctx, names[0], names[1])
	case "project link":
		return o.LinkProject(ctx, names[0], names[1])
	case "project remove":
		return o.RemoveProject(ctx, names[0], c.Bool("restore"))
	case "project grant":
		return o.Grant(ctx, names[0], subject, c.String("role"))
	case "project revoke":
		return o.Revoke(ctx, names[0], subject, c.Bool("purge"))
	case "project quota":
		return o.SetQuota(ctx, names[0], names[1])
	case "erase":
		return o.Erase(ctx, project, c.String("id"), c.Bool("yes"))
	case "token list":
		return o.Tokens(ctx)
	case "token revoke":
		return o.RevokeToken(ctx, names[0])
	case "token add":
		lasts, err := parseAge("expires", c.String("expires"))
		if err != nil {
			return nil, err
		}
		token := server.Token{Subject: subject, Project: project, Role: c.String("role")}
		if lasts > 0 {
			token.Expires = time.Now().Add(lasts)
		}
		return o.AddToken(ctx, token)
	}
	return audit(c, o, project)
}

// audit lists or exports the audit.
func audit(c *cli.Context, o *server.Operator, project string) (result, error) {
	if c.Bool("export") {
		return o.ExportAudit(c.Context, project, c.String("after"), c.Int("limit"))
	}
	age, err := parseAge("since", c.String("since"))
	if err != nil {
		return nil, err
	}
	return o.Audit(c.Context, project, time.Now().Add(-age))
}

// shortestSecret is the minimum length of the client secret, from which the key of the cookies is
// derived.
const shortestSecret = 16

// serveHosted serves the projects in a database.
func (d *door) serveHosted(c *cli.Context, store string) error {
	issuer, audience := c.String("oauth-issuer"), c.String("audience")
	client, secret := c.String("page-client"), d.b.Env("BLUE_PAGE_SECRET")
	switch {
	case issuer != "" && audience == "":
		return errors.Missing("audience", "give the URL by which clients reach this server, as --audience https://notes.example.com/mcp")
	case issuer == "" && audience != "":
		return errors.Missing("oauth-issuer", "name the issuer whose tokens say --audience, or leave that out")
	case issuer != "" && c.Bool("no-auth"):
		return errors.Exclusive("--oauth-issuer", "--no-auth")
	case client != "" && issuer == "":
		return errors.Missing("oauth-issuer", "name the issuer where people log in as --page-client says, or leave that out")
	case client != "" && len(secret) < shortestSecret:
		return errors.E(errors.Invalid, "the secret in BLUE_PAGE_SECRET is missing, or shorter than %d characters",
			shortestSecret).
			Hint("", "", "register the server as a client at the issuer, and give the secret that the issuer makes")
	}
	return d.serve.Host(c.Context,
		server.Options{
			Store: store, CacheSize: c.Int64("cache-size") << 20,
			Issuer: server.Issuer{
				URL: issuer, Audience: audience, Client: client, Secret: secret,
				Subject: c.String("subject-claim"), Groups: c.String("groups-claim"),
			},
		},
		mcp.Options{Version: setup.Version(), Structured: c.Bool("structured"), CountProjects: c.Bool("metrics-projects")},
		mcp.Hosting{
			Addr: c.String("listen"), HostNames: *c.Generic("host-name").(*each), NoAuth: c.Bool("no-auth"),
			PerSecond: c.Float64("per-second"), PerDay: c.Int64("per-day") << 20, Issuer: issuer, Audience: audience,
		})
}

// parseAge parses an age such as 90d or 12h. An empty text is 0.
func parseAge(name, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 100*366 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age > 0 {
		return age, nil
	}
	return 0, errors.BadValue(name, text, "a time such as 90d or 12h")
}

func (d *door) ui() *cli.Command {
	return &cli.Command{
		Name: "ui", Usage: "open the notes in the browser, to read and change them",
		Description: "Only this machine reaches the page, and only the browser that opens the link first.\n" +
			"It shows what agents write as they write it, and ends with Ctrl-C.\n" +
			"The list shows cards or a table, next to an outline of types, statuses, tags, authors and\n" +
			"documents. Ctrl-K finds notes, views and projects.\n" +
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
			return d.serve.Page(c.Context, d.call(c), port, c.Bool("read-only"), func(url string) {
				d.ready(url, !c.Bool("no-open") && d.std.Width > 0)
			})
		},
	}
}

// ready prints the link and opens it if a person is watching.
func (d *door) ready(url string, open bool) {
	if _, err := fmt.Fprintln(d.out, url); err != nil {
		d.out.failed = nil // printed on standard error
		fmt.Fprintln(d.std.Err, url)
	}
	fmt.Fprintln(d.std.Err, "The link opens the page once, in one browser. Ctrl-C ends it.")
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
			d.std.Quiet()
			file := ""
			if debug {
				file = d.b.Directory("state")
			}
			log, done := mcp.Logger(io.Discard, slog.LevelWarn, file)
			defer func() { _ = done() }()
			h := &hook.Hook{Blue: d.b, Client: c.Args().First(), Self: d.std.Self, Mounts: "/proc/self/mountinfo", Log: log, Now: time.Now}
			if slices.Contains(words, hook.Unguarded) {
				h.Self = ""
				marker.UseProbe("") // the parent process can exit without this one
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

// probe returns the hidden command that stats paths on file systems that may hang, for a parent
// process.
func (d *door) probe() *cli.Command {
	return &cli.Command{
		Name: marker.ProbeCommand, Hidden: true, SkipFlagParsing: true,
		Action: func(*cli.Context) error { return marker.RunProbe(d.std.In, d.std.Out) },
	}
}
