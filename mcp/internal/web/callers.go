package web

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Callers is how a server with many callers knows them.
type Callers struct {
	// Verify finds whom a token stands for. The kind of its error is denied for a token that
	// counts for nobody; any other says that nobody can know now.
	Verify func(ctx context.Context, token string) (caller any, user string, err error)

	// Admit says how long a request of so many bytes must wait, because its user has asked for
	// more than a user may; zero for one that may go on.
	Admit func(user string, bytes int64) time.Duration
}

// callerKey is the member of a token's extras that holds the caller.
const callerKey = "caller"

// CallerOf is whom Verify found for the token of a call, nil without one.
func CallerOf(extra *mcp.RequestExtra) any {
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	return extra.TokenInfo.Extra[callerKey]
}

// awaySeconds is when a client should try again while nobody can know who it is.
const awaySeconds = 2

// identify lets requests through whose token is known and whose user has not asked for too
// much.
func (c *Callers) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := w.(*response)
		known := &auth.TokenInfo{}
		if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); c.Verify != nil {
			err := error(errors.Denied)
			if strings.EqualFold(scheme, "bearer") && token != "" {
				var caller any
				caller, known.UserID, err = c.Verify(r.Context(), strings.TrimSpace(token))
				known.Extra = map[string]any{callerKey: caller}
			}
			switch {
			case errors.Is(err, errors.Denied):
				a.refuse(http.StatusUnauthorized, a.faultOf(http.StatusUnauthorized, auth.ErrInvalidToken.Error()))
				return
			case err != nil:
				a.refuseFor(http.StatusServiceUnavailable, awaySeconds, errors.Of(err).Message)
				return
			}
		}
		if wait := c.Admit(known.UserID, r.ContentLength); wait > 0 {
			a.refuseFor(http.StatusTooManyRequests, int(math.Ceil(wait.Seconds())), "Too Many Requests")
			return
		}
		if c.Verify == nil {
			next.ServeHTTP(w, r)
			return
		}
		pass := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return known, nil }
		auth.RequireBearerToken(pass, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next).ServeHTTP(w, r)
	})
}

// refuseFor refuses a request for some seconds.
func (a *response) refuseFor(status, seconds int, reason string) {
	a.Header().Set("Retry-After", fmt.Sprint(seconds))
	a.refuse(status, a.transportFault(reason))
}
