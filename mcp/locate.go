package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// codexKey is the member of _meta in which Codex sends its directory, and the experimental
// capability that makes it do so.
const codexKey = "codex/sandbox-state-meta"

// call is one tool call and what is known of its client. Prompts, resources and completions are
// represented as calls, too.
type call struct {
	d       *door
	req     *mcp.CallToolRequest
	modern  bool
	session *session       // nil on a modern request
	capable bool           // the client supports roots
	mute    bool           // do not ask the client for roots
	name    string         // the client's name, as it says
	caller  any            // the owner of the call's token, on a hosted server
	said    transport.Said // the project names in the HTTP request
	log     *slog.Logger

	project string // the project's name on a hosted server, once it is open
}

func (d *door) call(ctx context.Context, req *mcp.CallToolRequest) *call {
	modern := transport.StandsAlone(req)
	c := &call{d: d, req: req, modern: modern, said: transport.SaidOf(req.Extra), caller: transport.CallerOf(req.Extra)}
	if info := req.ClientInfo(); info != nil {
		c.name = info.Name
	}
	if can := req.ClientCapabilities(); can != nil {
		c.capable = can.RootsV2 != nil
	}
	if !modern {
		c.session = d.session(req.Session)
	}
	c.log = c.logger()
	return c
}

// about returns what this call says of its project. The argument cwd is one more candidate; it
// does not change the session's root.
func (c *call) about(cwd *string) blue.Call {
	memory := &c.d.memory // of the process, for all calls without a session
	if c.session != nil {
		memory = &c.session.memory
	}
	return blue.Call{
		Cwd: c.d.o.Dir, Allowed: c.d.allowed, Client: c.name, Serving: true, Log: c.log,
		Private: c.d.web == nil && c.d.o.Host == nil, Memory: memory,
		Door: marker.Door{HTTP: c.d.web != nil, Session: c.session != nil, Root: c.root, Restart: c.d.restart},
		From: func(yield func(marker.Candidate) bool) {
			for _, source := range marker.Sources() {
				for _, candidate := range c.candidates(source, cwd) {
					if !yield(candidate) {
						return
					}
				}
			}
		},
	}
}

// candidates returns the candidates of one source, none if the source is absent.
func (c *call) candidates(source marker.Source, cwd *string) []marker.Candidate {
	switch source {
	case marker.Argument:
		if cwd != nil {
			return []marker.Candidate{{Source: source, Value: *cwd}}
		}
	case marker.Use:
		return c.usedDirectory()
	case marker.Flag:
		if dir := c.d.o.Project; dir != nil {
			return []marker.Candidate{{Source: source, Value: *dir}}
		}
	case marker.Codex:
		return codexCandidates(c.req.Params.GetMeta()[codexKey])
	case marker.Roots:
		return c.roots()
	case marker.Initialize:
		if c.session != nil {
			return capturedCandidates(c.req.Session.InitializeParams())
		}
	case marker.Query:
		return queryCandidates(c.said)
	case marker.Env:
		return givenCandidate(source, c.d.o.Env("BLUE_PROJECT"))
	case marker.ClaudeProjectDir, marker.WorkspaceFolderPaths:
		if c.d.web == nil { // on stdio the environment is the client's, over HTTP it is not
			return givenCandidate(source, c.d.o.Env(string(source)))
		}
	case marker.Cwd:
		if c.d.web == nil {
			return []marker.Candidate{c.d.o.Blue.Process(c.d.o.Dir)}
		}
	}
	return nil
}

// givenCandidate returns a candidate for value, none if value is empty.
func givenCandidate(source marker.Source, value string) []marker.Candidate {
	if value == "" {
		return nil
	}
	return []marker.Candidate{{Source: source, Value: value}}
}

