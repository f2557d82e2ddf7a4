package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue/server"
	"blue/errors"
)

// Host holds the options of `blue server` without a subcommand.
type Host struct {
	Hosting
	Store      string // URL of the database
	CacheSize  int64  // size limit of the indexes, in bytes
	StaleReads bool
	Structured bool
	Subject    string // token claim with the subject
	Groups     string // token claim with the subject's groups
	Client     string // OAuth client ID for logins, empty for no pages
	Secret     string // OAuth client secret

	MetricsProjects bool // label metrics by project
}

// Hosting holds the options of the listener.
type Hosting struct {
	Addr      string
	HostNames []string
	NoAuth    bool
	PerSecond float64
	PerDay    int64
	Issuer    string // URL of the OIDC issuer, empty for none
	Audience  string // required audience of tokens: the URL of this server
}

const serverHelp = `Without a command it serves the projects of the database over HTTP:

  blue server --store postgres://blue@db/notes --listen 127.0.0.1:7865

Commands of the people who keep it, with --store or BLUE_STORE too:

  blue server migrate
  blue server project add NAME [--from DIR [--subject SUBJECT]]
  blue server project list
  blue server project rename NAME OTHER
  blue server project link NAME ID-OF-ITS-CHECKOUTS
  blue server project remove NAME [--restore]
  blue server project grant NAME --subject SUBJECT|group:NAME --role reader|writer|admin
  blue server project revoke NAME --subject SUBJECT [--purge]
  blue server token add --subject SUBJECT [--project NAME --role ROLE] [--expires 90d]
  blue server token list
  blue server token revoke ID
  blue server audit [--project NAME] [--since 7d]`

// blue server [migrate | project … | token … | audit] --store URL [--listen ADDR] [--host-name NAME]… [--oauth-issuer URL --audience URL] [--subject-claim CLAIM] [--groups-claim CLAIM] [--page-client ID] [--no-auth] [--cache-size MB] [--stale-reads] [--structured] [--metrics-projects] [--per-second N] [--per-day MB]
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
			&cli.BoolFlag{Name: "stale-reads", Usage: "while the database does not answer, answer from what was read before"},
			&cli.BoolFlag{Name: "structured", Usage: "send structured content beside each text, for programs"},
			&cli.BoolFlag{Name: "metrics-projects", Usage: "name the project of each call in /metrics"},
			&cli.Float64Flag{Name: "per-second", Usage: "`N` calls of one subject a second", Value: 50},
			&cli.Int64Flag{Name: "per-day", Usage: "`MB` that one subject may send in a day", Value: 1024},
			&cli.StringFlag{Name: "from", Usage: "the project of `DIR`, whose notes a new project gets"},
			&cli.StringFlag{Name: "subject", Usage: "`SUBJECT` of a grant or a token, such as ann@example.com; of a grant also group:NAME"},
			&cli.StringFlag{Name: "project", Usage: "`NAME` of a project"},
			&cli.StringFlag{Name: "role", Usage: "`ROLE` of a subject: reader, writer or admin"},
			&cli.StringFlag{Name: "expires", Usage: "end a token after `TIME`, such as 90d or 12h"},
			&cli.StringFlag{Name: "since", Usage: "only entries of the audit of the last `TIME`", Value: "7d"},
			&cli.BoolFlag{Name: "purge", Usage: "also remove the private notes of the subject, for good"},
			&cli.BoolFlag{Name: "restore", Usage: "bring a removed project back"},
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
	if store == "" {
		return errors.Missing("store", "give the URL of the database: --store postgres://blue@HOST/NAME, or BLUE_STORE")
	}
	words := c.Args().Slice()
	switch strings.Join(words, " ") {
	case "":
		return d.serveHosted(c, store)
	case "migrate":
		return d.answer(server.Migrate(c.Context, store))
	}
	run, names := serverCommand(words)
	if run == nil {
		return errors.Usage("blue server has no command %q", strings.Join(words, " ")).Hint("", "", "see: blue server --help")
	}
	o, err := server.Operate(c.Context, store)
	if err != nil {
		return err
	}
	defer o.Close()
	return d.answer(run(c.Context, o, operation{c, names, d.absolute(c.String("from"))}))
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
	return d.serve(c.Context, Serving{Host: &Host{
		Store: store, CacheSize: c.Int64("cache-size") << 20, StaleReads: c.Bool("stale-reads"), Structured: c.Bool("structured"),
		MetricsProjects: c.Bool("metrics-projects"), Subject: c.String("subject-claim"), Groups: c.String("groups-claim"), Client: client, Secret: secret,
		Hosting: Hosting{
			Addr: c.String("listen"), HostNames: *c.Generic("host-name").(*each), NoAuth: c.Bool("no-auth"),
			PerSecond: c.Float64("per-second"), PerDay: c.Int64("per-day") << 20, Issuer: issuer, Audience: audience,
		},
	}})
}

// operation is an invocation of a subcommand: its flags and the arguments after the subcommand.
type operation struct {
	*cli.Context
	names []string
	from  string // absolute path of --from
}

// runOperation runs a subcommand.
type runOperation func(ctx context.Context, o *server.Operator, c operation) (result, error)

// serverCommand returns the subcommand that words name and the remaining arguments.
func serverCommand(words []string) (run runOperation, names []string) {
	for _, command := range []struct {
		words string
		names int
		run   runOperation
	}{
		{"audit", 0, listAudit},
		{"project list", 0, func(ctx context.Context, o *server.Operator, _ operation) (result, error) { return o.Projects(ctx) }},
		{"project add", 1, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.AddProject(ctx, c.names[0], c.from, c.String("subject"))
		}},
		{"project rename", 2, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.RenameProject(ctx, c.names[0], c.names[1])
		}},
		{"project link", 2, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.LinkProject(ctx, c.names[0], c.names[1])
		}},
		{"project remove", 1, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.RemoveProject(ctx, c.names[0], c.Bool("restore"))
		}},
		{"project grant", 1, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.Grant(ctx, c.names[0], c.String("subject"), c.String("role"))
		}},
		{"project revoke", 1, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.Revoke(ctx, c.names[0], c.String("subject"), c.Bool("purge"))
		}},
		{"token list", 0, func(ctx context.Context, o *server.Operator, _ operation) (result, error) { return o.Tokens(ctx) }},
		{"token add", 0, addToken},
		{"token revoke", 1, func(ctx context.Context, o *server.Operator, c operation) (result, error) {
			return o.RevokeToken(ctx, c.names[0])
		}},
	} {
		own := strings.Fields(command.words)
		if len(words) == len(own)+command.names && strings.Join(words[:len(own)], " ") == command.words {
			return command.run, words[len(own):]
		}
	}
	return nil, nil
}

func addToken(ctx context.Context, o *server.Operator, c operation) (result, error) {
	lasts, err := parseAge("expires", c.String("expires"))
	if err != nil {
		return nil, err
	}
	token := server.Token{Subject: c.String("subject"), Project: c.String("project"), Role: c.String("role")}
	if lasts > 0 {
		token.Expires = time.Now().Add(lasts)
	}
	return o.AddToken(ctx, token)
}

func listAudit(ctx context.Context, o *server.Operator, c operation) (result, error) {
	age, err := parseAge("since", c.String("since"))
	if err != nil {
		return nil, err
	}
	return o.Audit(ctx, c.String("project"), time.Now().Add(-age))
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
	return 0, errors.BadValue(name, text, fmt.Sprintf("a time such as %s or %s", "90d", "12h"))
}
