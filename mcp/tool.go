package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/mcp/internal/transport"
)

// reply is the answer of a tool.
type reply interface{ Text() string }

// place is the argument that every tool takes. Each input embeds it.
type place struct {
	Cwd *string `json:"cwd,omitempty" jsonschema:"absolute path of your directory"`
}

func (p place) cwd() *string { return p.Cwd }

// located is an input that may name its project.
type located interface{ cwd() *string }

// kind describes the effect of a tool on notes, for its annotations.
type kind struct{ reads, destroys, repeats bool }

// add publishes a tool that works on the project of the call.
func add[In located](d *door, s *mcp.Server, t tool, run func(ctx context.Context, p *blue.Project, in In) (reply, error)) {
	addBare(d, s, t, func(ctx context.Context, c *call, in In) (reply, error) {
		p, err := c.open(ctx, in.cwd())
		if err != nil {
			return nil, err
		}
		return run(ctx, p, in)
	})
}

type tool struct {
	verb, title, description string

	hint string // search words for clients that hide tools; empty: show it from the start
	kind
}

// meta returns the metadata for clients that hide tools.
func (t tool) meta() mcp.Meta {
	if t.hint == "" {
		return mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return mcp.Meta{"anthropic/searchHint": t.hint}
}

// addBare publishes a tool that opens its project itself, if it needs one. All tools go through
// it: it decodes the arguments and turns the result into a reply.
func addBare[In any](d *door, s *mcp.Server, t tool, run func(ctx context.Context, c *call, in In) (reply, error)) {
	no := false
	schema := schemaOf[In]()
	encoded, _ := json.Marshal(schema) // encoded once: over HTTP the SDK reads it at each call
	destroys := t.destroys
	s.AddTool(&mcp.Tool{
		Name: toolStart + t.verb, Title: t.title, Description: t.description, InputSchema: json.RawMessage(encoded), Meta: t.meta(),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &destroys, IdempotentHint: t.repeats, OpenWorldHint: &no},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := time.Now()
		c := d.call(ctx, req)
		in, err := decode[In](t.verb, schema, req.Params.Arguments)
		var r reply
		if err == nil {
			r, err = run(ctx, c, in)
		}
		d.logCall(ctx, c, time.Since(began), err)
		if _, ok := errors.AsType[askFirst](err); ok {
			return inputRequired(), nil
		}
		if err != nil {
			return failure(err), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text()}}, StructuredContent: r}, nil
	})
}

// named rejects calls to unknown tools and suggests similar names in the message, because many
// clients show nothing else of such an error.
func (d *door) named(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || err == nil {
			return r, err
		}
		verbs, name := strings.Fields(tools), call.Params.Name
		if verb, ours := strings.CutPrefix(name, toolStart); ours && slices.Contains(verbs, verb) {
			return r, err
		}
		known, near := strings.Join(toolNames(verbs), ", "), toolNames(errors.Near(verbOf(name), verbs...))
		what := "the tools are " + known
		if len(near) > 0 {
			what = "the nearest is " + strings.ReplaceAll(errors.List(near, 3), ", ", ", or ")
		}
		e := errors.E(errors.Invalid, "unknown tool %s, %s", errors.Quote(name), what)
		return nil, protocolError(e.With(map[string]any{"near": near}).Hint("", "", "the tools are "+known), nil)
	}
}

// toolStart is the prefix of each tool's name.
const toolStart = "blue_"

// verbOf returns the verb in a tool name, without any prefix that a client has added.
func verbOf(name string) string {
	for _, start := range []string{toolStart, "blue-", "blue.", "blue/"} {
		if at := strings.LastIndex(name, start); at >= 0 {
			return name[at+len(start):]
		}
	}
	return name
}

func toolNames(verbs []string) []string {
	names := []string{}
	for _, verb := range verbs {
		names = append(names, toolStart+verb)
	}
	return names
}

// structuredKey is the member of _meta in which a call asks for structured content.
const structuredKey = "dev.blue/structured"

