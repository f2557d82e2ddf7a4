package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/marker"
)

// The query of an HTTP request travels to its call in a header of our own: context
// values would be those of the first request of a session.
const (
	internalHeaders = "Blue-Internal-"
	queryHeader     = internalHeaders + "Query"
	projectHeader   = "Blue-Project"

	projectParameter = "project_path"
)

// named is what an HTTP request says of its project, undecoded: a query that cannot
// be decoded must fail the calls that need a project, and only those.
type named struct {
	query  string   // the part of the URL after the question mark
	header []string // values of the header Blue-Project
}

// namedKey is the context key of a [named] on the 2024-11-05 transport, where it is
// the opening request that counts, and headers get lost.
type namedKey struct{}

// withQuery returns the request with fresh headers, in which nothing of ours
// came from outside and its query stands.
func withQuery(r *http.Request) *http.Request {
	r = r.WithContext(r.Context()) // a copy
	r.Header = r.Header.Clone()
	for name := range r.Header {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), internalHeaders) {
			delete(r.Header, name)
		}
	}
	if r.URL.RawQuery != "" {
		r.Header.Set(queryHeader, r.URL.RawQuery)
	}
	return r
}

// namedIn returns what the headers of a request of [withQuery] say of the project.
func namedIn(h http.Header) named {
	return named{h.Get(queryHeader), h.Values(projectHeader)}
}

// namedBy returns what was said of the project of a call.
func namedBy(ctx context.Context, extra *mcp.RequestExtra) named {
	if extra != nil {
		return namedIn(extra.Header)
	}
	n, _ := ctx.Value(namedKey{}).(named)
	return n
}

// candidates are those of ?project_path=, or without any of the header Blue-Project.
// What was given and cannot be one directory fails the call: the next source would
// lead to a project that nobody meant.
func (n named) candidates() []marker.Candidate {
	values, fault := n.parameter()
	if fault != "" {
		return []marker.Candidate{{Source: marker.Query, Value: n.raw(), Outcome: marker.Unusable, Detail: fault}}
	}
	if len(values) == 0 {
		values = n.header
	}
	switch len(values) {
	case 0:
		return nil
	case 1:
		return []marker.Candidate{{Source: marker.Query, Value: values[0]}}
	}
	return []marker.Candidate{{Source: marker.Query, Value: values[0], Outcome: marker.Unusable, Detail: fmt.Sprintf("given %d times", len(values))}}
}

// raw is project_path as the URL spells it. No other parameter is shown or logged:
// one might hold a token.
func (n named) raw() string {
	for pair := range strings.SplitSeq(n.query, "&") {
		if value, ok := strings.CutPrefix(pair, projectParameter+"="); ok {
			return value
		}
	}
	return "?…"
}

// parameter returns the values of project_path. The fault says why the query cannot
// be relied on: it cannot be decoded, or spells the parameter in another way.
func (n named) parameter() (values []string, fault string) {
	query, err := url.ParseQuery(n.query)
	if escape, ok := errors.AsType[url.EscapeError](err); ok {
		return nil, fmt.Sprintf("the query of the URL holds %q, which cannot be decoded (write a percent sign as %%25)", string(escape))
	}
	if err != nil {
		return nil, "the query of the URL holds a semicolon (write %3B, or & between parameters)"
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		folded := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
		if name != projectParameter && slices.Contains([]string{"projectpath", "project", "cwd"}, folded) {
			return nil, fmt.Sprintf("the parameter %q is spelled %s", name, projectParameter)
		}
	}
	return query[projectParameter], ""
}
