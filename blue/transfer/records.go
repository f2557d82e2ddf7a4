package transfer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/note"
)

// element is one line of a graph of the reference memory server: an entity with its
// observations, or a relation between two entities.
type element struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`

	number int    // line number
	reason string // why it cannot be taken
}

// readGraph returns each entity as a document with its observations as a list and with its
// relations, which may be anywhere in the file.
func readGraph(data []byte) (all []document, err error) {
	from := map[string][]relation{}
	var entities []element
	for number, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF")); line == "" {
			continue
		}
		var e element
		switch err := json.Unmarshal([]byte(line), &e); {
		case !utf8.ValidString(line):
			e.reason = "not UTF-8 text"
		case err != nil:
			e.reason = "not an entity or a relation in JSON"
		case e.Type == "relation":
			from[e.From] = append(from[e.From], relation{note.OneLine(e.RelationType), note.OneLine(e.To)})
			continue
		case e.Type != "entity":
			e.reason = "neither an entity nor a relation"
		case note.OneLine(e.Name) == "":
			e.reason = "an entity without a name"
		}
		e.number = number + 1
		entities = append(entities, e)
	}
	seen := map[string]bool{}
	for _, e := range entities {
		switch {
		case e.reason != "":
			all = append(all, document{Path: fmt.Sprintf("line %d", e.number), Reason: e.reason})
		case seen[e.Name]:
			all = append(all, document{Path: e.Name, Reason: "a second entity of this name"})
		default:
			seen[e.Name] = true
			all = append(all, e.makeDocument(from[e.Name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if !seen[name] {
			all = append(all, document{Path: name, Reason: "relations of an entity that is not there"})
		}
	}
	return all, nil
}

// makeDocument returns an entity as a document.
func (e element) makeDocument(relations []relation) document {
	d := document{Path: e.Name, Names: []string{e.Name}, Title: e.Name, Relations: relations}
	d.Type = note.OneLine(e.EntityType)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", note.OneLine(e.Name))
	for i, observation := range e.Observations {
		if i == 0 {
			b.WriteString("\n")
		}
		lines := strings.Split(strings.TrimSpace(useLineFeeds(observation)), "\n")
		fmt.Fprintf(&b, "- %s\n", strings.Join(lines, "\n  "))
	}
	d.Text = b.String()
	raw, _ := json.Marshal([]any{e, relations}) // cannot fail: strings only
	d.Hash = hashText(raw)
	return d
}
