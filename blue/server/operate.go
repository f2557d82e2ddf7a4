package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Operator runs the commands that administer a server.
type Operator struct{ o *postgres.Operator }

// Operate connects as the owner of the tables.
func Operate(ctx context.Context, url string) (*Operator, error) {
	o, err := postgres.Operate(ctx, url)
	return &Operator{o}, err
}

// Close closes the connection.
func (o *Operator) Close() { o.o.Close(context.Background()) }

// Done is the answer to a command that changes something.
type Done struct {
	Action  string `json:"action"`
	Project string `json:"project,omitempty"`
	Subject string `json:"subject,omitempty"`
	Role    string `json:"role,omitempty"`
	Token   string `json:"token,omitempty"` // shown once
	ID      string `json:"id,omitempty"`
	Notes   int    `json:"notes,omitempty"`   // number of imported notes
	Version int    `json:"version,omitempty"` // of the tables
	text    string
}

// Text describes what was done.
func (d Done) Text() string { return d.text + "\n" }

// Migrate upgrades the tables of a database to the version of this program.
func Migrate(ctx context.Context, url string) (Done, error) {
	from, err := postgres.Migrate(ctx, url)
	d := Done{Action: "migrate", Version: postgres.Version}
	switch from {
	case 0:
		d.text = fmt.Sprintf("Made the tables, version %d.", postgres.Version)
	case postgres.Version:
		d.text = fmt.Sprintf("The tables have version %d already.", from)
	default:
		d.text = fmt.Sprintf("The tables have version %d, made of version %d.", postgres.Version, from)
	}
	return d, err
}

// Init returns the roles for a database. url is the URL of the owner.
func Init(url string) (postgres.Accounts, error) { return postgres.NewAccounts(url) }

const longestName = 80 // characters in the name of a project or a subject

// checkName rejects a name that replies cannot show, or that must be escaped in the query of a
// URL.
func checkName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return errors.BadProjectName(name, "it is empty, or begins or ends with a space")
	case utf8.RuneCountInString(name) > longestName:
		return errors.BadProjectName(name, "it is longer than 80 characters")
	case errors.Visible(name) != name || strings.ContainsAny(name, "&#?%/\\\"'<>"):
		return errors.BadProjectName(name, "it holds hidden characters, or one of & # ? % / \\ \" ' < >")
	}
	return nil
}

// AddProject creates a project. If from names a directory it imports the notes of the project
// there: those of notes/ and, if subject is not empty, those of private/ for the subject.
func (o *Operator) AddProject(ctx context.Context, name, from, subject string) (Done, error) {
	d := Done{Action: "add", Project: name}
	if err := checkName(name); err != nil {
		return d, err
	}
	files, checkout, err := readFiles(ctx, from, subject)
	if err != nil {
		return d, err
	}
	if d.ID, err = o.o.AddProject(ctx, name, checkout); err != nil {
		return d, err
	}
	if len(files) > 0 {
		d.Notes, err = o.o.FillProject(ctx, d.ID, subject, files)
	}
	d.text = fmt.Sprintf("Added project %s with %s.", name, result.Plural(d.Notes, "note"))
	return d, err
}

// readFiles returns the notes of a directory's project by name, and the project's id. It fails
// on the first file that it cannot read, so that an import is never silently incomplete.
func readFiles(ctx context.Context, dir, subject string) (files map[string][]byte, id string, err error) {
	if dir == "" {
		return nil, "", nil
	}
	root, err := marker.Parse(dir)
	if err != nil {
		return nil, "", err
	}
	s, err := store.Open(root, marker.Name)
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	files = map[string][]byte{}
	for file, err := range s.Files(ctx) {
		if err != nil {
			return nil, "", err
		}
		if file.Problem != "" || strings.HasPrefix(file.Name, "private/") && subject == "" {
			continue
		}
		if files[file.Name], _, err = s.Read(file.Name); err != nil {
			return nil, "", err
		}
	}
	return files, marker.IDOf(root), nil
}

// LinkProject sets the id of the checkouts of a project, by which clients may name the project.
func (o *Operator) LinkProject(ctx context.Context, name, checkout string) (Done, error) {
	d := Done{Action: "link", Project: name, text: fmt.Sprintf("Checkouts with the id %s belong to project %s.", checkout, name)}
	if !marker.IsID(checkout) {
		return d, errors.BadValue("id", checkout, "the id in .blue/project.yaml of a checkout")
	}
	return d, o.o.LinkProject(ctx, name, checkout)
}

// SetQuota bounds the texts of a project to a number of MB; 0 means no bound.
func (o *Operator) SetQuota(ctx context.Context, name, megabytes string) (Done, error) {
	d := Done{Action: "quota", Project: name, text: fmt.Sprintf("Project %s may have texts of %s MB.", name, megabytes)}
	most, err := strconv.ParseInt(megabytes, 10, 32)
	if err != nil || most < 0 {
		return d, errors.BadValue("MB", megabytes, "a number of megabytes, or 0 for no bound")
	}
	if most == 0 {
		d.text = fmt.Sprintf("Project %s has no quota.", name)
	}
	return d, o.o.SetQuota(ctx, name, most*1_000_000)
}

