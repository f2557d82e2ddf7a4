package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	// counts for nobody, or with the detail [errors.Lacking] for one that was given for too
	// little; any other says that nobody can know now. It calls mayAsk before it asks a database
	// for a token that may be made up, and denies the token if it may not.
	Verify func(ctx context.Context, token string, mayAsk func() bool) (caller any, user string, err error)

	guesses guesses // of tokens

	// Permit refuses a call of a tool that its caller may not make; nil lets all be made. With
	// the detail [errors.Lacking], another token of the same caller would do.
	Permit func(ctx context.Context, a Asked) error

	// Protected is what a client without a token is told.
	Protected Protected

	// Admit says how long a request of so many bytes must wait, because its user has asked for
	// more than a user may; zero for one that may go on.
	Admit func(user string, bytes int64) time.Duration

	// Spend counts bytes that a user sends without having said how many.
	Spend func(user string, bytes int)
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

// identify finds who a request comes from, in its header alone: a token in the URL or the
// body counts for nothing. It returns nil when it has answered the request itself: nobody
// known, or one who has asked for too much.
func (c *Callers) identify(a *response, r *http.Request) (known *auth.TokenInfo) {
	known = &auth.TokenInfo{}
	if c.Verify != nil {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "bearer") || token == "" {
			a.deny(c.Protected, "", "no bearer token")
			return nil
		}
		guess := c.guesses.by(r)
		caller, user, err := c.Verify(r.Context(), strings.TrimSpace(token), guess.mayAsk)
		over := guess.end(errors.Is(err, errors.Denied))
		switch {
		case lackingScope(err) != "":
			a.forbid(c.Protected, err)
			return nil
		case over:
			if !a.last {
				hold(r.Context())
			}
			a.refuseFor(http.StatusTooManyRequests, guessSeconds, "Too Many Requests: tokens that count for nobody")
			return nil
		case errors.Is(err, errors.Denied):
			a.deny(c.Protected, "invalid_token", auth.ErrInvalidToken.Error())
			a.reason = errors.Of(err).Message // for the log alone
			return nil
		case err != nil:
			a.refuseFor(http.StatusServiceUnavailable, awaySeconds, errors.Of(err).Message)
			if cause := errors.Of(err).Err; cause != nil {
				a.reason += ": " + cause.Error() // for the log alone
			}
			return nil
		}
		known.UserID, known.Extra = user, map[string]any{callerKey: caller}
	}
	if wait := c.Admit(known.UserID, r.ContentLength); wait > 0 {
		a.refuseFor(http.StatusTooManyRequests, int(math.Ceil(wait.Seconds())), "Too Many Requests")
		return nil
	}
	if r.ContentLength < 0 {
		r.Body = countedBody{r.Body, func(bytes int) { c.Spend(known.UserID, bytes) }}
	}
	return known
}

type countedBody struct {
	io.ReadCloser
	count func(bytes int)
}

func (b countedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.count(n)
	return n, err
}

// guard lets requests through whose caller is known.
func (c *Callers) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := c.identify(w.(*response), r)
		if known == nil {
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

// Asked is a call of a tool before it is made.
type Asked struct {
	Caller  any // whom Verify found
	Said    Said
	Session *mcp.ServerSession // nil for a request that stands alone
	Tool    string
	Client  string // the program that calls, as it says itself, when the request says it
}

// permits refuses a message that calls a tool which its caller may not use, with the status
// by which a client knows that another token, or nothing, would help.
func (s *Server) permits(a *response, r *http.Request, f frame) bool {
	c, known := s.o.Callers, auth.TokenInfoFromContext(r.Context())
	if c == nil || c.Permit == nil || known == nil || f.id == nil || f.method != callTool {
		return true
	}
	var params struct {
		Name string `json:"name"`
		Meta struct {
			Client struct {
				Name string `json:"name"`
			} `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	}
	if json.Unmarshal(f.params, &params) != nil {
		return true // the call says itself what is wrong with it
	}
	err := c.Permit(r.Context(), Asked{
		Caller: known.Extra[callerKey], Said: saidIn(r.Header), Session: s.Sessions.find(r.Header.Get(sessionHeader)),
		Tool: params.Name, Client: params.Meta.Client.Name,
	})
	if err != nil {
		a.forbid(c.Protected, err)
	}
	return err == nil
}

// lackingScope is the scope with which another token of the same caller would do, empty when
// none would.
func lackingScope(err error) string {
	if e, ok := errors.AsType[*errors.Error](err); ok {
		lacking, _ := e.Detail.(errors.Lacking)
		return lacking.Scope
	}
	return ""
}

// forbid refuses what a known caller may not.
func (a *response) forbid(p Protected, err error) {
	if scope := lackingScope(err); scope != "" {
		a.Header().Set("WWW-Authenticate", p.challenge("insufficient_scope", scope))
	}
	text := errors.Of(err).Message
	for _, hint := range errors.Of(err).Hints {
		text += "; " + hint.Text
	}
	a.refuse(http.StatusForbidden, a.transportFault(text))
}

// deny refuses a request of nobody known.
func (a *response) deny(p Protected, fault, text string) {
	a.Header().Set("WWW-Authenticate", p.challenge(fault, p.Scopes))
	a.refuse(http.StatusUnauthorized, a.transportFault(text))
}

// refuseFor refuses a request for some seconds.
func (a *response) refuseFor(status, seconds int, reason string) {
	a.Header().Set("Retry-After", fmt.Sprint(seconds))
	a.refuse(status, a.transportFault(reason))
}
