package sessions

import (
	"bytes"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// copilot reads the sessions of Copilot CLI: session-state/ID/events.jsonl, formerly ID.jsonl.
type copilot struct{}

func (copilot) list(h Homes) []Transcript {
	home := h.within("COPILOT_HOME", ".copilot")
	files := append(glob(home, "session-state", "*", "events.jsonl"), glob(home, "session-state", "*.jsonl")...)
	return transcripts("copilot-cli", files, func(path string) string {
		if filepath.Base(path) == "events.jsonl" {
			return filepath.Base(filepath.Dir(path))
		}
		return stem(path)
	})
}

func (copilot) read(t Transcript) iter.Seq2[Turn, error] {
	return turns(lines(t.Path), func() reader {
		c := &copilotSession{}
		return c.turns
	})
}

type copilotSession struct {
	dir   string
	asked string // what a hook said at the end of the agent's turn: it comes back as words of the person
}

type copilotEvent struct {
	Type      string
	Timestamp time.Time
	AgentID   string // of a subagent
	Data      struct {
		Content          string
		Source           string
		Autopilot        bool `json:"isAutopilotContinuation"`
		ParentToolCallID string
		Cwd              string
		Context          struct{ Cwd string }
		Output           struct{ Reason string }
		Success          bool
		ShellExecution   struct{ ExitCode int }
		Error            struct{ Message string }
		Result           struct {
			Content         string
			DetailedContent string // without what hooks said
		}
	}
}

func (c *copilotSession) turns(line []byte) []Turn {
	head := line[:min(len(line), 64)]
	wanted := false
	kinds := []string{"session.", "user.message", "assistant.message", "tool.execution_complete", "hook.end"}
	for _, kind := range kinds {
		wanted = wanted || bytes.Contains(head, []byte(`"type":"`+kind))
	}
	result := bytes.Contains(head, []byte(`tool.execution_complete"`))
	worked := bytes.Contains(line, []byte(`"success":true`)) && !bytes.Contains(line, []byte(`"exitCode":`))
	if !wanted || result && worked {
		return nil
	}
	var e copilotEvent
	if json.Unmarshal(line, &e) != nil || e.AgentID != "" || e.Data.ParentToolCallID != "" {
		return nil
	}
	if dir := e.Data.Context.Cwd + e.Data.Cwd; dir != "" {
		c.dir = dir
	}
	turn := Turn{Text: e.Data.Content, Time: e.Timestamp, Dir: c.dir}
	switch e.Type {
	case "hook.end":
		c.asked = e.Data.Output.Reason
		return nil
	case "user.message":
		turn.Speaker = Person
		if e.Data.Autopilot || e.Data.Source != "" && e.Data.Source != "user" || e.Data.Content == c.asked {
			return nil
		}
	case "assistant.message":
		turn.Speaker = Agent
	case "tool.execution_complete":
		turn.Speaker, turn.Text = Failure, e.Data.Error.Message
		if turn.Text == "" && e.Data.ShellExecution.ExitCode != 0 {
			turn.Text, _, _ = strings.Cut(e.Data.Result.DetailedContent, "\n<shellId: ")
		}
	default:
		return nil
	}
	return []Turn{turn}
}
