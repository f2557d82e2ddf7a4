package cli

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue/server"
	"blue/blue/setup"
	"blue/errors"
	"blue/mcp"
)

const serverHelp = `Without a command it serves the projects of the database over HTTP:

  blue server --store postgres://blue_server@db/notes --listen 127.0.0.1:7865

The URL, of --store or BLUE_STORE, names a role that may only serve. This prints the SQL
that makes it, and the role that owns the tables, with their URLs:

  blue server init --print

The other commands are for the people who keep it, with the URL of the role that owns the
tables.`

func (d *door) server() *cli.Command {
	return &cli.Command{
		Name: "server", Usage: "serve projects whose notes lie in PostgreSQL, for many people", ArgsUsage: "[COMMAND]", Description: serverHelp,
		Flags: []cli.Flag{
			storeFlag(), listenFlag("serve HTTP at `ADDR`: HOST:PORT, HOST or PORT"),
			&cli.GenericFlag{Name: "host-name", Value: &each{}, Usage: "accept `NAME` as the server's host name too; may be repeated"},
			&cli.StringFlag{Name: "oauth-issuer", Usage: "also take the access tokens that the issuer at `URL` has signed"},
			&cli.StringFlag{Name: "audience", Usage: "`URL` of this server, /mcp included, which those tokens must name"},
			&cli.StringFlag{Name: "subject-claim", Usage: "`CLAIM` of those tokens that names the subject", Value: "sub"},
			&cli.StringFlag{Name: "groups-claim", Usage: "`CLAIM` of those tokens that lists the groups of the subject", Value: "groups"},
			&cli.StringFlag{Name: "page-client", Usage: "also show the notes to people who log in at the issuer, where this server is the client `ID`; its secret is BLUE_PAGE_SECRET"},
			&cli.BoolFlag{Name: "no-auth", Usage: "ask for no token; only on 127.0.0.1"},
			&cli.Int64Flag{Name: "cache-size", Usage: "keep at most `MB` of search indexes", Value: 4096},
			&cli.BoolFlag{Name: "structured", Usage: "also send structured content, for programs"},
			&cli.BoolFlag{Name: "metrics-projects", Usage: "name the project of each call in /metrics"},
		},
		Subcommands: []*cli.Command{
			d.serverInit(), d.serverReady(), d.serverMigrate(),
			{Name: "project", Usage: "add, list, rename, remove and grant projects", ArgsUsage: "COMMAND", Action: d.unknown, Subcommands: d.serverProject()},
			{Name: "token", Usage: "add, list and revoke tokens", ArgsUsage: "COMMAND", Action: d.unknown, Subcommands: d.serverToken()},
			d.serverErase(), d.serverAudit(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return d.unknown(c)
			}
			store, err := d.store(c)
			if err != nil {
				return err
			}
			return d.serveHosted(c, store)
		},
	}
}

// Flags that several commands of the server share.

func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Usage: "`URL` of the database (default: BLUE_STORE)"}
}

func listenFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "listen", Usage: usage, Value: "127.0.0.1:7865"}
}

func subjectFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "subject", Usage: usage} }

func roleFlag() cli.Flag {
	return &cli.StringFlag{Name: "role", Usage: "`ROLE` of the subject: reader or writer"}
}

func projectFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "project", Usage: usage} }

// store returns the URL of the database. A program that connects accepts the authorities that
// browsers accept.
func (d *door) store(c *cli.Context) (string, error) {
	store := cmp.Or(c.String("store"), d.b.Env("BLUE_STORE"))
	if store == "" {
		return "", errors.Missing("store", "give the URL of the database: --store postgres://blue_server@HOST/NAME, or BLUE_STORE")
	}
	d.serve.TrustAuthorities()
	return store, nil
}

