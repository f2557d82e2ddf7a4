package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"blue/blue/internal/note"
	"blue/errors"
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

// observation is an entry that an agent saved in Engram. Times are UTC, and null values are
// empty.
type observation struct {
	ID        int64  `json:"id"`
	SyncID    string `json:"sync_id"`
	SessionID string `json:"session_id"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	Content   string `json:"content"`
	Project   string `json:"project"`
	Scope     string `json:"scope"`
	TopicKey  string `json:"topic_key"`
	CreatedAt string `json:"created_at"`
	DeletedAt string `json:"deleted_at"`
}

// session is a work session in Engram, perhaps with a summary.
type session struct {
	ID        string `json:"id"`
	Project   string `json:"project"`
	StartedAt string `json:"started_at"`
	EndedAt   string `json:"ended_at"`
	Summary   string `json:"summary"`
}

// observed maps Engram's types to Blue's equivalents.
var observed = map[string]string{"bugfix": "remediation", "session_summary": "checkpoint", "manual": "note", "": "note"}

// readEngram returns the observations, session summaries and prompts of an export, which is one
// object with a list of each. Prompts are reported as left out: they are not notes.
func readEngram(data []byte) (all []document, err error) {
	var lists map[string]json.RawMessage
	err = json.Unmarshal(data, &lists)
	known := false
	for _, list := range []struct {
		name string
		read func(raw json.RawMessage) (document, error)
	}{{"sessions", readSession}, {"observations", readObservation}, {"prompts", readPrompt}} {
		text, there := lists[list.name]
		if !there || err != nil {
			continue
		}
		known = true
		var records []json.RawMessage
		err = json.Unmarshal(text, &records)
		for _, raw := range records {
			var d document
			if d, err = list.read(raw); err != nil {
				break
			}
			d.Hash = hashText(raw)
			all = append(all, d)
		}
	}
	if err == nil && !known {
		err = errors.New("not one JSON object with lists of sessions and observations")
	}
	if err != nil {
		return nil, fmt.Errorf("it is no export of Engram: %w", err)
	}
	return all, nil
}

func readObservation(raw json.RawMessage) (document, error) {
	var o observation
	if err := json.Unmarshal(raw, &o); err != nil {
		return document{}, err
	}
	d := document{Path: "observations/" + cmp.Or(o.SyncID, fmt.Sprint(o.ID)), Title: o.Title, Type: o.Type}
	d.Created, d.Private = o.CreatedAt, o.Scope == "personal"
	if word, ok := observed[o.Type]; ok {
		d.Type = word
	}
	d.Names = nonEmpty(o.TopicKey, o.Title)
	switch {
	case o.DeletedAt != "":
		d.Reason = "deleted in Engram"
		return d, nil
	case strings.TrimSpace(o.Content+o.Title) == "":
		d.Reason = "it has neither text nor title"
		return d, nil
	}
	front, err := yaml.Marshal(struct {
		Title   string `yaml:"title,omitempty"`
		Topic   string `yaml:"topic_key,omitempty"`
		Project string `yaml:"project,omitempty"`
		Session string `yaml:"session,omitempty"`
	}{note.OneLine(o.Title), o.TopicKey, o.Project, o.SessionID})
	d.Text = useLineFeeds(o.Content)
	if o.Title+o.SessionID+o.TopicKey+o.Project != "" {
		d.Text = "---\n" + string(front) + "---\n\n" + d.Text
	}
	return d, err
}

func readSession(raw json.RawMessage) (document, error) {
	var s session
	if err := json.Unmarshal(raw, &s); err != nil {
		return document{}, err
	}
	d := document{Path: "sessions/" + s.ID, Type: "checkpoint", Created: cmp.Or(s.EndedAt, s.StartedAt)}
	d.Title = note.OneLine("Session " + s.StartedAt + " " + s.Project)
	d.Text = useLineFeeds(s.Summary)
	if strings.TrimSpace(d.Text) == "" {
		d.Reason = "a session without a summary"
	}
	return d, nil
}

func readPrompt(raw json.RawMessage) (document, error) {
	var p struct {
		ID int64 `json:"id"`
	}
	err := json.Unmarshal(raw, &p)
	return document{Path: fmt.Sprintf("prompts/%d", p.ID), Reason: "a prompt, not a note"}, err
}
