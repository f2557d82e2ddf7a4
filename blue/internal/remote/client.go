package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"blue/errors"
)

// askTime is how long one request may take, with its answer.
const askTime = 60 * time.Second

// Address is a project on a server.
type Address struct {
	URL     string `json:"url"` // without the path of MCP
	Project string `json:"project"`
}

// ParseAddress reads the URL of a server, with or without the path of MCP. The query of it
// may name the project as well.
func ParseAddress(text, project string) (Address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Fragment != "":
		return Address{}, errors.BadServer(text, "it is no URL")
	case u.User != nil:
		return Address{}, errors.BadServer(u.Redacted(), "a name or a password does not belong there")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return Address{}, errors.BadServer(text, "only https keeps the token and the notes from others; http is for 127.0.0.1 alone")
	}
	if project = cmp.Or(project, u.Query().Get("project")); project == "" {
		return Address{}, errors.Missing("project", "name the project on the server: --project NAME")
	}
	u.RawQuery, u.Path = "", strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp")
	return Address{strings.TrimSuffix(u.String(), "/"), project}, nil
}

// Host is the host of the server, with its port if the URL has one.
func (a Address) Host() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

type client struct {
	at    Address
	token Token
	http  http.Client
}

// Token is what a server knows the user by.
type Token struct {
	Text string // empty: there is none
	File string // where it stands, or is to stand
}

func newClient(at Address, token Token) client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	return client{at, token, http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this host
	}}
}

func (c *client) ask(ctx context.Context, q Request) (a Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	body, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at.URL+Path+"?project="+url.QueryEscape(c.at.Project), bytes.NewReader(body))
	if err != nil {
		return a, errors.BadServer(c.at.URL, "it is no URL")
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
		return a, errors.ServerOdd(c.at.URL, "its answer is longer than 64 MiB")
	case response.StatusCode != http.StatusOK:
		return a, c.explain(response, data)
	case json.Unmarshal(data, &a) != nil || a.Project == "" || a.Stand == "":
		return a, errors.ServerOdd(c.at.URL, "its answer is not that of blue server")
	}
	return a, nil
}

// silent says that no answer came. What the library says names the URL, and no header.
func (c *client) silent(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return errors.ServerSilent(c.at.URL, err.Error())
}

// explain says why a server has refused.
func (c *client) explain(r *http.Response, data []byte) error {
	var said Failure
	_ = json.Unmarshal(data, &said) // a proxy says something else
	switch {
	case r.StatusCode == http.StatusUnauthorized && c.token.Text == "":
		return errors.ServerWantsToken(c.at.URL, c.token.File)
	case r.StatusCode == http.StatusUnauthorized:
		return errors.ServerTokenRefused(c.at.URL, c.token.File)
	case r.StatusCode/100 == 3:
		return errors.ServerOdd(c.at.URL, "it leads elsewhere: "+r.Header.Get("Location"))
	case r.StatusCode == http.StatusNotFound && said.Error.Kind == "":
		return errors.ServerOdd(c.at.URL, "it has no "+Path+", as a blue server of this version has")
	}
	return errors.ServerRefused(c.at.URL, r.StatusCode, said.Error.Kind, said.Error.Message)
}
