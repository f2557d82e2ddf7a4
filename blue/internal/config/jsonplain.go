package config

import (
	"encoding/json"

	"github.com/tailscale/hujson"
)

// Decode reads a text that holds an object, or nothing.
func (t JSON) Decode(src []byte) (any, error) {
	root, err := t.parse(src)
	if err != nil {
		return nil, err
	}
	if root.kind != 0 && root.kind != '{' {
		return nil, Fault{lineAt(src, root.start), "an object is expected"}
	}
	return root.plain(src), nil
}

// plain returns the value in Go's terms; numbers keep their spelling.
func (n node) plain(src []byte) any {
	switch n.kind {
	case 0:
		return nil
	case '{':
		members := make(map[string]any, len(n.items))
		for _, it := range n.items {
			members[it.key] = it.plain(src)
		}
		return members
	case '[':
		list := make([]any, 0, len(n.items))
		for _, it := range n.items {
			list = append(list, it.plain(src))
		}
		return list
	case '"':
		return hujson.Literal(src[n.start:n.end]).String()
	}
	switch text := string(src[n.start:n.end]); text {
	case "true", "false":
		return text == "true"
	case "null":
		return nil
	default:
		return json.Number(text)
	}
}
