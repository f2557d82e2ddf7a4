package server

import (
	"crypto/sha256"
	"sync"
	"time"
)

// callers are those that were seen lately, for reads while the database does not answer.
type callers struct {
	mu    sync.Mutex
	known map[[32]byte]remembered
	own   map[[2]string]bool // project, subject → whether the subject has private notes there
}

type remembered struct {
	caller Caller
	seen   time.Time
}

const (
	mostCallers = 10_000
	callerAge   = time.Hour // that a caller is remembered
)

func (k *callers) keep(token string, c Caller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostCallers {
		k.known = map[[32]byte]remembered{}
	}
	c.stale = true
	k.known[sha256.Sum256([]byte(token))] = remembered{c, time.Now()}
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
	return &r.caller
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
