package sources

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// head is the front matter of a text; its zero value has no keys.
type head struct{ root *yaml.Node }

// headOf reads the front matter of a text. One that is broken has no keys: the
// caller sees the text and judges it by its own reader.
func headOf(text string) head {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return head{}
	}
	at := 0
	for line := range strings.Lines(rest) {
		if mark := strings.TrimRight(line, " \t\n"); mark == "---" || mark == "..." {
			return head{}.parse(rest[:at])
		}
		at += len(line)
	}
	return head{}
}

func (h head) parse(text string) head {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err == nil && len(document.Content) > 0 && document.Content[0].Kind == yaml.MappingNode {
		h.root = document.Content[0]
	}
	return h
}

// at is the value of a key, nil when there is none.
func (h head) at(key string) *yaml.Node {
	for i := 0; h.root != nil && i+1 < len(h.root.Content); i += 2 {
		if h.root.Content[i].Value == key {
			return aliased(h.root.Content[i+1])
		}
	}
	return nil
}

// aliased follows an alias once; nothing is ever expanded.
func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// below is the mapping under a key.
func (h head) below(key string) head {
	if n := h.at(key); n != nil && n.Kind == yaml.MappingNode {
		return head{n}
	}
	return head{}
}

// word is the first of the keys that has a value on one line.
func (h head) word(keys ...string) string {
	for _, key := range keys {
		if n := h.at(key); n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" && strings.TrimSpace(n.Value) != "" {
			return strings.TrimSpace(n.Value)
		}
	}
	return ""
}

// list is the words under a key: a list, or one line with commas.
func (h head) list(key string) (words []string) {
	n := h.at(key)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			if item = aliased(item); item.Kind == yaml.ScalarNode && strings.TrimSpace(item.Value) != "" {
				words = append(words, strings.TrimSpace(item.Value))
			}
		}
		return words
	}
	for word := range strings.SplitSeq(h.word(key), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}
