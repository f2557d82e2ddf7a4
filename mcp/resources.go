package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

const (
	markdown     = "text/markdown"
	resourcePage = 500 // notes per page
)

// resources serves each note as a resource. Notes come and go and belong to the project of the
// request, so the SDK's own list stays empty.
func (d *door) resources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListResourcesRequest:
			return d.listResources(ctx, req)
		case *mcp.ReadResourceRequest:
			return d.readResource(ctx, req)
		}
		return next(ctx, method, req)
	}
}

// openUnasked opens the project of a request that the client may send without being asked to by
// a user. It does not ask the client for its roots, and returns nil if there is no project.
func (d *door) openUnasked(ctx context.Context, req *mcp.CallToolRequest) *blue.Project {
	c := d.call(ctx, req)
	c.mute = true
	p, err := c.open(ctx, nil)
	if err != nil {
		return nil
	}
	return p
}

// listResources lists the notes that may be told unasked, ordered by file name, so that a page
// begins where the last one ended.
func (d *door) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (mcp.Result, error) {
	r := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	cacheable(ctx, req, &r.Cacheable)
	params := &mcp.CallToolParamsRaw{Name: "resources/list"}
	var after []byte
	if req.Params != nil {
		var err error
		params.Meta = req.Params.Meta
		if after, err = base64.RawURLEncoding.DecodeString(req.Params.Cursor); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not one of this list"}
		}
	}
	if d.o.Host != nil { // no files whose URI a client could open
		return r, nil
	}
	p := d.openUnasked(ctx, &mcp.CallToolRequest{Session: req.Session, Extra: req.Extra, Params: params})
	if p == nil {
		return r, nil
	}
	notes, _, err := p.Offer(ctx)
	if err != nil {
		return nil, protocolError(err, nil)
	}
	slices.SortFunc(notes, func(a, b blue.Offered) int { return strings.Compare(a.Name, b.Name) })
	first, found := slices.BinarySearchFunc(notes, string(after), func(n blue.Offered, name string) int { return strings.Compare(n.Name, name) })
	if found {
		first++
	}
	last := min(first+d.page, len(notes))
	for _, n := range notes[first:last] {
		r.Resources = append(r.Resources, &mcp.Resource{
			URI: marker.FileURI(n.Path), Name: n.ID, Title: n.Title, Description: n.Type, MIMEType: markdown, Size: n.Size,
		})
	}
	if last < len(notes) {
		r.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(notes[last-1].Name))
	}
	return r, nil
}

// readResource serves the file of a note. The URI alone determines the project.
func (d *door) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	began, uri := time.Now(), req.Params.URI
	c := d.call(ctx, &mcp.CallToolRequest{Session: req.Session, Extra: req.Extra, Params: &mcp.CallToolParamsRaw{
		Meta: req.Params.Meta, Name: "resources/read",
	}})
	s, err := c.source(ctx, uri)
	d.logCall(ctx, c, time.Since(began), err)
	if err != nil {
		return nil, protocolError(err, map[string]any{"uri": uri})
	}
	r := new(mcp.ReadResourceResult)
	if c.modern { // the SDK sets this unexported member for its own lists only
		if err := json.Unmarshal([]byte(`{"resultType":"complete"}`), r); err != nil {
			return nil, err
		}
	}
	r.Contents = []*mcp.ResourceContents{{URI: uri, MIMEType: markdown, Text: s.Text}}
	cacheable(ctx, req, &r.Cacheable)
	return r, nil
}

func (c *call) source(ctx context.Context, uri string) (s blue.Source, err error) {
	path, err := marker.Parse(uri)
	if err != nil || !strings.HasPrefix(strings.ToLower(uri), "file:") || c.d.o.Host != nil {
		return s, errors.NoNote(uri)
	}
	about := c.about(nil)
	about.From = slices.Values([]marker.Candidate{{Source: marker.Argument, Value: uri, URI: true}})
	p, err := c.d.o.Blue.Open(ctx, about)
	if err != nil {
		return s, err
	}
	return p.Source(ctx, path)
}

// protocolError returns a JSON-RPC error for methods whose result cannot hold a failure. Its
// data is the object that a tool would return.
func protocolError(err error, more map[string]any) error {
	e := errors.Of(err)
	object := map[string]any{}
	if data, err := json.Marshal(e); err == nil {
		_ = json.Unmarshal(data, &object) // always an object
	}
	maps.Copy(object, more)
	fault := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: errors.Cut(e.Message, textLimit)}
	switch e.Kind {
	case errors.Internal, errors.Busy, errors.Timeout, errors.Disk, errors.FSTimeout:
		fault.Code = jsonrpc.CodeInternalError
	case errors.NotFound, errors.NotDetected:
		if more["uri"] != nil {
			fault.Message = "Resource not found"
		}
	}
	fault.Data, _ = json.Marshal(object)
	return fault
}
