package server

import (
	"crypto/sha256"
	"sync"
	"time"
)

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
