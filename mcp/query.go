package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/marker"
)

// What an HTTP request says of its project travels to its call in a header of our
// own: context values would be those of the first request of a session.
const (
	internalHeaders = "Blue-Internal-"
	projectHeader   = internalHeaders + "Project"
)

// projectKey is the context key of the same values on the 2024-11-05 transport,
// where it is the opening request that counts, and headers get lost.
type projectKey struct{}

// withProject returns the request with fresh headers, in which nothing of ours
// came from outside and the project stands that it names.
func withProject(r *http.Request) *http.Request {
	r = r.WithContext(r.Context()) // a copy
	r.Header = r.Header.Clone()
	for name := range r.Header {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), internalHeaders) {
			delete(r.Header, name)
		}
	}
	if values := named(r); len(values) > 0 {
		r.Header[projectHeader] = values
	}
	return r
}

// named are the values of ?project_path=, or without any those of the header
// Blue-Project (detection.md section 4).
func named(r *http.Request) []string {
	query, _ := url.ParseQuery(r.URL.RawQuery) // malformed pairs are left out
	if values, ok := query["project_path"]; ok {
		return values
	}
	return r.Header.Values("Blue-Project")
}

// queried are these values for a call.
func queried(ctx context.Context, extra *mcp.RequestExtra) []string {
	if extra != nil {
		return extra.Header.Values(projectHeader)
	}
	values, _ := ctx.Value(projectKey{}).([]string)
	return values
}

// query is the candidate that they make.
func query(values []string) []marker.Candidate {
	switch len(values) {
	case 0:
		return nil
	case 1:
		return []marker.Candidate{{Source: marker.Query, Value: values[0]}}
	}
	return []marker.Candidate{{Source: marker.Query, Value: values[0], Outcome: marker.Unusable, Detail: fmt.Sprintf("given %d times", len(values))}}
}
