package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// caller calls a tool of a running server.
type caller func(tool string, arguments map[string]any) (answer, error)

// status is what HTTP says of a call that was not made.
type status int

func (s status) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`

// inSession calls in a session that was opened with initialize.
func (s *served) inSession(session string) caller {
	return func(tool string, arguments map[string]any) (answer, error) {
		return s.exchange(tool, arguments, "", map[string]string{"Mcp-Session-Id": session})
	}
}

// standingAlone calls as 2026-07-28 wants it.
func (s *served) standingAlone(tool string, arguments map[string]any) (answer, error) {
	return s.exchange(tool, arguments, modernMeta+",", map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "blue_" + tool,
	})
}

func (s *served) exchange(tool string, arguments map[string]any, meta string, header map[string]string) (a answer, err error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return a, err
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s"name":"blue_%s","arguments":%s}}`, meta, tool, raw)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return a, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return a, err
	}
	if response.StatusCode != http.StatusOK {
		return a, status(response.StatusCode)
	}
	if _, event, stream := bytes.Cut(data, []byte("data: ")); stream {
		data = event
	}
	return readAnswer(data)
}

// readAnswer reads the answer to a call.
func readAnswer(line []byte) (answer, error) {
	var reply struct {
		JSONRPC string
		Error   json.RawMessage
		Result  struct{ StructuredContent answer }
	}
	if err := json.Unmarshal(bytes.TrimSpace(line), &reply); err != nil {
		return answer{}, fmt.Errorf("%q: %w", line, err)
	}
	if reply.JSONRPC != "2.0" || reply.Error != nil {
		return answer{}, fmt.Errorf("no answer of a tool: %s", line)
	}
	return reply.Result.StructuredContent, nil
}

// protocolOnly checks that an output is nothing but whole lines of the protocol
// (promise 15), and returns how many.
func protocolOnly(t testing.TB, what string, output []byte) (lines int) {
	t.Helper()
	for line := range bytes.Lines(output) {
		var m struct{ JSONRPC string }
		if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" || !bytes.HasSuffix(line, []byte("\n")) {
			t.Errorf("%s: on standard output: %q", what, line)
		}
		lines++
	}
	return lines
}
