package sessions

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cline reads the sessions of Cline's command line, sessions/ID/ID.messages.json, and the tasks of
// its extension for VS Code, tasks/ID/api_conversation_history.json.
type cline struct{}

const clineTask = "api_conversation_history.json"

func (cline) list(h Homes) (all []Transcript, err error) {
	data := h.within("CLINE_DATA_DIR", ".cline", "data")
	sessions := filepath.Join(data, "sessions")
	if dir := h.Getenv("CLINE_SESSION_DATA_DIR"); filepath.IsAbs(dir) {
		sessions = dir
	}
	files := glob(sessions, "*", "*.messages.json")
	all = transcripts("cline", files, func(path string) string {
		id := strings.TrimSuffix(filepath.Base(path), ".messages.json")
		if id == filepath.Base(filepath.Dir(path)) {
			return id
		}
		return "" // of a subagent
	})
	files = glob(data, "tasks", "*", clineTask)
	for _, programs := range h.applications() {
		storage := []string{"Code*", "User", "globalStorage", "saoudrizwan.claude-dev"}
		files = append(files, glob(programs, append(storage, "tasks", "*", clineTask)...)...)
	}
	tasks := transcripts("cline", files, func(path string) string { return filepath.Base(filepath.Dir(path)) })
	return append(all, tasks...), nil
}

func (cline) read(t Transcript) iter.Seq2[Turn, error] {
	return turns(elements(t.Path, "messages"), func() reader[json.RawMessage] {
		c := &clineSession{task: filepath.Base(t.Path) == clineTask}
		if !c.task {
			c.dir = clineDir(t)
		}
		return c.turns
	})
}

// clineDir returns the working directory of a session. It reads the file ID.json of the session.
func clineDir(t Transcript) string {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(t.Path), t.ID+".json"))
	var about struct{ Cwd string }
	if err != nil || json.Unmarshal(text, &about) != nil {
		return ""
	}
	return about.Cwd
}

type clineSession struct {
	dir  string
	task bool // of the extension
}

type clineMessage struct {
	Role    string
	TS      int64
	Content json.RawMessage
}

// asides are the elements in texts of the extension's agent. In former versions these were calls of
// tools. The content of an element is kept if its value is true.
var asides = map[string]bool{
	"thinking": false, "execute_command": false, "read_file": false, "write_to_file": false, "replace_in_file": false,
	"search_files": false, "list_files": false, "list_code_definition_names": false, "browser_action": false,
	"use_mcp_tool": false, "access_mcp_resource": false, "new_task": false, "task_progress": false, "command": false,
	"attempt_completion": true, "result": true, "plan_mode_respond": true, "response": true,
	"ask_followup_question": true, "question": true, "options": false,
}

func (c *clineSession) turns(record json.RawMessage) (all []Turn) {
	var m clineMessage
	if json.Unmarshal(record, &m) != nil {
		return nil
	}
	for _, b := range blocks(m.Content) {
		turn := Turn{Speaker: Agent, Text: b.Text, Dir: c.dir}
		if m.TS > 0 {
			turn.Time = time.UnixMilli(m.TS)
		}
		switch {
		case b.Type == "text" && m.Role == "user":
			turn.Speaker = Person
			if c.task {
				turn.Text = c.fromTask(b.Text)
				turn.Dir = c.dir
			}
		case b.Type == "text" && m.Role == "assistant":
			turn.Text = withoutTags(b.Text, asides)
		case b.Type == "tool_result":
			turn.Speaker, turn.Text = Failure, clineFailure(b)
		default:
			continue
		}
		all = append(all, turn)
	}
	return all
}

// fromTask returns what the person said in a text of the extension, which has the results of tools
// as texts too: only what is in an element is said. It notes the working directory.
func (c *clineSession) fromTask(text string) string {
	for _, name := range []string{"# Current Working Directory (", "# Current Workspace Directory ("} {
		if _, after, found := strings.Cut(text, name); found {
			c.dir, _, _ = strings.Cut(after, ") Files")
			c.dir, _, _ = strings.Cut(c.dir, "\n")
		}
	}
	for _, name := range []string{"task", "feedback", "user_message", "answer"} {
		if _, after, found := strings.Cut(text, "<"+name+">"); found {
			said, _, _ := strings.Cut(after, "</"+name+">")
			return said
		}
	}
	return ""
}

// clineFailure returns the outputs of those calls of a tool that failed.
func clineFailure(b block) string {
	var calls []struct {
		Result  json.RawMessage
		Error   string
		Success *bool
	}
	if json.Unmarshal(b.Content, &calls) != nil || b.IsError {
		if b.IsError {
			return texts(b.Content)
		}
		return ""
	}
	var failed []string
	for _, call := range calls {
		if call.Success == nil || *call.Success {
			continue
		}
		printed := texts(call.Result)
		if printed == "" {
			printed = call.Error
		}
		failed = append(failed, printed)
	}
	return strings.Join(failed, "\n")
}
