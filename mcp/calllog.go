package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"blue/blue"
)

// logger makes the log of this call.
func (c *call) logger() *slog.Logger {
	era := "legacy"
	if c.modern {
		era = "modern"
	}
	version := ""
	if info := c.req.ClientInfo(); info != nil {
		version = info.Version
	}
	return c.d.o.Log.With("era", era, "transport", c.d.transport(), "client", cut(c.name+"/"+version, 100), "session", cut(c.req.Session.ID(), 12))
}

func (d *door) transport() string {
	if d.http {
		return "http"
	}
	return "stdio"
}

// secretArguments are those of which a log names the length alone.
var secretArguments = []string{"body", "append", "old_text", "new_text"}

// shortArguments are the arguments of a call as a log may show them: no text of a
// note, and no secret wherever it was sent.
func shortArguments(raw json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return fmt.Sprintf("%d bytes that are no object", len(raw))
	}
	for name, value := range members {
		text, isText := value.(string)
		switch {
		case isText && (len(text) > lineLimit || slices.Contains(secretArguments, name)):
			members[name] = len(text)
		case slices.Contains(secretArguments, name), blue.HoldsSecret(name), blue.HoldsSecret(fmt.Sprint(value)):
			delete(members, name)
			members["left out"] = true
		}
	}
	data, _ := json.Marshal(members)
	return cut(string(data), 200)
}