// textAlone removes structured content from results unless the call or the server asks for it:
// many clients show it to the model in addition to the text, which says the same.
func (d *door) textAlone(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		call, ok := req.(*mcp.CallToolRequest)
		result, called := r.(*mcp.CallToolResult)
		if ok && called && result != nil && !d.o.Structured && call.Params.Meta[structuredKey] != true {
			result.StructuredContent = nil
		}
		return r, err
	}
}

// schemaOf returns the flat schema of an input, without null types and references. It does not
// say that unknown members are rejected, because every client would pay for the words. It
// panics if In has no schema.
func schemaOf[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("schema of %T: %v", *new(In), err))
	}
	s.AdditionalProperties = nil
	for _, property := range s.Properties {
		dropNull(property)
		if property.Items != nil {
			dropNull(property.Items)
		}
	}
	return s
}

// dropNull removes null from a type.
func dropNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		s.Type = s.Types[0]
		if s.Type == "null" {
			s.Type = s.Types[1]
		}
		s.Types = nil
	}
}

// decode turns the arguments of a call into its input. It rejects unknown and ill-typed
// arguments by name and never drops one.
func decode[In any](verb string, schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	members, repeated := transport.Members(raw)
	if members == nil {
		return in, errors.BadValue("arguments", repeatable("arguments", raw), "one JSON object")
	}
	if repeated != "" {
		return in, errors.BadValue(repeated, "two values", "one value")
	}
	if normalise(schema, members) {
		raw = transport.EncodeObject(members)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		property, ok := schema.Properties[name]
		if !ok {
			return in, errors.E(errors.Invalid, "blue_%s takes no argument %s", verb, errors.Quote(name)).
				Hint("", "", "its arguments: "+strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		}
		if !hasType(property, members[name]) {
			want := strings.Replace(property.Type, "array", "array of strings", 1)
			return in, errors.BadValue(name, repeatable(name, members[name]), "a value of type "+want)
		}
	}
	for _, name := range schema.Required {
		if _, ok := members[name]; !ok {
			return in, errors.Missing(name, fmt.Sprintf("blue_%s needs it", verb))
		}
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, errors.BadValue("arguments", err.Error(), "values as the schema of blue_"+verb+" says")
	}
	return in, nil
}

// normalise rewrites values that clients send in another form than the schema publishes, and
// reports whether it did: null means that the argument is absent, and 5.0 is the integer 5.
func normalise(schema *jsonschema.Schema, members map[string]json.RawMessage) (changed bool) {
	for name, property := range schema.Properties {
		value, sent := members[name]
		if sent && string(value) == "null" {
			delete(members, name)
			changed = true
		}
		if property.Type != "integer" {
			continue
		}
		if whole, ok := wholeNumber(value); ok && whole != string(value) {
			members[name], changed = json.RawMessage(whole), true
		}
	}
	return changed
}

// wholeNumber spells a JSON number without a fraction in plain digits. It returns false for any
// other value, and for numbers that a float64 cannot hold exactly.
func wholeNumber(value json.RawMessage) (digits string, ok bool) {
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(number), 10), true
}

// hasType reports whether a value has the type of a flat schema.
func hasType(s *jsonschema.Schema, raw json.RawMessage) bool {
	switch s.Type {
	case "string":
		return raw[0] == '"'
	case "boolean":
		return raw[0] == 't' || raw[0] == 'f'
	case "integer":
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil
	case "array":
		var items []json.RawMessage
		isText := func(item json.RawMessage) bool { return item[0] == '"' }
		return json.Unmarshal(raw, &items) == nil && items != nil && len(slices.DeleteFunc(items, isText)) == 0
	}
	return false
}

// repeatable returns the value of an argument as an error may show it: on one line, and without
// the text of a note or a secret.
func repeatable(name string, raw json.RawMessage) string {
	if slices.Contains(secretArguments, name) && len(raw) > 20 || blue.HoldsSecret(string(raw)) {
		return fmt.Sprintf("a value of %d bytes", len(raw))
	}
	return strings.Join(strings.Fields(string(raw)), " ")
}
