package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"

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

// Login is one person's login at the issuer.
type Login = oidc.Login

// Identity is a person as identified by the issuer.
type Identity = oidc.Identity

// Issuer returns the issuer at which people log in, or nil.
func (s *Server) Issuer() *oidc.Issuer { return s.issuer }

// callers caches the results of token checks: recently valid tokens, with their callers for
// stale reads, and tokens that the database did not know.
type callers struct {
	mu      sync.Mutex
	known   map[[32]byte]remembered
	refused map[[32]byte]time.Time // when the database was asked
	own     map[[2]string]bool     // by project and subject: whether the subject has private notes there
}

type remembered struct {
	caller *Caller // nil without stale reads
	seen   time.Time
}

const (
	mostCallers = 10_000          // of each kind; a full map is emptied
	callerAge   = time.Hour       // after which a valid token expires from the cache
	refusedAge  = 3 * time.Second // after which an unknown token does; it may have been created since
)

// keep caches a valid token, and its caller if caller is set.
func (k *callers) keep(token string, c Caller, caller bool) {
	r := remembered{seen: time.Now()}
	if caller {
		c.stale = true
		r.caller = &c
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostCallers {
		k.known = map[[32]byte]remembered{}
	}
	k.known[sha256.Sum256([]byte(token))] = r
}

// refuse caches a token that the database does not know.
func (k *callers) refuse(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil || len(k.refused) >= mostCallers {
		k.refused = map[[32]byte]time.Time{}
	}
	k.refused[sha256.Sum256([]byte(token))] = time.Now()
}

// isRefused reports whether the database did not know the token within refusedAge.
func (k *callers) isRefused(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	asked, ok := k.refused[sha256.Sum256([]byte(token))]
	return ok && time.Since(asked) < refusedAge
}

// isGood reports whether the token was valid when it was used last.
func (k *callers) isGood(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.known[sha256.Sum256([]byte(token))]
	return ok && time.Since(r.seen) <= callerAge
}

func (k *callers) forget(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, sha256.Sum256([]byte(token)))
}

func (k *callers) find(token string) *Caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.known[sha256.Sum256([]byte(token))]
	if !ok || time.Since(r.seen) > callerAge {
		return nil
	}
	return r.caller
}

func (k *callers) noteOwner(project, subject string, own bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.own == nil || len(k.own) >= mostCallers {
		k.own = map[[2]string]bool{}
	}
	k.own[[2]string{project, subject}] = own
}

func (k *callers) owns(project, subject string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.own[[2]string{project, subject}]
}