func (d *door) serverInit() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "print the SQL that makes the roles and the database, with new passwords, and their URLs",
		Flags: []cli.Flag{storeFlag(), jsonFlag(), &cli.BoolFlag{Name: "print", Usage: "print them; the command changes nothing"}},
		Action: func(c *cli.Context) error {
			if !c.Bool("print") {
				return errors.Missing("print", "blue server init changes nothing: print the SQL, and run it as an administrator of the database")
			}
			return d.answer(server.Init(cmp.Or(c.String("store"), d.b.Env("BLUE_STORE"), "postgres://blue@HOST/notes")))
		},
	}
}

func (d *door) serverReady() *cli.Command {
	return &cli.Command{
		Name: "ready", Usage: "for health checks of containers: exit code 0 when the server can answer", Flags: []cli.Flag{listenFlag("ask the server at `ADDR`: HOST:PORT, HOST or PORT")},
		Action: func(c *cli.Context) error { return mcp.AskReady(c.Context, c.String("listen")) },
	}
}

func (d *door) serverMigrate() *cli.Command {
	return &cli.Command{
		Name: "migrate", Usage: "make the tables, or bring them up to date", Flags: []cli.Flag{storeFlag(), jsonFlag()},
		Action: func(c *cli.Context) error {
			store, err := d.store(c)
			if err != nil {
				return err
			}
			return d.answer(server.Migrate(c.Context, store))
		},
	}
}

// operating returns a command of those who keep the server. It takes as many arguments as its usage
// names.
func (d *door) operating(command *cli.Command, run func(c *cli.Context, o *server.Operator) (reply, error)) *cli.Command {
	command.Flags = append(command.Flags, storeFlag(), jsonFlag())
	command.Action = func(c *cli.Context) error {
		if n := len(strings.Fields(command.ArgsUsage)); c.NArg() != n {
			return wrongArguments(c, command.ArgsUsage)
		}
		store, err := d.store(c)
		if err != nil {
			return err
		}
		o, err := server.Operate(c.Context, store)
		if err != nil {
			return err
		}
		defer o.Close()
		return d.answer(run(c, o))
	}
	return command
}

func (d *door) serverProject() []*cli.Command {
	return []*cli.Command{
		d.operating(&cli.Command{
			Name: "add", Usage: "add a project", ArgsUsage: "NAME",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "from", Usage: "take over the notes of the project of `DIR`"},
				subjectFlag("`SUBJECT` who gets its private notes; without one they stay where they are"),
			},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			return o.AddProject(c.Context, c.Args().First(), d.absolute(c.String("from")), c.String("subject"))
		}),
		d.operating(&cli.Command{
			Name: "list", Usage: "list the projects",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "after", Usage: "those whose names come after `NAME`"},
				&cli.IntFlag{Name: "limit", Usage: "at most `N` projects", Value: 100},
			},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			return o.Projects(c.Context, c.String("after"), c.Int("limit"))
		}),
		d.operating(&cli.Command{Name: "rename", Usage: "give a project another name", ArgsUsage: "NAME OTHER"},
			func(c *cli.Context, o *server.Operator) (reply, error) {
				return o.RenameProject(c.Context, c.Args().Get(0), c.Args().Get(1))
			}),
		d.operating(&cli.Command{Name: "link", Usage: "say which id the checkouts of a project have", ArgsUsage: "NAME ID-OF-ITS-CHECKOUTS"},
			func(c *cli.Context, o *server.Operator) (reply, error) {
				return o.LinkProject(c.Context, c.Args().Get(0), c.Args().Get(1))
			}),
		d.operating(&cli.Command{
			Name: "remove", Usage: "remove a project", ArgsUsage: "NAME",
			Flags: []cli.Flag{&cli.BoolFlag{Name: "restore", Usage: "bring a removed project back"}},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			return o.RemoveProject(c.Context, c.Args().First(), c.Bool("restore"))
		}),
		d.operating(&cli.Command{
			Name: "grant", Usage: "let a subject read or write a project", ArgsUsage: "NAME",
			Flags: []cli.Flag{subjectFlag("`SUBJECT`, such as ann@example.com, or group:NAME"), roleFlag()},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			return o.Grant(c.Context, c.Args().First(), c.String("subject"), c.String("role"))
		}),
		d.operating(&cli.Command{
			Name: "revoke", Usage: "take the role of a subject away", ArgsUsage: "NAME",
			Flags: []cli.Flag{
				subjectFlag("`SUBJECT`, such as ann@example.com, or group:NAME"),
				&cli.BoolFlag{Name: "purge", Usage: "also remove the private notes of the subject, for good"},
			},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			return o.Revoke(c.Context, c.Args().First(), c.String("subject"), c.Bool("purge"))
		}),
		d.operating(&cli.Command{Name: "quota", Usage: "bound the texts of a project; 0 means no bound", ArgsUsage: "NAME MB"},
			func(c *cli.Context, o *server.Operator) (reply, error) {
				return o.SetQuota(c.Context, c.Args().Get(0), c.Args().Get(1))
			}),
	}
}

