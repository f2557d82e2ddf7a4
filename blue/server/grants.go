package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/postgres"
	"blue/errors"
)

// checkRole rejects a word that is no role.
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

// Audit lists the changes and refusals since a time.
func (o *Operator) Audit(ctx context.Context, project string, since time.Time) (Table, error) {
	t := Table{Rows: []map[string]any{}}
	all, err := o.o.Audit(ctx, project, since)
	for _, a := range all {
		at := stamp(time.Unix(0, a.At))
		t.row(map[string]any{"time": at, "project": a.Project, "subject": a.Subject, "client": a.Client, "verb": a.Verb, "note": a.Note,
			"before": a.Before, "after": a.After, "outcome": a.Outcome, "seq": a.Seq},
			"%s %s %s (%s) %s %s %s→%s %s", at, a.Project, a.Subject, a.Client, a.Verb, a.Note, a.Before, a.After, a.Outcome)
	}
	return t, err
}
