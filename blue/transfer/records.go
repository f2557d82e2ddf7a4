package transfer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// lineLimit is the largest size in bytes of one line of a graph.
const lineLimit = 4 << 20

// element is a line of a graph of the reference memory server: an entity with
// its observations, or a relation between two entities.
type element struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

// readGraph yields each entity as a document, with its observations as a list, and its
// relations. It reads the file twice, because a relation may stand anywhere, and keeps only
// the relations in memory.
func readGraph(s *source) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		from := map[string][]relation{}
		err := s.eachLine(func(_ int, e element, reason string) bool {
			if reason == "" && e.Type == "relation" {
				from[e.From] = append(from[e.From], relation{oneLine(e.RelationType), oneLine(e.To)})
			}
			return true
		})
		if err != nil {
			yield(document{}, err)
			return
		}
		seen, stopped := map[string]bool{}, false
		err = s.eachLine(func(number int, e element, reason string) bool {
			if reason == "" && e.Type == "relation" {
				return true
			}
			d := e.makeDocument(from[e.Name], seen)
			if reason != "" {
				d = document{Path: fmt.Sprintf("line %d", number), Reason: reason}
			}
			stopped = !yield(d, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(document{}, err)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(from)) {
			if !stopped && !seen[name] {
				stopped = !yield(document{Path: name, Reason: "relations of an entity that is not there"}, nil)
			}
		}
	}
}

// makeDocument returns an entity as a document.
func (e element) makeDocument(relations []relation, seen map[string]bool) document {
	d := document{Path: e.Name, Names: []string{e.Name}, Title: e.Name, Type: oneLine(e.EntityType), Relations: relations}
	if seen[e.Name] {
		return document{Path: e.Name, Reason: "a second entity of this name"}
	}
	seen[e.Name] = true
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", oneLine(e.Name))
	for i, observation := range e.Observations {
		if i == 0 {
			b.WriteString("\n")
		}
		lines := strings.Split(strings.TrimSpace(useLineFeeds(observation)), "\n")
		fmt.Fprintf(&b, "- %s\n", strings.Join(lines, "\n  "))
	}
	d.Text = b.String()
	raw, _ := json.Marshal([]any{e, relations}) // strings alone: it cannot fail
	d.Hash = hashText(raw)
	return d
}

// eachLine calls take for each line of the file, with the reason why it is no element if it is
// none, until take returns false.
func (s *source) eachLine(take func(number int, e element, reason string) bool) error {
	file, err := s.openFile()
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, 64<<10), lineLimit)
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(scanner.Text(), "\uFEFF"))
		if line == "" {
			continue
		}
		var e element
		reason := ""
		switch err := json.Unmarshal([]byte(line), &e); {
		case !utf8.ValidString(line):
			reason = "not UTF-8 text"
		case err != nil:
			reason = "not an entity or a relation in JSON"
		case e.Type != "entity" && e.Type != "relation":
			reason = "neither an entity nor a relation"
		case e.Type == "entity" && oneLine(e.Name) == "":
			reason = "an entity without a name"
		}
		if !take(number, e, reason) {
			return nil
		}
	}
	if err := scanner.Err(); err != nil {
		return badSource(s.name, "a line is longer than 4 MiB, or "+whyUnreadable(err))
	}
	return nil
}

func (s *source) openFile() (io.ReadCloser, error) {
	info, err := lstat(s.tree, s.file)
	if err != nil {
		return nil, badSource(s.name, whyUnreadable(err))
	}
	if !info.Mode().IsRegular() {
		return nil, badSource(s.name, "it is not a regular file")
	}
	if info.Size() > recordsLimit {
		return nil, badSource(s.name, "it is larger than 256 MiB")
	}
	file, err := s.tree.Open(s.file)
	if err != nil {
		return nil, badSource(s.name, whyUnreadable(err))
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, recordsLimit), file}, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

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
			yield(document{}, badSource(s.name, fmt.Sprintf("it is no export of Engram: %v", err)))
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