// RenameProject changes the name of a project.
func (o *Operator) RenameProject(ctx context.Context, name, other string) (Done, error) {
	d := Done{Action: "rename", Project: other, text: fmt.Sprintf("Project %s is called %s now.", name, other)}
	if err := checkName(other); err != nil {
		return d, err
	}
	return d, o.o.RenameProject(ctx, name, other)
}

// RemoveProject removes a project, or restores it.
func (o *Operator) RemoveProject(ctx context.Context, name string, restore bool) (Done, error) {
	if restore {
		return Done{Action: "restore", Project: name, text: fmt.Sprintf("Project %s is back.", name)}, o.o.RestoreProject(ctx, name)
	}
	return Done{Action: "remove", Project: name, text: fmt.Sprintf("Removed project %s; it is kept for 30 days.", name)}, o.o.RemoveProject(ctx, name)
}

// Table is the answer to a command that lists something.
type Table struct {
	Rows []map[string]any `json:"rows"`
	Next string           `json:"next,omitempty"` // the next page begins after it
	text []string
}

// Text returns one line for each row.
func (t Table) Text() string { return strings.Join(append(t.text, ""), "\n") }

// row adds a row with its members and its line of text.
func (t *Table) row(members map[string]any, format string, args ...any) {
	t.Rows = append(t.Rows, members)
	t.text = append(t.text, fmt.Sprintf(format, args...))
}

// Projects lists the projects whose names come after another one, those of at most that many
// names.
func (o *Operator) Projects(ctx context.Context, after string, most int) (Table, error) {
	t := Table{Rows: []map[string]any{}}
	if most < 1 {
		return t, errors.BadValue("limit", fmt.Sprint(most), "a number above 0")
	}
	all, err := o.o.Projects(ctx, after, most+1)
	names, last := 0, ""
	for _, p := range all {
		if names == 0 || p.Name != last {
			if names++; names > most {
				t.Next = last
				t.text = append(t.text, "There are more: blue server project list --after "+errors.Argument(last))
				break
			}
			last = p.Name
		}
		state := ""
		if !p.Removed.IsZero() {
			state = ", removed " + stamp(p.Removed)
		}
		t.row(map[string]any{"name": p.Name, "id": p.ID, "checkout": p.Checkout, "notes": p.Notes, "bytes": p.Bytes, "created": stamp(p.Created), "removed": stamp(p.Removed)},
			"%s: %s, %s, since %s%s", p.Name, result.Plural(int(p.Notes), "note"), result.Plural(int(p.Bytes), "byte"), stamp(p.Created), state)
	}
	return t, err
}

// stamp formats a time. The zero time gives "".
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// checkRole rejects a word that is not a role.
func checkRole(role string) error {
	if slices.Contains(postgres.Roles(), role) {
		return nil
	}
	return errors.BadValue("role", role, strings.Join(postgres.Roles(), ", "))
}

// checkSubject rejects an invalid subject.
func checkSubject(subject string) error {
	if subject == "" || strings.TrimSpace(subject) != subject || strings.HasPrefix(subject, "(") || len(subject) > 4*longestName || errors.Visible(subject) != subject {
		return errors.BadValue("subject", subject, "a name without hidden characters, such as ann@example.com")
	}
	return nil
}

// groupStart is the prefix of a subject that stands for the members of a group.
const groupStart = "group:"

// checkPerson rejects a subject that can have no token: an invalid one, or a group.
func checkPerson(subject string) error {
	if strings.HasPrefix(subject, groupStart) {
		return errors.BadValue("subject", subject, "one of its members: a group has grants, and no token")
	}
	return checkSubject(subject)
}

// Grant gives a subject a role in a project.
func (o *Operator) Grant(ctx context.Context, name, subject, role string) (Done, error) {
	d := Done{Action: "grant", Project: name, Subject: subject, Role: role, text: fmt.Sprintf("%s is %s of %s.", subject, role, name)}
	if err := cmp.Or(checkRole(role), checkSubject(subject)); err != nil {
		return d, err
	}
	return d, o.o.Grant(ctx, name, subject, role)
}

// Revoke removes the role of a subject in a project. If purge is set it also deletes the
// subject's private notes there.
func (o *Operator) Revoke(ctx context.Context, name, subject string, purge bool) (Done, error) {
	d := Done{Action: "revoke", Project: name, Subject: subject, text: fmt.Sprintf("%s can no longer see %s.", subject, name)}
	return d, o.o.Revoke(ctx, name, subject, purge)
}

