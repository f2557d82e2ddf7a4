package blue

import (
	"cmp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// problemLimit is how many characters say what is wrong with a front matter: a parser
// repeats names of any length.
const problemLimit = 300

// readFront fills the fields of the note from its front matter. Values of an
// unexpected shape are passed over: the file is a person's, and it is kept as it
// is. Aliases are followed once and never expanded.
func (n *Text) readFront() {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(n.Front), &document); err != nil {
		n.Problem = cmp.Or(n.Problem, errors.Clip("front matter: "+strings.TrimPrefix(err.Error(), "yaml: "), problemLimit))
		return
	}
	if len(document.Content) == 0 {
		return
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		n.Problem = cmp.Or(n.Problem, "front matter: not a mapping of keys to values")
		return
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		n.readKey(root.Content[i].Value, target(root.Content[i+1]))
	}
}

// ImportedFrom is the key by which an import knows its notes again: what the note was
// made of, and the hash of that.
const ImportedFrom = "imported_from"

// Has reports whether the front matter has a key.
func (n *Text) Has(key string) bool {
	from, to := n.span(key)
	return from < to
}

func (n *Text) readKey(key string, value *yaml.Node) {
	switch key {
	case "type":
		setWord(&n.Type, value)
	case "title":
		setWord(&n.Title, value)
	case "author":
		setWord(&n.Author, value)
	case "status":
		setWord(&n.Status, value)
	case "tags":
		n.Tags = wordList(value)
	case "supersedes":
		n.Supersedes = wordList(value)
	case "created":
		n.Created = ParseTime(value.Value)
	case "files":
		n.Files = citedList(value)
	case ImportedFrom:
		setWord(&n.From, value)
	case "request":
		setWord(&n.Request, value)
	}
}

// target follows an alias to what it names.
func target(value *yaml.Node) *yaml.Node {
	if value.Kind == yaml.AliasNode && value.Alias != nil {
		return value.Alias
	}
	return value
}

func setWord(field *string, value *yaml.Node) {
	if value.Kind == yaml.ScalarNode && value.Tag != "!!null" && strings.TrimSpace(value.Value) != "" {
		*field = strings.TrimSpace(value.Value)
	}
}

// wordList reads a list of words, or one line with commas between them.
func wordList(value *yaml.Node) []string {
	words := []string{}
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			words = append(words, text)
		}
	}
	switch value.Kind {
	case yaml.ScalarNode:
		if value.Tag != "!!null" {
			for word := range strings.SplitSeq(value.Value, ",") {
				add(word)
			}
		}
	case yaml.SequenceNode:
		for _, item := range value.Content {
			if item = target(item); item.Kind == yaml.ScalarNode {
				add(item.Value)
			}
		}
	}
	return words
}

// citedList reads paths, bare or with their hash.
func citedList(value *yaml.Node) []Cited {
	var files []Cited
	for _, item := range value.Content {
		item = target(item)
		if item.Kind == yaml.ScalarNode && value.Kind == yaml.SequenceNode {
			files = append(files, Cited{Path: item.Value})
			continue
		}
		var cited Cited
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			switch item.Content[i].Value {
			case "path":
				setWord(&cited.Path, target(item.Content[i+1]))
			case "hash":
				setWord(&cited.Hash, target(item.Content[i+1]))
			}
		}
		if cited.Path != "" {
			files = append(files, cited)
		}
	}
	return files
}

// ParseTime reads the times that people and tools write, zero for anything else.
func ParseTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// FlowList renders words as a list on one line, nil when there are none.
func FlowList(words []string) any {
	if len(words) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, word := range words {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word})
	}
	return node
}
