package sources

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// head is the front matter of a text; its zero value has no keys.
type head struct{ root *yaml.Node }

// parseHead reads the front matter of a text. One that is broken has no keys: the
// caller sees the text and judges it by its own reader.
func parseHead(text string) head {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return head{}
	}
	at := 0
	for line := range strings.Lines(rest) {
		if mark := strings.TrimRight(line, " \t\n"); mark == "---" || mark == "..." {
			return parseMapping(rest[:at])
		}
		at += len(line)
	}
	return head{}
}

func parseMapping(text string) head {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err == nil && len(document.Content) > 0 && document.Content[0].Kind == yaml.MappingNode {
		return head{document.Content[0]}
	}
	return head{}
}

// valueOf is the value of a key, nil when there is none.
func (h head) valueOf(key string) *yaml.Node {
	for i := 0; h.root != nil && i+1 < len(h.root.Content); i += 2 {
		if h.root.Content[i].Value == key {
			return followAlias(h.root.Content[i+1])
		}
	}
	return nil
}

// followAlias follows an alias once; nothing is ever expanded.
func followAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func (h head) mappingAt(key string) head {
	if n := h.valueOf(key); n != nil && n.Kind == yaml.MappingNode {
		return head{n}
	}
	return head{}
}

// firstWord is the first of the keys that has a value on one line.
func (h head) firstWord(keys ...string) string {
	for _, key := range keys {
		if n := h.valueOf(key); n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" && strings.TrimSpace(n.Value) != "" {
			return strings.TrimSpace(n.Value)
		}
	}
	return ""
}

// listWords is the words under a key: a list, or one line with commas.
func (h head) listWords(key string) (words []string) {
	n := h.valueOf(key)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			if item = followAlias(item); item.Kind == yaml.ScalarNode && strings.TrimSpace(item.Value) != "" {
				words = append(words, strings.TrimSpace(item.Value))
			}
		}
		return words
	}
	for word := range strings.SplitSeq(h.firstWord(key), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}
