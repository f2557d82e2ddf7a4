package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// projectParameter is the parameter of the URL by which a client names its project.
const projectParameter = "project_path"

// queryCandidates are those of ?project_path=, or without any of the header Blue-Project.
// What was given and cannot be one directory fails the call: the next source would lead to
// a project that nobody meant.
func queryCandidates(said transport.Said) []marker.Candidate {
	values, fault := projectValues(said.Query)
	if fault != "" {
		return []marker.Candidate{{Source: marker.Query, Value: rawProject(said.Query), Outcome: marker.Unusable, Detail: fault}}
	}
	if len(values) == 0 {
		values = said.Header
	}
	if len(values) == 0 {
		return nil
	}
	return []marker.Candidate{{Source: marker.Query, Value: values[0]}}
}

// rawProject is project_path as the URL spells it. No other parameter is shown or logged:
// one might hold a token.
func rawProject(query string) string {
	for pair := range strings.SplitSeq(query, "&") {
		if value, ok := strings.CutPrefix(pair, projectParameter+"="); ok {
			return value
		}
	}
	return "?…"
}

// projectValues returns the values of project_path. The fault says why the query cannot be
// relied on: it cannot be decoded, or spells the parameter in another way.
func projectValues(raw string) (values []string, fault string) {
	query, err := url.ParseQuery(raw)
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

// projectNames are the names that this call has for its project, in the order in which they
// count.
func (c *call) projectNames() (names []blue.Named, err error) {
	if c.session != nil {
		c.session.mu.Lock()
		used := c.session.use
		c.session.mu.Unlock()
		if used != "" {
			names = append(names, blue.Named{Source: marker.Use, Value: used})
		}
	}
	said, err := namesSaid(c.said)
	return append(names, said...), err
}

// namesSaid returns the projects that the URL and the headers of a request name.
func namesSaid(said transport.Said) (names []blue.Named, err error) {
	query, err := url.ParseQuery(said.Query)
	if err != nil {
		return nil, errors.BadValue("project", "a query that cannot be decoded", "?project=NAME, with % written as %25")
	}
	for _, value := range slices.Concat(query["project"], said.Header) {
		if value != "" {
			names = append(names, blue.Named{Source: marker.Query, Value: value})
		}
	}
	return names, nil
}

// shownClient is the name of a client as the audit has it: in one line.
func shownClient(name string) string { return errors.Short(name, 100) }
