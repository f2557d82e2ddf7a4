package note

import (
	"cmp"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// parseFront fills the fields of the note from its front matter. Values of an
// unexpected shape are passed over: the file is a person's, and it is kept as it
// is. Aliases are followed once and never expanded.
func (n *Text) parseFront() {
	root, problem := parseMapping(n.Front)
	n.Problem = cmp.Or(n.Problem, problem)
	for i := 0; i+1 < len(root.Content); i += 2 {
		n.parseKey(root.Content[i].Value, followAlias(root.Content[i+1]))
	}
}

// parseMapping returns the mapping that a front matter holds, an empty one when it is not
// one; then problem says why, unless nothing stands there.
func parseMapping(front string) (root *yaml.Node, problem string) {
	var document, next yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(front))
	err := decoder.Decode(&document)
	if err == nil {
		err = decoder.Decode(&next) // what stands behind a mapping that has ended is no key of it
	}
	switch {
	case err == nil:
		return &yaml.Node{}, "front matter: not one mapping of keys to values"
	case err != io.EOF:
		return &yaml.Node{}, errors.Clip("front matter: "+strings.TrimPrefix(err.Error(), "yaml: "), ProblemLimit)
	case len(document.Content) == 0:
		return &yaml.Node{}, ""
	case document.Content[0].Kind != yaml.MappingNode:
		return &yaml.Node{}, "front matter: not a mapping of keys to values"
	}
	return document.Content[0], ""
}

var yamlLine = regexp.MustCompile(`\bline (\d+): `)

// ProblemLine is the line of the file of which a parser of YAML complained, the first
// one when it named none, and the problem without that line.
func (n *Text) ProblemLine() (line int, problem string) {
	if m := yamlLine.FindStringSubmatch(n.Problem); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return line + strings.Count(n.lead, "\n"), yamlLine.ReplaceAllString(n.Problem, "")
		}
	}
	return 1, n.Problem
}

// linesSought is how many bytes of front matter are looked through for the lines of words.
const linesSought = 32 << 20

// FrontLines returns a function that says on which line of the file the front matter holds
// words, 0 when it does not. Words that are asked for in their order cost little each; of
// too many that are not, the line is 0.
func (n *Text) FrontLines() func(words string) int {
	front := n.lead + n.Front
	at, line, sought := 0, 1, 0
	return func(words string) int {
		for range 2 { // from the last place on, then from the start
			if words == "" || sought > linesSought {
				return 0
			}
			if found := strings.Index(front[at:], words); found >= 0 {
				sought += found
				line += strings.Count(front[at:at+found], "\n")
				at += found
				return line
			}
			sought += len(front) - at
			at, line = 0, 1
		}
		return 0
	}
}

// ImportedFrom is the key by which an import knows its notes again: what the note was
// made of, and the hash of that.
const ImportedFrom = "imported_from"

// ConflictWith is the key of a note that holds what another machine has made of a note,
// where both have changed the same lines.
const ConflictWith = "conflict-with"

func (n *Text) parseKey(key string, value *yaml.Node) {
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
		n.Tags = parseWords(value)
	case "aliases", "alias":
		n.Aliases = append(n.Aliases, parseWords(value)...)
	case "supersedes":
		n.Supersedes = parseWords(value)
	case "created":
		n.Created = ParseTime(value.Value)
	case UIDKey:
		if IsUID(value.Value) {
			n.UID = value.Value
		}
	case "files":
		n.Files = parseFiles(value)
	case "verified":
		setWord(&n.Verified, value)
	case "branch":
		setWord(&n.Branch, value)
	case ImportedFrom:
		setWord(&n.From, value)
	case ConflictWith:
		setWord(&n.ConflictWith, value)
	case "request":
		setWord(&n.Request, value)
	}
}

func followAlias(value *yaml.Node) *yaml.Node {
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

// parseWords reads a list of words, or one line with commas between them.
func parseWords(value *yaml.Node) []string {
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
			if item = followAlias(item); item.Kind == yaml.ScalarNode {
				add(item.Value)
			}
		}
	}
	return words
}

// parseFiles reads paths, bare or with their hash.
func parseFiles(value *yaml.Node) []Cited {
	var files []Cited
	for _, item := range value.Content {
		item = followAlias(item)
		if item.Kind == yaml.ScalarNode && value.Kind == yaml.SequenceNode {
			files = append(files, Cited{Path: item.Value})
			continue
		}
		var cited Cited
		fields := map[string]*string{"path": &cited.Path, "hash": &cited.Hash, "span": &cited.Span, "lines": &cited.Lines, "span_hash": &cited.SpanHash}
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			if field := fields[item.Content[i].Value]; field != nil {
				setWord(field, followAlias(item.Content[i+1]))
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