// AddToken creates a token with the subject, project, role and expiry of t. The answer is the
// only place that shows it.
func (o *Operator) AddToken(ctx context.Context, t Token) (Done, error) {
	d := Done{Action: "token", Project: t.Project, Subject: t.Subject, Role: t.Role}
	if err := checkPerson(t.Subject); err != nil {
		return d, err
	}
	if (t.Project == "") != (t.Role == "") {
		return d, errors.Missing("role", "a token of one project needs --project and --role; without both it has what its subject was granted")
	}
	if t.Role != "" {
		if err := checkRole(t.Role); err != nil {
			return d, err
		}
	}
	var err error
	d.Token, d.ID, err = o.o.AddToken(ctx, t)
	d.text = d.Token + "\n(shown this once; blue server token revoke " + d.ID + " ends it)"
	return d, err
}

// Token describes a token.
type Token = postgres.Token

// RevokeToken revokes a token by its id.
func (o *Operator) RevokeToken(ctx context.Context, id string) (Done, error) {
	return Done{Action: "revoke", ID: id, text: "Ended token " + id + "."}, o.o.RevokeToken(ctx, id)
}

// Tokens lists the tokens without their secrets.
func (o *Operator) Tokens(ctx context.Context) (Table, error) {
	t := Table{Rows: []map[string]any{}}
	all, err := o.o.Tokens(ctx)
	for _, k := range all {
		scope, state := "what "+k.Subject+" was granted", "does not expire"
		if k.Project != "" {
			scope = k.Role + " of " + k.Project
		}
		switch {
		case !k.Revoked.IsZero():
			state = "revoked " + stamp(k.Revoked)
		case !k.Expires.IsZero():
			state = "until " + stamp(k.Expires)
		}
		t.row(map[string]any{"id": k.ID, "subject": k.Subject, "project": k.Project, "role": k.Role, "created": stamp(k.Created), "expires": stamp(k.Expires), "revoked": stamp(k.Revoked)},
			"%s: %s, %s, %s", k.ID, k.Subject, scope, state)
	}
	return t, err
}

// Audit lists the changes, refusals and reads since a time.
func (o *Operator) Audit(ctx context.Context, project string, since time.Time) (Table, error) {
	t := Table{Rows: []map[string]any{}}
	all, err := o.o.Audit(ctx, project, since)
	for _, a := range all {
		members := membersOf(a)
		t.row(members, "%s %s %s (%s) %s %s %s→%s %s", members["time"], a.Project, a.Subject, a.Client, a.Verb, a.Note, a.Before, a.After, a.Outcome)
	}
	return t, err
}

// membersOf returns the members of an audit line in a table.
func membersOf(a postgres.Audited) map[string]any {
	return map[string]any{"time": stamp(time.Unix(0, a.At)), "project": a.Project, "subject": a.Subject, "client": a.Client, "verb": a.Verb,
		"note": a.Note, "before": a.Before, "after": a.After, "outcome": a.Outcome, "seq": a.Seq}
}

// ExportAudit lists at most that many audit lines after the one of a cursor, each as one line
// of JSON with its own cursor.
func (o *Operator) ExportAudit(ctx context.Context, project, after string, most int) (Table, error) {
	t := Table{Rows: []map[string]any{}}
	if most < 1 {
		return t, errors.BadValue("limit", fmt.Sprint(most), "a number above 0")
	}
	number, err := strconv.ParseInt(cmp.Or(after, "0"), 10, 64)
	if err != nil {
		return t, errors.BadValue("after", after, "the cursor of an exported line")
	}
	all, err := o.o.ExportAudit(ctx, project, number, most)
	for _, a := range all {
		members := membersOf(a)
		t.Next = strconv.FormatInt(a.Number, 10)
		members["cursor"] = t.Next
		line, err := json.Marshal(members)
		if err != nil {
			return t, err
		}
		t.row(members, "%s", line)
	}
	return t, err
}

// Erase erases a note of a project for good. Unless sure is set, it changes nothing and fails with
// an error that tells what it would erase.
func (o *Operator) Erase(ctx context.Context, project, id string, sure bool) (Done, error) {
	d := Done{Action: "erase", Project: project, ID: id}
	if project == "" || id == "" {
		return d, errors.Missing("id", "give --project NAME and --id ID of a note")
	}
	r, err := o.o.EraseNote(ctx, project, id, sure)
	if err != nil {
		return d, err
	}
	what := fmt.Sprintf("the note %s: %s, %s and what %s of the audit said", strings.Join(r.IDs, ", formerly or later "),
		result.Plural(int(r.Texts), "text"), result.Plural(int(r.Notes), "note"), result.Plural(int(r.Lines), "line"))
	if !sure {
		return d, errors.E(errors.Invalid, "this would erase for good %s", what).
			Hint("", "", "nothing was changed: add --yes if you mean it")
	}
	d.text = "Erased " + what + "."
	if r.Named > 0 {
		d.text += fmt.Sprintf("\n%s of other notes still name it: search for them.", result.Plural(int(r.Named), "text"))
	}
	d.text += "\nReplicas drop it from their caches when the project is asked for next. The engine keeps the bytes on its disk until:\n" +
		"VACUUM FULL blue.note, blue.revision, blue.audit"
	return d, nil
}
