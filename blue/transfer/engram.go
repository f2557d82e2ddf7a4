package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// observation is what an agent saved in Engram. Times are UTC, and null values are empty.
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

// observed maps types of Engram to those that Blue has for the same.
var observed = map[string]string{"bugfix": "remediation", "session_summary": "checkpoint", "manual": "note", "": "note"}

// readEngram yields the observations and session summaries of an export, which is one object
// with a list of each. Prompts are no notes.
func readEngram(s *source) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		file, err := s.openFile()
		if err != nil {
			yield(document{}, err)
			return
		}
		defer file.Close()
		e := export{decoder: json.NewDecoder(file), yield: yield}
		if err := e.readExport(); err != nil && !e.stopped {
			yield(document{}, errors.BadSource(s.name, fmt.Sprintf("it is no export of Engram: %v", err)))
		}
	}
}

type export struct {
	decoder *json.Decoder
	yield   func(document, error) bool
	stopped bool
}

var errShape = errors.New("not one JSON object with lists of sessions and observations")

// readExport reads the export member by member.
func (e *export) readExport() error {
	if token, err := e.decoder.Token(); err != nil || token != json.Delim('{') {
		return errShape
	}
	known := false
	for e.decoder.More() {
		token, err := e.decoder.Token()
		if err != nil {
			return err
		}
		read := map[string]func() (document, error){"sessions": e.readSession, "observations": e.readObservation, "prompts": e.readPrompt}[fmt.Sprint(token)]
		if read == nil {
			var other json.RawMessage
			if err := e.decoder.Decode(&other); err != nil {
				return err
			}
			continue
		}
		known = true
		if err := e.readList(read); err != nil || e.stopped {
			return err
		}
	}
	if _, err := e.decoder.Token(); err != nil {
		return err
	}
	if _, err := e.decoder.Token(); err != io.EOF || !known {
		return errShape
	}
	return nil
}

// readList reads a list. Null counts as an empty one.
func (e *export) readList(read func() (document, error)) error {
	token, err := e.decoder.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return errShape
	}
	for e.decoder.More() {
		d, err := read()
		if err != nil {
			return err
		}
		if e.stopped = !e.yield(d, nil); e.stopped {
			return nil
		}
	}
	_, err = e.decoder.Token()
	return err
}

// readRecord decodes the next record and returns the hash of its bytes.
func (e *export) readRecord(into any) (hash string, err error) {
	var raw json.RawMessage
	if err := e.decoder.Decode(&raw); err != nil {
		return "", err
	}
	return hashText(raw), json.Unmarshal(raw, into)
}

func (e *export) readObservation() (document, error) {
	var o observation
	hash, err := e.readRecord(&o)
	if err != nil {
		return document{}, err
	}
	d := document{Path: "observations/" + cmp.Or(o.SyncID, fmt.Sprint(o.ID)), Hash: hash, Title: o.Title, Type: o.Type, Created: o.CreatedAt, Private: o.Scope == "personal"}
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
	}{oneLine(o.Title), o.TopicKey, o.Project, o.SessionID})
	d.Text = useLineFeeds(o.Content)
	if o.Title+o.SessionID+o.TopicKey+o.Project != "" {
		d.Text = "---\n" + string(front) + "---\n\n" + d.Text
	}
	return d, err
}

func (e *export) readSession() (document, error) {
	var s session
	hash, err := e.readRecord(&s)
	if err != nil {
		return document{}, err
	}
	d := document{Path: "sessions/" + s.ID, Hash: hash, Type: "checkpoint", Created: cmp.Or(s.EndedAt, s.StartedAt), Title: oneLine("Session " + s.StartedAt + " " + s.Project)}
	d.Text = useLineFeeds(s.Summary)
	if strings.TrimSpace(d.Text) == "" {
		d.Reason = "a session without a summary"
	}
	return d, nil
}

func (e *export) readPrompt() (document, error) {
	var p struct {
		ID int64 `json:"id"`
	}
	_, err := e.readRecord(&p)
	return document{Path: fmt.Sprintf("prompts/%d", p.ID), Reason: "a prompt, not a note"}, err
}
