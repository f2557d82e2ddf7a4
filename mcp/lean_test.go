package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What takes the short way is what the SDK would write, and the rest is left to it.
func TestLeanAsTheSDK(t *testing.T) {
	text := func(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
	for name, r := range map[string]*mcp.CallToolResult{
		"hits":    {Content: text("a <b> & \u2028 \"c\"\n\x01"), StructuredContent: map[string]any{"hits": []int{1, 2}}},
		"failure": {Content: text(""), IsError: true, StructuredContent: json.RawMessage(`{"error":{"kind":"<x>"}}`)},
		"bare":    {Content: text("only text")},
		"two":     {Content: append(text("a"), text("b")...)},
		"none":    {Content: []mcp.Content{}},
		"asks":    inputRequired(),
		"meta":    {Meta: mcp.Meta{"a": 1.5}, Content: text("a")},
		"noted":   {Content: []mcp.Content{&mcp.TextContent{Text: "a", Meta: mcp.Meta{"b": "c"}}}},
		"image":   {Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("x")}}},
	} {
		sent, err := newDoor(Options{}).lean(func(context.Context, string, mcp.Request) (mcp.Result, error) { return r, nil })(context.Background(), "tools/call", &mcp.CallToolRequest{})
		if err != nil {
			t.Fatal(err)
		}
		want, got := decoded(t, r), decoded(t, sent)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func decoded(t *testing.T, message any) (v any) {
	t.Helper()
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // as the SDK does
	if err := e.Encode(message); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
