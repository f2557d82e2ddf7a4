package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// disarm applies [errors.Disarm] to every text of an answer that may come from a note or be a name:
// replies of tools, prompts, completions, resources and failures. A reply is data, whatever it quotes. What an
// agent returns of such a text in a call is put back as it was.
func disarm(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && bytes.Contains(call.Params.Arguments, []byte(`\u{`)) {
			call.Params.Arguments = eachText(call.Params.Arguments, errors.Rearm)
		}
		r, err := next(ctx, method, req)
		switch r := r.(type) {
		case *mcp.CallToolResult:
			if r != nil {
				disarmContent(r.Content...)
				r.StructuredContent = disarmJSON(r.StructuredContent)
			}
		case *mcp.GetPromptResult:
			if r != nil {
				for _, message := range r.Messages {
					disarmContent(message.Content)
				}
			}
		case *mcp.ReadResourceResult:
			if r != nil {
				for _, content := range r.Contents {
					content.Text = errors.Disarm(content.Text)
				}
			}
		case *mcp.ListResourcesResult:
			if r != nil {
				for _, resource := range r.Resources {
					resource.Title, resource.Description = errors.Disarm(resource.Title), errors.Disarm(resource.Description)
				}
			}
		case *mcp.CompleteResult:
			if r != nil {
				for i, value := range r.Completion.Values {
					r.Completion.Values[i] = errors.Disarm(value)
				}
			}
		}
		if fault, ok := errors.AsType[*jsonrpc.Error](err); ok {
			fault.Message = errors.Disarm(fault.Message)
			fault.Data = eachText(fault.Data, errors.Disarm)
		}
		return r, err
	}
}

func disarmContent(contents ...mcp.Content) {
	for _, content := range contents {
		if text, ok := content.(*mcp.TextContent); ok {
			text.Text = errors.Disarm(text.Text)
		}
	}
}

// disarmJSON returns a value that encodes as v with its texts disarmed.
func disarmJSON(v any) any {
	data, err := json.Marshal(v)
	if v == nil || err != nil {
		return v
	}
	return json.RawMessage(eachText(data, errors.Disarm))
}

// eachText replaces the strings of JSON, except the names of members. It returns JSON without such a
// string, and what is no JSON, as it is.
func eachText(data []byte, replace func(string) string) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return data
	}
	changed := false
	v = eachString(v, func(text string) string {
		replaced := replace(text)
		changed = changed || replaced != text
		return replaced
	})
	if !changed {
		return data
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return data
	}
	return b.Bytes()
}

// eachString replaces the strings of a decoded value, except the names of members.
func eachString(v any, replace func(string) string) any {
	switch v := v.(type) {
	case string:
		return replace(v)
	case []any:
		for i := range v {
			v[i] = eachString(v[i], replace)
		}
	case map[string]any:
		for name := range v {
			v[name] = eachString(v[name], replace)
		}
	}
	return v
}
