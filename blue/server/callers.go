package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/oidc"
	"blue/blue/internal/postgres"
	"blue/errors"
)

// Caller is the caller of a call. It has those of its visible projects that the call may mean,
// and its effective role in each.
type Caller struct {
	postgres.Caller
	named    string // name by which the call names its project
	look     func(context.Context, Look) (*Caller, error)
	narrowed map[string]bool // ids of projects in which the token's scopes allow less than was granted
}

// The scopes of a token. Each includes those before it.
const (
	scopeRead  = "notes:read"
	scopeWrite = "notes:write"
)

// Verify returns the caller that a token identifies. Its error is of kind Denied for an invalid
// token, and has the detail [errors.Lacking] for one whose scopes are insufficient. user names
// the owner of sessions: the subject with its token of the database, or with all its tokens of
// the issuer, which are short-lived. named is the project that the call names, empty for none.
func (s *Server) Verify(ctx context.Context, token, named string) (caller any, user string, err error) {
	find := func(ctx context.Context, l Look) (*Caller, error) { return s.findToken(ctx, token, l) }
	if s.issuer != nil && !strings.HasPrefix(token, postgres.TokenStart) {
		id, err := s.issuer.Verify(ctx, token)
		if err != nil {
			return nil, "", err
		}
		find = func(ctx context.Context, l Look) (*Caller, error) { return s.admit(ctx, id, l) }
	}
	if !isText(named) {
		named = "" // the call itself fails
	}
	c, err := find(ctx, Look{Named: named})
	if err != nil {
		return nil, "", err
	}
	c.named, c.look = named, find
	return c, c.Subject + " " + c.Token, nil
}

// findToken returns the caller that a token of the database identifies.
func (s *Server) findToken(ctx context.Context, token string, l Look) (*Caller, error) {
	if !postgres.IsToken(token) { // by its checksum, without the database
		return nil, noTokenKnown()
	}
	found, ok, err := s.d.Identify(ctx, token, l)
	if err == nil && !ok {
		err = noTokenKnown()
	}
	return &Caller{Caller: found}, err
}

const (
	mostGroups   = 200 // groups that are considered for one caller
	longestGroup = 200 // bytes in the name of a group
)

// admit returns the caller for a token that the issuer has signed.
func (s *Server) admit(ctx context.Context, id oidc.Identity, l Look) (*Caller, error) {
	if checkPerson(id.Subject) != nil {
		return nil, errors.TokenRefused("nobody can have the name of its subject")
	}
	most := ""
	switch {
	case slices.Contains(id.Scopes, scopeWrite):
		most = postgres.Writer
	case slices.Contains(id.Scopes, scopeRead):
		most = postgres.Reader
	default:
		return nil, scopeLacking(scopeRead, scopeRead)
	}
	found, err := s.d.Recognize(ctx, id.Subject, groupsOf(id), l)
	c := &Caller{Caller: found, narrowed: map[string]bool{}}
	c.Token = "issuer"
	for i, seen := range c.Seen {
		if postgres.Rank(most) < postgres.Rank(seen.Role) {
			c.Seen[i].Role, c.narrowed[seen.ID] = most, true
		}
	}
	return c, err
}

// groupsOf returns the names by which the groups of a caller have grants.
func groupsOf(id oidc.Identity) (names []string) {
	for _, group := range id.Groups {
		if group != "" && len(group) <= longestGroup && errors.Visible(group) == group && len(names) < mostGroups {
			names = append(names, groupStart+group)
		}
	}
	return names
}

// Look selects projects among those that a caller may see.
type Look = postgres.Look

// Recognize returns the caller for a person who has logged in, limited to reading, with the
// projects of a look.
func (s *Server) Recognize(ctx context.Context, id oidc.Identity, l Look) (*Caller, error) {
	id.Scopes = []string{scopeRead}
	c, err := s.admit(ctx, id, l)
	if err == nil {
		c.named = l.Named
		c.look = func(ctx context.Context, l Look) (*Caller, error) { return s.admit(ctx, id, l) }
	}
	return c, err
}

// Projects returns the names of the projects of the caller's look.
func (c *Caller) Projects() (names []string) {
	for _, seen := range c.Seen {
		names = append(names, seen.Name)
	}
	return names
}

// Permit rejects a verb that changes notes if the caller's role in the project, or the scope of
// its token, does not allow the change, and records the attempt in the audit. It permits a call
// that names no project, because opening the project fails later.
func (s *Server) Permit(ctx context.Context, a blue.Asked, verb string) error {
	c, _ := a.Caller.(*Caller)
	if c == nil {
		return nil
	}
	seen, _, err := choose(ctx, c, a)
	if err != nil || postgres.Rank(seen.Role) >= postgres.Rank(postgres.Writer) {
		return nil
	}
	s.d.Notes(ctx, postgres.Access{Project: seen.ID, Subject: c.Subject, Client: a.Client}).RecordRefusal(verb)
	if c.narrowed[seen.ID] {
		return scopeLacking(scopeRead+" "+scopeWrite, scopeWrite)
	}
	return errors.Forbidden(cmp.Or(seen.Role, "none"), postgres.Writer)
}

// Login is one person's login at the issuer.
type Login = oidc.Login

// Identity is a person as identified by the issuer.
type Identity = oidc.Identity

// Issuer returns the issuer at which people log in, or nil.
func (s *Server) Issuer() *oidc.Issuer { return s.issuer }

// noTokenKnown returns the error for a token that is unknown, expired or revoked. It does not
// tell which.
func noTokenKnown() *errors.Error {
	return errors.E(errors.Denied, "no such token").Hint("", "", "ask the people who keep the server for a token")
}

// scopeLacking returns the error for a token whose scopes do not cover what a call needs.
func scopeLacking(scope, needed string) *errors.Error {
	return errors.E(errors.Denied, "your token lacks the scope %s", needed).
		Hint("", "", "sign in again, and agree to "+scope).With(errors.Lacking{Scope: scope})
}