// usedDirectory returns the directory that blue_use set in this session.
func (c *call) usedDirectory() []marker.Candidate {
	if c.session == nil {
		return nil
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return givenCandidate(marker.Use, c.session.use)
}

// roots returns the client's roots: those in this request, those remembered, or a candidate
// that asks the client when the sources before it have not answered.
func (c *call) roots() []marker.Candidate {
	switch {
	case c.modern && c.req.Params.InputResponses != nil:
		if list, ok := c.req.Params.InputResponses["roots"].(*mcp.ListRootsResult); ok && list != nil {
			return rootCandidates(list.Roots)
		}
		return []marker.Candidate{{Source: marker.Roots, Outcome: marker.NoAnswer, Detail: "the client sent no roots"}}
	case !c.capable, c.mute && c.modern:
		return nil
	case c.modern:
		return []marker.Candidate{{Source: marker.Roots, Ask: func(context.Context) ([]marker.Candidate, error) {
			return nil, askFirst{}
		}}}
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if known := c.session.knownRoots(); known != nil {
		return known
	}
	if c.mute {
		return nil
	}
	if !c.session.initialized.Load() {
		return []marker.Candidate{{Source: marker.Roots, Outcome: marker.Absent, Detail: "the client has not sent notifications/initialized"}}
	}
	return []marker.Candidate{{Source: marker.Roots, Ask: func(ctx context.Context) ([]marker.Candidate, error) {
		return c.session.roots(ctx, c.req.Session, c.log)
	}}}
}

// askFirst ends a modern call with a request for the client's roots. The call has done nothing
// yet, since the project is found before anything else.
type askFirst struct{}

func (askFirst) Error() string { return "the client must be asked for its roots first" }

// inputRequired returns that request.
func inputRequired() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:       []mcp.Content{},
		InputRequests: mcp.InputRequestMap{"roots": &mcp.ListRootsParams{}},
	}
}

// codexCandidates reads the directory that Codex sends with each call.
func codexCandidates(value any) []marker.Candidate {
	state, object := value.(map[string]any)
	dir, text := state["sandboxCwd"].(string)
	candidate := marker.Candidate{Source: marker.Codex, Value: dir}
	switch {
	case value == nil:
		return nil
	case !object:
		candidate.Outcome, candidate.Detail = marker.Unusable, "not an object"
	case state["sandboxCwd"] == nil:
		candidate.Outcome, candidate.Detail = marker.Absent, "no sandboxCwd"
	case !text:
		candidate.Outcome, candidate.Detail = marker.Unusable, "sandboxCwd is not a string"
	}
	return []marker.Candidate{candidate}
}

// capturedCandidates returns the directories in the first of the members outside the schema that
// some clients send with initialize; package transport captures them.
func capturedCandidates(params *mcp.InitializeParams) []marker.Candidate {
	if params == nil {
		return nil
	}
	fields, _ := params.GetMeta()[transport.CaptureKey].(map[string]any)
	for _, name := range transport.Captured() {
		var all []marker.Candidate
		entries, _ := fields[name].([]any)
		for _, entry := range entries {
			object, _ := entry.(map[string]any)
			uri, _ := object["uri"].(string)
			all = append(all, marker.Candidate{Source: marker.Initialize, Value: uri})
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// projectParameter is the URL parameter in which a client names its project.
const projectParameter = "project_path"

// queryCandidates returns the candidate of ?project_path=, or without that of the header
// Blue-Project. A value that cannot be one directory fails the call: the next source would lead
// to a project that the client did not mean.
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

// rawProject returns project_path as the URL spells it. No other parameter is shown or logged:
// it might hold a token.
func rawProject(query string) string {
	for pair := range strings.SplitSeq(query, "&") {
		if value, ok := strings.CutPrefix(pair, projectParameter+"="); ok {
			return value
		}
	}
	return "?…"
}

// projectValues returns the values of project_path. The fault says why the query is not usable:
// it cannot be decoded.
func projectValues(raw string) (values []string, fault string) {
	query, err := url.ParseQuery(raw)
	if escape, ok := errors.AsType[url.EscapeError](err); ok {
		return nil, fmt.Sprintf("the query of the URL holds %q, which cannot be decoded (write a percent sign as %%25)", string(escape))
	}
	if err != nil {
		return nil, "the query of the URL holds a semicolon (write %3B, or & between parameters)"
	}
	return query[projectParameter], ""
}
