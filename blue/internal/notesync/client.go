package notesync

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"blue/errors"
)

// askTime is the time limit of one request with its answer.
const askTime = 60 * time.Second

// address is a project on a server.
type address struct{ url, project string } // url is without the path of MCP

// parseAddress parses the URL of a server, with or without the path of MCP. Its query may name the
// project too.
func parseAddress(text, project string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Fragment != "":
		return address{}, badServer(text, "it is no URL")
	case u.User != nil:
		return address{}, badServer(u.Redacted(), "a name or a password does not belong there")
	case u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback()):
		return address{}, badServer(text, "only https keeps the token and the notes from others; http is for 127.0.0.1 alone")
	}
	if project = cmp.Or(project, u.Query().Get("project")); project == "" {
		return address{}, errors.Missing("project", "name the project on the server: --project NAME")
	}
	u.RawQuery, u.Path = "", strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp")
	return address{strings.TrimSuffix(u.String(), "/"), project}, nil
}

// host returns the host of the server, with the port if the URL has one.
func (a address) host() string {
	u, err := url.Parse(a.url)
	if err != nil {
		return ""
	}
	return u.Host
}

// client sends requests to one project of a server.
type client struct {
	at    address
	token Token
	http  http.Client
}

// Token authenticates the user at a server.
type Token struct {
	Text string // empty if there is none
	File string // that holds it, or should
}

// ask sends a request and returns the checked answer.
func (c *client) ask(ctx context.Context, q Request) (a Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	body, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at.url+syncPath+"?project="+url.QueryEscape(c.at.project), bytes.NewReader(body))
	if err != nil {
		return a, badServer(c.at.url, "it is no URL")
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token.Text != "" {
		r.Header.Set("Authorization", "Bearer "+c.token.Text)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return a, c.silent(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	switch {
	case err != nil:
		return a, c.silent(err)
	case len(data) > mostAnswer:
		return a, c.odd("its answer is longer than 64 MiB")
	case response.StatusCode != http.StatusOK:
		return a, c.explain(response, data)
	case json.Unmarshal(data, &a) != nil || a.Project == "" || a.Stand == "":
		return a, c.odd("its answer is not that of blue server")
	}
	return a, nil
}

// silent returns the error of a request without an answer. It shows the URL and no header.
func (c *client) silent(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return errors.E(errors.Timeout, "the server %s does not answer: %s",
		errors.Quote(c.at.url), errors.Reason(err.Error())).
		Hint("", "", "nothing is lost; try again when it can be reached")
}

// explain returns the error of a refused request.
func (c *client) explain(r *http.Response, data []byte) error {
	var said Failure
	_ = json.Unmarshal(data, &said) // a proxy may answer something else
	switch {
	case r.StatusCode == http.StatusUnauthorized && c.token.Text == "":
		return errors.E(errors.Denied, "the server %s wants a token", errors.Quote(c.at.url)).
			Hint("", "", "put the line that blue server token add has printed into "+errors.Argument(c.token.File)+
				", and run: chmod 600 "+errors.Argument(c.token.File))
	case r.StatusCode == http.StatusUnauthorized:
		return errors.E(errors.Denied, "the server %s does not know the token in %s, or knows it no more",
			errors.Quote(c.at.url), errors.Quote(c.token.File)).
			Hint("", "", "ask who runs it for another one: blue server token add")
	case r.StatusCode/100 == 3:
		return c.odd("it leads elsewhere: " + r.Header.Get("Location"))
	case r.StatusCode == http.StatusNotFound && said.Error.Kind == "":
		return c.odd("it has no " + syncPath + ", as a blue server of this version has")
	}
	kind, hint := errors.Invalid, "nothing is lost here"
	if slices.Contains(errors.Kinds(), errors.Kind(said.Error.Kind)) {
		kind = errors.Kind(said.Error.Kind)
	}
	if said.Error.Kind == "" && (r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500) {
		kind = errors.Busy
	}
	if kind == errors.Busy {
		hint = "nothing is lost; try again in a few seconds"
	}
	return errors.E(kind, "the server %s answers %d: %s",
		errors.Quote(c.at.url), r.StatusCode, errors.Reason(said.Error.Message)).
		Hint("", "", hint)
}

// Kinds of requests. A client POSTs a [Request]; the server answers with an [Answer], or with a
// [Failure] if the status is 400 or more.
const (
	AskList  = "list"  // existing and removed notes, all or by name
	AskPast  = "past"  // which of the named revisions exist or have existed
	AskTexts = "texts" // the same with texts, as many as fit into an answer
	AskWrite = "write" // write and remove notes, all or none
)

// syncPath is the path of these requests on a server.
const syncPath = "/sync"

// Limits of a request and of its answer.
const (
	MostEntries  = 1000      // notes of a request
	MostText     = 2 << 20   // bytes of the texts of a request or of an answer
	batchEntries = 250       // notes of a write, so that other writers of the project wait briefly
	mostAnswer   = 64 << 20  // bytes of an answer
	mostNotes    = 150_000   // notes of a project
	mostBytes    = 512 << 20 // bytes of all notes of a project
)

// Request is a request of a client.
type Request struct {
	Ask   string  `json:"ask"`
	Stand string  `json:"stand,omitempty"` // version of the server that the client knows; a list at the same version has no notes
	Sure  bool    `json:"sure,omitempty"`  // the server confirms the list as if the client had just written it
	Notes []Entry `json:"notes,omitempty"`
}

// Answer is an answer of a server.
type Answer struct {
	Project string  `json:"project"`        // id
	Stand   string  `json:"stand"`          // version of the notes, different after each change
	Same    bool    `json:"same,omitempty"` // Stand equals that of the request, or did just before the write
	Notes   []Entry `json:"notes,omitempty"`
}

// Entry is a note or one revision of it. Private notes are never sent.
type Entry struct {
	Name     string `json:"name"`               // of the file in notes/
	Revision string `json:"revision,omitempty"` // in a write, empty for a removal
	Before   string `json:"before,omitempty"`   // in a write, the revision that the server has, empty for none
	Author   string `json:"author,omitempty"`   // subject who wrote the revision
	Removed  int64  `json:"removed,omitempty"`  // time of the removal in nanoseconds since 1970, 0 if the note exists
	Size     int64  `json:"size,omitempty"`
	Text     []byte `json:"text,omitempty"`
}

// Failure is the answer to a request that failed.
type Failure struct {
	Error struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
}

// badServer says why a URL cannot be that of a server.
func badServer(url, reason string) *errors.Error {
	return errors.E(errors.Invalid, "%s cannot be the URL of a blue server: %s", errors.Quote(url), reason).
		Hint("", "", "give it as in: blue sync https://notes.example.com --project shop")
}

// odd says that what answers is no server of Blue, or one that cannot be believed.
func (c *client) odd(reason string) *errors.Error {
	return errors.E(errors.Invalid, "the server %s cannot be used: %s", errors.Quote(c.at.url), errors.Reason(reason)).
		Hint("", "", "nothing is lost; check the URL, and ask who runs that server")
}
