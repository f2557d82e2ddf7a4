package sessions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"time"

	"blue/blue/internal/index"
)

// opencode reads the sessions of opencode, which are in a database.
type opencode struct{}

func (opencode) list(h Homes) (all []Transcript, err error) {
	for _, path := range glob(h.Data, "opencode", "opencode*.db") {
		d, err := openDatabase(path)
		if err != nil {
			return all, err
		}
		for row := range d.table("session").rows() {
			if row.text("id") == "" || row.text("parent_id") != "" { // of a subagent
				continue
			}
			stamp := index.Stamp{Size: row.number("tokens_output"), ModTime: row.number("time_updated") * 1e6}
			t := Transcript{Client: "opencode", ID: row.text("id"), Path: path, Stamp: stamp, Dir: row.text("directory")}
			all = append(all, t)
		}
		if err := d.close(); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (opencode) read(t Transcript) iter.Seq2[Turn, error] {
	rows := inDatabase(t.Path, func(d *database, yield func(row) bool) {
		for _, name := range []string{"message", "part"} {
			for row := range d.table(name).where("session_id", t.ID) {
				if !yield(row) {
					return
				}
			}
		}
	})
	return turns(rows, func() reader[row] { return opencodeSession{}.turns })
}

// opencodeSession has the messages of a session by their ids. What they say is in their parts.
type opencodeSession map[string]opencodeMessage

type opencodeMessage struct {
	Role    string
	Summary json.RawMessage // true if the message sums up those before it
	Path    struct{ Cwd string }
}

type opencodePart struct {
	Type      string
	Text      string
	Synthetic bool // added by opencode or a plugin
	Ignored   bool
	State     struct {
		Error    string
		Output   string
		Metadata struct {
			Output string // without what hooks said
		}
	}
}

func (o opencodeSession) turns(r row) []Turn {
	data := r.bytes("data")
	message, isPart := o[r.text("message_id")]
	if !isPart {
		if json.Unmarshal(data, &message) == nil {
			o[r.text("id")] = message
		}
		return nil
	}
	tool := bytes.Contains(data, []byte(`"type":"tool"`))
	var p opencodePart
	if tool && !opencodeFailed(data) || string(message.Summary) == "true" || json.Unmarshal(data, &p) != nil {
		return nil
	}
	turn := Turn{Text: p.Text, Time: time.UnixMilli(r.number("time_created")), Dir: message.Path.Cwd}
	switch {
	case tool:
		turn.Speaker, turn.Text = Failure, cmp.Or(p.State.Error, p.State.Metadata.Output, p.State.Output)
	case p.Type != "text" || p.Synthetic || p.Ignored:
		return nil
	case message.Role == "user":
		turn.Speaker = Person
	default:
		turn.Speaker = Agent
	}
	return []Turn{turn}
}

// opencodeFailed reports whether a tool failed, or the command that it ran.
func opencodeFailed(data []byte) bool {
	const exit = `"exit":`
	if bytes.Contains(data[:min(len(data), 256)], []byte(`"status":"error"`)) {
		return true
	}
	at := bytes.LastIndex(data, []byte(exit))
	if at < 0 {
		return false
	}
	code := data[at+len(exit):]
	return !bytes.HasPrefix(code, []byte("0")) && !bytes.HasPrefix(code, []byte("null"))
}