func (d *door) serverToken() []*cli.Command {
	return []*cli.Command{
		d.operating(&cli.Command{
			Name: "add", Usage: "make a token, which is printed once",
			Flags: []cli.Flag{
				subjectFlag("`SUBJECT` of the token, such as ann@example.com"), projectFlag("let it reach the project `NAME` alone"), roleFlag(),
				&cli.StringFlag{Name: "expires", Usage: "end it after `TIME`, such as 90d or 12h"},
			},
		}, func(c *cli.Context, o *server.Operator) (reply, error) {
			lasts, err := parseAge("expires", c.String("expires"))
			if err != nil {
				return nil, err
			}
			token := server.Token{Subject: c.String("subject"), Project: c.String("project"), Role: c.String("role")}
			if lasts > 0 {
				token.Expires = time.Now().Add(lasts)
			}
			return o.AddToken(c.Context, token)
		}),
		d.operating(&cli.Command{Name: "list", Usage: "list the tokens, without their secrets"},
			func(c *cli.Context, o *server.Operator) (reply, error) { return o.Tokens(c.Context) }),
		d.operating(&cli.Command{Name: "revoke", Usage: "end a token", ArgsUsage: "ID"},
			func(c *cli.Context, o *server.Operator) (reply, error) {
				return o.RevokeToken(c.Context, c.Args().First())
			}),
	}
}

func (d *door) serverErase() *cli.Command {
	return d.operating(&cli.Command{
		Name: "erase", Usage: "erase a note with all its revisions, for good",
		Flags: []cli.Flag{
			projectFlag("`NAME` of the project"), &cli.StringFlag{Name: "id", Usage: "`ID` of the note"},
			&cli.BoolFlag{Name: "yes", Usage: "do it; without it the command only says what it would erase"},
		},
	}, func(c *cli.Context, o *server.Operator) (reply, error) {
		return o.Erase(c.Context, c.String("project"), c.String("id"), c.Bool("yes"))
	})
}

func (d *door) serverAudit() *cli.Command {
	return d.operating(&cli.Command{
		Name: "audit", Usage: "list who did what",
		Flags: []cli.Flag{
			projectFlag("only of the project `NAME`"), &cli.StringFlag{Name: "since", Usage: "only of the last `TIME`", Value: "7d"},
			&cli.BoolFlag{Name: "export", Usage: "print lines of JSON, the oldest first"},
			&cli.StringFlag{Name: "after", Usage: "export what stands behind the `CURSOR` of a line"},
			&cli.IntFlag{Name: "limit", Usage: "export at most `N` lines", Value: 100},
		},
	}, func(c *cli.Context, o *server.Operator) (reply, error) {
		project := c.String("project")
		if c.Bool("export") {
			return o.ExportAudit(c.Context, project, c.String("after"), c.Int("limit"))
		}
		age, err := parseAge("since", c.String("since"))
		if err != nil {
			return nil, err
		}
		return o.Audit(c.Context, project, time.Now().Add(-age))
	})
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
		mcp.Options{Version: setup.Version, Structured: c.Bool("structured"), CountProjects: c.Bool("metrics-projects")},
		mcp.Hosting{
			Addr: c.String("listen"), HostNames: *c.Generic("host-name").(*each), NoAuth: c.Bool("no-auth"),
			Issuer: issuer, Audience: audience,
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
