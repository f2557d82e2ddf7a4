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

// Caller is the caller of a call. It has those of its visible projects that the call may mean,
// and its effective role in each.
type Caller struct {
	postgres.Caller
	began    time.Time
	named    string // name by which the call names its project
	look     func(context.Context, Look) (*Caller, error)
	narrowed map[string]bool // ids of projects in which the token's scopes allow less than was granted
	stale    bool            // from the cache, because the database does not answer
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
// the issuer, which are short-lived. named is the project that the call names, empty for none.
// Verify calls mayAsk before it asks the database about a token that was not valid recently, and
// denies the token if that returns false.
func (s *Server) Verify(ctx context.Context, token, named string, mayAsk func() bool) (caller any, user string, err error) {
	find := func(ctx context.Context, l Look) (*Caller, error) { return s.findToken(ctx, token, l, mayAsk) }
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
	began := time.Now()
	c, err := find(ctx, Look{Named: named})
	switch {
	case errors.Is(err, errors.Denied):
		s.known.known.remove(keyOf(token))
	case err != nil && s.o.StaleReads:
		if stale, ok := s.known.stale(token, named); ok {
			c, err = stale, nil
		}
	case err == nil:
		c.began, c.named, c.look = began, named, find
		s.known.keep(token, *c, s.o.StaleReads)
	}
	if err != nil {
		return nil, "", err
	}
	return c, c.Subject + " " + c.Token, nil
}

// findToken returns the caller that a token of the database identifies.
func (s *Server) findToken(ctx context.Context, token string, l Look, mayAsk func() bool) (*Caller, error) {
	if !postgres.IsToken(token) || s.known.isRefused(token) {
		return nil, noTokenKnown()
	}
	if !s.known.isGood(token) && !mayAsk() {
		return nil, noTokenKnown()
	}
	found, ok, err := s.d.Identify(ctx, token, l)
	if err == nil && !ok {
		s.known.refused.put(keyOf(token), time.Now())
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
	case slices.Contains(id.Scopes, scopeAdmin):
		most = postgres.Admin
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
	began := time.Now()
	c, err := s.admit(ctx, id, l)
	if err == nil {
		c.began, c.named = began, l.Named
		c.look = func(ctx context.Context, l Look) (*Caller, error) { return s.admit(ctx, id, l) }
	}
	return c, err
}

// Administered is what the administrators of a project see.
type Administered = postgres.Administered

// Administer returns a page of a list of a project: grants, tokens or audit. after names the
// page, and is empty for the first one. ok is false for a person who does not administer the
// project.
func (s *Server) Administer(
	ctx context.Context, id Identity, project, list, after string,
) (a Administered, ok bool, err error) {
	if err := checkPerson(id.Subject); err != nil {
		return a, false, err
	}
	return s.d.Administer(ctx, append(groupsOf(id), id.Subject), project, list, after)
}

// Administers returns those of the named projects that a person administers.
func (s *Server) Administers(ctx context.Context, id Identity, projects []string) ([]string, error) {
	if err := checkPerson(id.Subject); err != nil {
		return nil, err
	}
	return s.d.Administers(ctx, append(groupsOf(id), id.Subject), projects)
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
	if c == nil || c.stale {
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

// callers caches the results of token checks: recently valid tokens, with their callers for
// stale reads, and tokens that the database did not know.
type callers struct {
	known   recent[[32]byte, remembered]
	refused recent[[32]byte, time.Time]       // time when the database was asked
	stands  recent[[2]string, postgres.Stand] // by project and subject, and by project; they tell which index to use
}

type remembered struct {
	caller *Caller // nil without stale reads
	seen   time.Time
}

const (
	mostCallers = 10_000          // of each kind
	callerAge   = time.Hour       // after which a valid token expires from the cache
	refusedAge  = 3 * time.Second // age at which an unknown token expires: it may exist by then
)

func keyOf(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// keep caches a valid token. If caller is set, it also caches its caller for calls that name
// the same project.
func (k *callers) keep(token string, c Caller, caller bool) {
	now := time.Now()
	k.known.put(keyOf(token), remembered{seen: now})
	if caller {
		c.stale = true
		c.look = func(context.Context, Look) (*Caller, error) { return nil, errors.DatabaseAway(nil) }
		k.known.put(keyOf(token+" "+c.named), remembered{&c, now})
	}
}

// isGood reports whether a token was valid within callerAge.
func (k *callers) isGood(token string) bool {
	r, ok := k.known.get(keyOf(token))
	return ok && time.Since(r.seen) <= callerAge
}

// stale returns the caller of a valid token as it was in an earlier call that named the same
// project.
func (k *callers) stale(token, named string) (*Caller, bool) {
	r, ok := k.known.get(keyOf(token + " " + named))
	return r.caller, ok && k.isGood(token) && time.Since(r.seen) <= callerAge
}

// isRefused reports whether the database did not know the token within refusedAge.
func (k *callers) isRefused(token string) bool {
	asked, ok := k.refused.get(keyOf(token))
	return ok && time.Since(asked) < refusedAge
}

// recent is a map that is emptied when it has mostCallers entries. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]V
}

func (r *recent[K, V]) put(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil || len(r.entries) >= mostCallers {
		r.entries = map[K]V{}
	}
	r.entries[key] = value
}

func (r *recent[K, V]) get(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok = r.entries[key]
	return value, ok
}

func (r *recent[K, V]) remove(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.entries, key)
}

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
