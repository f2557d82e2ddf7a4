package note

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// parseFront fills the fields of the note from its front matter. It ignores values of an unexpected
// type, because people edit the file. YAML aliases are followed once and never expanded.
func (n *Text) parseFront() {
	root, problem := parseMapping(n.Front)
	n.Problem = cmp.Or(n.Problem, problem)
	words := map[string]*string{
		"type": &n.Type, "title": &n.Title, "author": &n.Author, "status": &n.Status, "verified": &n.Verified, "branch": &n.Branch,
		ImportedFrom: &n.From, ConflictWith: &n.ConflictWith, "request": &n.Request,
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, followAlias(root.Content[i+1])
		if field := words[key]; field != nil {
			setWord(field, value)
		} else {
			n.parseKey(key, value)
		}
	}
	n.Type = TypeOf(n.Type)
}

// Front is the front matter of a text with all of its keys, including those of other tools.
// Values of an unexpected type count as missing, and so do all keys of an invalid front matter.
type Front struct{ root *yaml.Node }

// ParseFront parses the front matter of a text.
func ParseFront(text string) Front {
	var n Text
	n.splitParts(text)
	root, _ := parseMapping(n.Front)
	return Front{root}
}

// Word returns the value of the first of some keys whose value is a scalar that is not empty.
func (f Front) Word(keys ...string) (word string) {
	for _, key := range keys {
		if word == "" {
			setWord(&word, f.value(key))
		}
	}
	return word
}

// Words returns the value of a key that is a list of words or a comma-separated line.
func (f Front) Words(key string) []string { return parseWords(f.value(key)) }

// Mapping returns the value of a key that is a mapping.
func (f Front) Mapping(key string) Front {
	if value := f.value(key); value.Kind == yaml.MappingNode {
		return Front{value}
	}
	return Front{&yaml.Node{}}
}

// value returns the value of a key. If there is none, the node has no kind.
func (f Front) value(key string) *yaml.Node {
	for i := 0; i+1 < len(f.root.Content); i += 2 {
		if f.root.Content[i].Value == key {
			return followAlias(f.root.Content[i+1])
		}
	}
	return &yaml.Node{}
}

// parseMapping parses a front matter as a mapping. If it is not one, the mapping is empty and
// problem gives the reason, unless the front matter is blank.
func parseMapping(front string) (root *yaml.Node, problem string) {
	if len(front) > FrontLimit {
		return &yaml.Node{}, fmt.Sprintf("front matter: it has %d bytes, more than %d", len(front), FrontLimit)
	}
	var document, next yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(front))
	err := decoder.Decode(&document)
	if err == nil {
		err = decoder.Decode(&next) // text after the end of a mapping holds no keys of it
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

// LostFront returns the offset in the body of front matter above which text was put. It reports false if
// there is none, or if the file begins with front matter.
func (n *Text) LostFront() (at int, ok bool) {
	if n.tail != "" {
		return 0, false
	}
	body := BlankCode(n.Body)
	from, found := -1, -1 // the line --- above, and the line below it
	for i := 0; i < len(body); {
		line, _, _ := strings.Cut(body[i:], "\n")
		next := min(i+len(line)+1, len(body))
		if rule := strings.TrimRight(line, " \t\r"); rule == "---" || rule == "..." && from >= 0 {
			if from >= 0 && isOwnFront(body[found:i]) {
				return from, true
			}
			from, found = i, next
		}
		i = next
	}
	return 0, false
}

// isOwnFront reports whether lines are the front matter of a note: of several keys of Blue, one is not common
// in other programs.
func isOwnFront(lines string) bool {
	root, _ := parseMapping(lines)
	known, own := 0, false
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch key := root.Content[i].Value; key {
		case "title", "tags", "author":
			known++
		case "type", "status", "created", "verified", "supersedes", "files", UIDKey:
			known++
			own = true
		}
	}
	return own && known > 1
}

var yamlLine = regexp.MustCompile(`\bline (\d+): `)

// ProblemLine returns the line of the file that a YAML error names, or the first, and the error
// without it.
func (n *Text) ProblemLine() (line int, problem string) {
	if m := yamlLine.FindStringSubmatch(n.Problem); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return line + strings.Count(n.lead, "\n"), yamlLine.ReplaceAllString(n.Problem, "")
		}
	}
	return 1, n.Problem
}

// linesSought limits, in bytes, the search for the lines of words.
const linesSought = 32 << 20

// FrontLines returns a function that returns the line of the file on which the front matter
// contains words, or 0. It is fast if words are looked up in order; otherwise it gives up after a
// while and returns 0.
func (n *Text) FrontLines() func(words string) int {
	front := n.lead + n.Front
	at, line, sought := 0, 1, 0
	return func(words string) int {
		for range 2 { // from the last position, then from the start
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

// ImportedFrom is the key by which an import recognizes its notes: the source of the note and its
// hash.
const ImportedFrom = "imported_from"

// ConflictWith is the key of a note that holds another machine's version of a note after a
// conflicting change.
const ConflictWith = "conflict-with"

// parseKey fills the field of a key that is more than one word.
func (n *Text) parseKey(key string, value *yaml.Node) {
	switch key {
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

// parseWords parses a list of words or a comma-separated line.
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

// parseFiles parses a list of paths, with or without hashes.
func parseFiles(value *yaml.Node) []Cited {
	var files []Cited
	for _, item := range value.Content {
		item = followAlias(item)
		if item.Kind == yaml.ScalarNode && value.Kind == yaml.SequenceNode {
			files = append(files, Cited{Path: item.Value})
			continue
		}
		var cited Cited
		fields := map[string]*string{"path": &cited.Path, "hash": &cited.Hash, "span": &cited.Span, "lines": &cited.Lines, "span_hash": &cited.SpanHash, "sketch": &cited.Sketch}
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

// ParseTime parses common time formats and returns the zero time for anything else.
func ParseTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
