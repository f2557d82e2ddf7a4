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

// Caller is who a call comes from, and what that caller may see, with the role that counts.
type Caller struct {
	postgres.Caller
	narrowed map[string]bool // ids of projects in which the token allows less than was granted
	stale    bool            // remembered, since the database does not answer
}

// narrow takes from the roles what the scopes of the token do not allow.
func (c *Caller) narrow(most string) {
	c.narrowed = map[string]bool{}
	for i, seen := range c.Seen {
		if postgres.Rank(most) < postgres.Rank(seen.Role) {
			c.Seen[i].Role, c.narrowed[seen.ID] = most, true
		}
	}
}

// The scopes of a token. Each holds those before it.
const (
	scopeRead  = "notes:read"
	scopeWrite = "notes:write"
	scopeAdmin = "notes:admin"
)

// Verify finds whom a token stands for. The kind of its error is denied for a token that
// counts for nobody, or with the detail [errors.Lacking] for one that was given for too little.
// The user is the subject and what its sessions belong to: a token of the database, or any
// token of the issuer, since such a one soon gives way to the next. It calls mayAsk before it
// asks the database for a token that was not good lately, and denies the token if it may not.
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

// findToken finds whom a token of the database stands for.
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
	mostGroups   = 200 // of one caller that are looked at
	longestGroup = 200 // bytes of the name of a group
)

// admit finds what the caller of a verified token may see.
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

// Recognize finds what a person who has logged in may read now.
func (s *Server) Recognize(ctx context.Context, id oidc.Identity) (*Caller, error) {
	id.Scopes = []string{scopeRead}
	return s.admit(ctx, id)
}

// Projects are the names of those that the caller sees.
func (c *Caller) Projects() (names []string) {
	for _, seen := range c.Seen {
		names = append(names, seen.Name)
	}
	return names
}

// Permit refuses a verb that changes notes when the role of its caller, or the scope of the
// caller's token, does not allow that in the project which the call means; the audit holds
// the attempt. A call that means no project fails where its project is looked for.
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
