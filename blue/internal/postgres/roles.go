package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// servingRole is the role whose members serve. It cannot alter the tables, and row-level
// security applies to it.
const servingRole = "blue_serving"

// rights are the rights of the role of a connection, its own or those of a role that it belongs
// to.
type rights struct {
	Role                          string
	Super, Bypass, Owner, Serving bool
}

// readRights returns the rights of the role that has logged in, to which a session can always
// return.
func readRights(ctx context.Context, c *pgx.Conn) (r rights, err error) {
	rows, _ := c.Query(ctx, `SELECT session_user::text, bool_or(rolsuper), bool_or(rolbypassrls),
			bool_or(oid IN (SELECT relowner FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'blue'))),
			bool_or(rolname = $1 AND pg_has_role(session_user, oid, 'USAGE'))
		FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')`, pgx.QueryExecModeExec, servingRole)
	return pgx.CollectOneRow(rows, pgx.RowToStructByPos[rights])
}

// checkServing rejects a role that bypasses row-level security or is not a serving role.
func checkServing(ctx context.Context, c *pgx.Conn) error {
	r, err := readRights(ctx, c)
	why := ""
	switch {
	case err != nil:
		return explain(err)
	case r.Super:
		why = "a superuser"
	case r.Bypass:
		why = "one with BYPASSRLS"
	case r.Owner:
		why = "the owner of the tables"
	case !r.Serving:
		return errors.E(errors.Invalid, "the role %s is no member of %s", errors.Quote(r.Role), servingRole).
			Hint("", "", "as an administrator of the database run: GRANT "+servingRole+" TO "+pgx.Identifier{r.Role}.Sanitize()).
			Hint("", "", "all roles and both URLs: blue server init --print")
	default:
		return nil
	}
	return errors.E(errors.Invalid, "the role %s must not serve: it has the rights of %s", errors.Quote(r.Role), why).
		Hint("", "", "as an administrator of the database run: CREATE ROLE blue_server LOGIN PASSWORD 'SECRET' IN ROLE "+servingRole).
		Hint("", "", "and serve with the URL of that role; all roles and both URLs: blue server init --print")
}

// checkOperating rejects a role that does not own the tables, because row-level security hides
// rows from it.
func checkOperating(ctx context.Context, c *pgx.Conn) error {
	r, err := readRights(ctx, c)
	if err == nil && !r.Owner {
		return errors.E(errors.Invalid, "the role %s does not own the tables", errors.Quote(r.Role)).
			Hint("", "", "servers alone use its URL: give the one by which blue server migrate has made the tables")
	}
	return explain(err)
}

// Accounts are the roles that use a database: the SQL that creates them with new passwords, and
// an empty database, and the URLs that they have then.
type Accounts struct {
	SQL     string `json:"sql"`
	Owner   string `json:"owner"`
	Serving string `json:"serving"`
}

// Text returns the SQL, in which the URLs are comments.
func (a Accounts) Text() string { return a.SQL }

const accountsSQL = `-- As an administrator of the engine, who is connected to any other database:
DO $$ BEGIN CREATE ROLE blue_serving NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE ROLE %[1]s LOGIN PASSWORD '%[2]s';
CREATE ROLE %[4]s LOGIN PASSWORD '%[5]s';
GRANT blue_serving TO %[4]s;
CREATE DATABASE %[7]s OWNER %[1]s TEMPLATE template0 ENCODING 'UTF8';
-- BLUE_STORE of the commands, which own the tables: migrate, project, token and audit
--   %[3]s
-- BLUE_STORE of the servers
--   %[6]s
`

// NewAccounts returns new roles for a database. ownerURL is the URL of the owner of the tables;
// a password in it is replaced.
func NewAccounts(ownerURL string) (a Accounts, err error) {
	config, err := parseURL(ownerURL)
	if err != nil {
		return a, err
	}
	at, err := url.Parse(ownerURL)
	if err != nil || at.Scheme == "" {
		return a, badStore("it is no URL")
	}
	owner, database := config.ConnConfig.User, config.ConnConfig.Database
	server, password, serverPassword := owner+"_server", rand.Text(), rand.Text()
	at.Path, at.User = "/"+database, url.UserPassword(owner, password)
	a.Owner = at.String()
	at.User = url.UserPassword(server, serverPassword)
	a.Serving = at.String()
	a.SQL = fmt.Sprintf(accountsSQL, pgx.Identifier{owner}.Sanitize(), password, a.Owner,
		pgx.Identifier{server}.Sanitize(), serverPassword, a.Serving, pgx.Identifier{database}.Sanitize())
	return a, nil
}
