package mcp

import (
	"fmt"
	"testing"

	"blue/mcp/internal/transport"
)

// The table of methods says what the server does: sessions and requests that stand alone
// each know the methods that it gives them, and no others.
func TestTableOfMethods(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	for _, name := range []string{
		"initialize", "ping", "logging/setLevel", "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get",
		"completion/complete", "resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "no/such",
	} {
		known := transport.Known(name)
		legacy := v.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`, nextID(), name))
		if (legacy.code() != -32601) != known.Legacy {
			t.Errorf("%s in a session: %s, the table says %v", name, legacy, known.Legacy)
		}
		modern := s.ask(alone{method: name, params: map[string]any{}, id: "alone"})
		if (modern.code() != -32601) != known.Modern {
			t.Errorf("%s alone: %s, the table says %v", name, modern, known.Modern)
		}
	}
}
