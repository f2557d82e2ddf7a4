package transport

import (
	"context"
	"time"
)

// Time limits of the end. That of owed answers and the last of closing make up 5 s.
const (
	owedLimit    = 4750 * time.Millisecond // for owed answers after the end of input
	stopLimit    = 2 * time.Second         // for owed answers after the end of ctx
	closeLimit   = 1500 * time.Millisecond // for handlers whose answer nobody waits for
	overdueLimit = 250 * time.Millisecond  // for the same when owed answers have overrun
)

// finish ends both sessions. The SDK cancels every call when its input ends, so it learns
// of the end only when every owed answer is written, or the time for that is over.
func (s *stdio) finish(ctx context.Context) {
	close(s.ending)
	s.legacy.stopAsking()
	limit := closeLimit
	if !s.awaitOwed(ctx) {
		limit = overdueLimit
	}
	s.hangUp(limit)
}

// awaitOwed waits for the owed answers and reports whether all were written. It takes every
// place, which an owed answer holds until it is written.
func (s *stdio) awaitOwed(ctx context.Context) bool {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), owedLimit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopLimit, cancel) })()
	for range cap(s.owed) {
		select {
		case s.owed <- struct{}{}:
		case <-s.broken:
			return false
		case <-wait.Done():
			s.log.Warn("ending with requests unanswered")
			return false
		}
	}
	return true
}

// hangUp ends the input of both sessions and waits for their calls to return, which a tool
// that ignores its context may delay beyond the limit.
func (s *stdio) hangUp(limit time.Duration) {
	close(s.legacy.eof)
	close(s.modern.eof)
	gone := make(chan struct{})
	go func() {
		// Their errors are those of out, which ServeStdio returns.
		_ = s.legacy.session.Wait()
		_ = s.modern.session.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(limit):
		s.log.Warn("ending with calls still running")
	}
}
