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

// Caller is the caller of a call, with the projects that it may see and its effective role in
// each.
type Caller struct {
	postgres.Caller
	narrowed map[string]bool // ids of projects in which the token's scopes allow less than was granted
	stale    bool            // from the cache, since the database does not answer
}

// narrow limits the roles to the highest one that the scopes of the token allow.
func (c *Caller) narrow(most string) {
	c.narrowed = map[string]bool{}
	for i, seen := range c.Seen {
		if postgres.Rank(most) < postgres.Rank(seen.Role) {
			c.Seen[i].Role, c.narrowed[seen.ID] = most, true
		}
	}
}

// The scopes of a token. Each includes those before it.
const (
	scopeRead  = "notes:read"
	scopeWrite = "notes:write"
	scopeAdmin = "notes:admin"
)

// Verify returns the caller that a token identifies. Its error is of kind Denied for an invalid
// token, and has the detail [errors.Lacking] for one whose scopes are insufficient. user names
// the owner of sessions: the subject with its token of the database, or with all its tokens of
// the issuer, which are short-lived. Verify calls mayAsk before it asks the database about a
// token that was not valid recently, and denies the token if that returns false.
func (s *Server) Verify(ctx context.Context, token string, mayAsk func() bool) (caller any, user string, err error) {
	find := func(ctx context.Context, token string) (*Caller, error) { return s.findToken(ctx, token, mayAsk) }
	if s.issuer != nil && !strings.HasPrefix(token, postgres.TokenStart) {
		id, err := s.issuer.Verify(ctx, token)
		if err != nil {
			return nil, "", err
		}
		find = func(ctx context.Context, _ string) (*Caller, error) { return s.admit(ctx, id) }
	}
	c, err := find(ctx, token)
	switch {
	case errors.Is(err, errors.Denied):
		s.known.forget(token)
	case err != nil && s.o.StaleReads:
		if c = s.known.find(token); c != nil {
			err = nil
		}
	case err == nil:
		s.known.keep(token, *c, s.o.StaleReads)
	}
	if err != nil {
		return nil, "", err
	}
	return c, c.Subject + " " + c.Token, nil
}

// findToken returns the caller that a token of the database identifies.
func (s *Server) findToken(ctx context.Context, token string, mayAsk func() bool) (*Caller, error) {
	if !postgres.IsToken(token) || s.known.isRefused(token) || !s.known.isGood(token) && !mayAsk() {
		return nil, errors.NoTokenKnown()
	}
	found, ok, err := s.d.Identify(ctx, token)
	if err == nil && !ok {
		s.known.refuse(token)
		err = errors.NoTokenKnown()
	}
	return &Caller{Caller: found}, err
}

const (
	mostGroups   = 200 // that are considered of one caller
	longestGroup = 200 // bytes in the name of a group
)

// admit returns the caller of a token that the issuer has signed.
func (s *Server) admit(ctx context.Context, id oidc.Identity) (*Caller, error) {
	if checkPerson(id.Subject) != nil {
		return nil, errors.TokenRefused("nobody can have the name of its subject")
	}
	most := ""
	switch {
	case slices.Contains(id.Scopes, scopeAdmin):
		most = postgres.Admin
	case slices.Contains(id.Scopes, scopeWrite):
		most = postgres.Writer
	case slices.Contains(id.Scopes, scopeRead):
		most = postgres.Reader
	default:
		return nil, errors.ScopeLacking(scopeRead, scopeRead)
	}
	var groups []string
	for _, group := range id.Groups {
		if group != "" && len(group) <= longestGroup && errors.Visible(group) == group && len(groups) < mostGroups {
			groups = append(groups, groupStart+group)
		}
	}
	found, err := s.d.Recognize(ctx, id.Subject, groups)
	c := &Caller{Caller: found}
	c.Token = "issuer"
	c.narrow(most)
	return c, err
}

// Recognize returns the caller for a person who has logged in, limited to reading.
func (s *Server) Recognize(ctx context.Context, id oidc.Identity) (*Caller, error) {
	id.Scopes = []string{scopeRead}
	return s.admit(ctx, id)
}

// Projects returns the names of the projects that the caller may see.
func (c *Caller) Projects() (names []string) {
	for _, seen := range c.Seen {
		names = append(names, seen.Name)
	}
	return names
}

// Permit rejects a verb that changes notes if the caller's role in the project, or the scope of
// its token, does not allow that, and records the attempt in the audit. It permits a call that
// names no project: opening the project fails later.
func (s *Server) Permit(ctx context.Context, a blue.Asked, verb string) error {
	c, _ := a.Caller.(*Caller)
	if c == nil || c.stale {
		return nil
	}
	seen, _, err := choose(c.Seen, a)
	if err != nil || postgres.Rank(seen.Role) >= postgres.Rank(postgres.Writer) {
		return nil
	}
	s.d.Notes(ctx, postgres.Access{Project: seen.ID, Subject: c.Subject, Client: a.Client}).RecordRefusal(verb)
	if c.narrowed[seen.ID] {
		return errors.ScopeLacking(scopeRead+" "+scopeWrite, scopeWrite)
	}
	return errors.Forbidden(cmp.Or(seen.Role, "none"), postgres.Writer)
}
