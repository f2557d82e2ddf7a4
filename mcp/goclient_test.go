package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// The Go SDK's client, end to end.
func TestGoClient(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: "file://" + base + "/shop"})
	transport := &mcp.StreamableClientTransport{Endpoint: s.root + "/mcp", HTTPClient: &http.Client{Transport: bearer{s.tokens[0]}}}
	session, err := client.Connect(ctx, transport, nil)
	must(t, err)
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "blue_search", Arguments: map[string]any{"query": "webhook"}})
	if err != nil || result.IsError || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "(source: roots)") {
		t.Errorf("blue_search: %v %+v", err, result)
	}
	if tools, err := session.ListTools(ctx, nil); err != nil || len(tools.Tools) != 8 {
		t.Errorf("tools: %v", err)
	}
	prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "resume"})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "(source: roots)") {
		t.Errorf("resume: %v", err)
	}
	if _, err := session.ListResources(ctx, nil); err != nil {
		t.Errorf("resources: %v", err)
	}
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file://" + base + "/shop/.blue/notes/deploy-aaaa.md"})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text == "" {
		t.Errorf("reading: %v", err)
	}
}
