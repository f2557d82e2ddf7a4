package sessions

import (
	"encoding/json"
	"iter"
	"path/filepath"
	"time"

	"blue/blue/internal/index"
)

// goose reads the sessions of Goose, which are in a database, and formerly were in files.
type goose struct{}

func (goose) list(h Homes) (all []Transcript, err error) {
	dir := filepath.Join(h.Data, "goose", "sessions")
	if root := h.Getenv("GOOSE_PATH_ROOT"); filepath.IsAbs(root) {
		dir = filepath.Join(root, "data", "sessions")
	} else if data := h.Getenv("APPDATA"); data != "" {
		dir = filepath.Join(data, "Block", "goose", "data", "sessions")
	}
	paths := glob(dir, "sessions.db")
	if len(paths) == 0 { // Goose copies the files into the database when it makes that
		return transcripts("goose", glob(dir, "*.jsonl"), stem), nil
	}
	d, err := openDatabase(paths[0])
	if err != nil {
		return nil, err
	}
	for row := range d.table("sessions").rows() {
		switch row.text("session_type") {
		case "sub_agent", "hidden", "scheduled": // in which no person spoke
			continue
		}
		updated := gooseTime(row.text("updated_at")).UnixNano()
		stamp := index.Stamp{Size: row.number("accumulated_output_tokens"), ModTime: updated}
		t := Transcript{Client: "goose", ID: row.text("id"), Path: paths[0], Stamp: stamp, Dir: row.text("working_dir")}
		if t.ID != "" {
			all = append(all, t)
		}
	}
	return all, d.close()
}

// gooseTime parses a time as SQLite writes it, or sqlx.
func gooseTime(text string) time.Time {
	if t, err := time.Parse(time.DateTime, text); err == nil {
		return t
	}
	t, _ := time.Parse(time.RFC3339, text) // else none
	return t
}

func (goose) read(t Transcript) iter.Seq2[Turn, error] {
	if filepath.Ext(t.Path) == ".jsonl" {
		return turns(lines(t.Path), func() reader[[]byte] {
			dir := ""
			return func(line []byte) []Turn {
				var m gooseMessage
				if json.Unmarshal(line, &m) != nil {
					return nil
				}
				if m.WorkingDir != "" { // the first line
					dir = m.WorkingDir
				}
				return m.turns(dir)
			}
		})
	}
	rows := inDatabase(t.Path, func(d *database, yield func(row) bool) {
		d.table("messages").where("session_id", t.ID)(yield)
	})
	return turns(rows, func() reader[row] {
		return func(r row) []Turn {
			m := gooseMessage{Role: r.text("role"), Created: r.number("created_timestamp"), Content: r.bytes("content_json")}
			_ = json.Unmarshal(r.bytes("metadata_json"), &m.Metadata) // without it a message is visible
			return m.turns(t.Dir)
		}
	})
}

type gooseMessage struct {
	WorkingDir string `json:"working_dir"`
	Role       string
	Created    int64 // in seconds, of late in milliseconds
	Content    json.RawMessage
	Metadata   struct {
		UserVisible *bool
	}
}

func (m gooseMessage) turns(dir string) (all []Turn) {
	if v := m.Metadata.UserVisible; v != nil && !*v {
		return nil // what the agent gets in place of a long conversation
	}
	speaker := map[string]string{"user": Person, "assistant": Agent}[m.Role]
	for _, b := range blocks(m.Content) {
		turn := Turn{Speaker: speaker, Text: b.Text, Time: time.Unix(m.Created, 0), Dir: dir}
		if m.Created > 1e11 {
			turn.Time = time.UnixMilli(m.Created)
		}
		switch {
		case b.Type == "toolResponse":
			turn.Speaker, turn.Text = Failure, gooseFailure(b.ToolResult)
		case b.Type != "text" || speaker == "":
			continue
		}
		all = append(all, turn)
	}
	return all
}

// gooseFailure returns the output of a tool if it failed.
func gooseFailure(result json.RawMessage) string {
	var r struct {
		Error string
		Value struct {
			IsError bool
			Content json.RawMessage
		}
	}
	if json.Unmarshal(result, &r) != nil || r.Error != "" || !r.Value.IsError {
		return r.Error
	}
	return texts(r.Value.Content)
}
