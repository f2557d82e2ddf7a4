package sessions

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"time"
)

// codex reads the sessions of Codex: sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl.
type codex struct{}

func (codex) list(h Homes) []Transcript {
	home := h.within("CODEX_HOME", ".codex")
	files := glob(home, "sessions", "*", "*", "*", "rollout-*.jsonl")
	files = append(files, glob(home, "archived_sessions", "rollout-*.jsonl")...)
	return transcripts("codex", files, func(path string) string {
		name := stem(path)
		return name[max(0, len(name)-len("01234567-89ab-cdef-0123-456789abcdef")):]
	})
}

func (codex) read(t Transcript) iter.Seq2[Turn, error] {
	return turns(lines(t.Path), func() reader {
		c := &codexSession{}
		return c.turns
	})
}

type codexSession struct {
	dir      string
	begun    bool
	subagent bool
}

type codexLine struct {
	Timestamp time.Time
	Type      string
	Payload   struct {
		Type         string
		Role         string
		Content      []block
		Output       json.RawMessage
		Cwd          string
		Source       json.RawMessage
		ThreadSource string `json:"thread_source"`
		Passthrough  struct {
			Kinds []string `json:"content_item_kinds"`
		} `json:"internal_chat_message_metadata_passthrough"`
	}
}

func (c *codexSession) turns(line []byte) []Turn {
	head := line[:min(len(line), 256)]
	item := bytes.Contains(head, []byte(`"response_item"`))
	context := bytes.Contains(head, []byte(`"session_meta"`)) || bytes.Contains(head, []byte(`"turn_context"`))
	output := item && bytes.Contains(head, []byte(`call_output"`))
	if c.subagent || !item && !context || output && !codexFailed(line) {
		return nil
	}
	var l codexLine
	if json.Unmarshal(line, &l) != nil {
		return nil
	}
	if l.Payload.Cwd != "" {
		c.dir = l.Payload.Cwd
	}
	if l.Type == "session_meta" && !c.begun { // a fork has that of its parent too
		c.begun = true
		c.subagent = l.Payload.ThreadSource == "subagent" || bytes.Contains(l.Payload.Source, []byte(`"subagent"`))
	}
	if l.Type != "response_item" {
		return nil
	}
	turn := Turn{Time: l.Timestamp, Dir: c.dir}
	switch p := l.Payload; {
	case p.Type == "message" && p.Role == "assistant":
		turn.Speaker = Agent
	case p.Type == "message" && p.Role == "user":
		turn.Speaker = Person
	case output:
		turn.Speaker, turn.Text = Failure, codexOutput(p.Output)
		return []Turn{turn}
	default:
		return nil
	}
	var all []Turn
	for i, b := range l.Payload.Content {
		kinds := l.Payload.Passthrough.Kinds // says for each block who added it
		if turn.Speaker == Person && i < len(kinds) && kinds[i] != "unknown" && !strings.HasPrefix(kinds[i], "user.") {
			continue
		}
		one := turn
		one.Text = b.Text
		all = append(all, one)
	}
	return all
}

// codexFailed reports whether a line has the output of a command that failed. The exit code stands
// before the output, in former versions behind it.
func codexFailed(line []byte) bool {
	_, output, _ := bytes.Cut(line, []byte(`"output":`))
	head, tail := output[:min(len(output), 300)], output[max(0, len(output)-300):]
	for _, mark := range []string{"exited with code ", "Exit code: "} {
		if at := bytes.Index(head, []byte(mark)); at >= 0 {
			return !bytes.HasPrefix(head[at+len(mark):], []byte(`0\n`))
		}
	}
	_, code, found := bytes.Cut(tail, []byte(`\"exit_code\":`))
	return found && !bytes.HasPrefix(code, []byte("0"))
}

// codexOutput returns what a command printed.
func codexOutput(output json.RawMessage) string {
	text := texts(output)
	var former struct{ Output string }
	if json.Unmarshal([]byte(text), &former) == nil {
		return former.Output
	}
	if _, printed, found := strings.Cut(text, "Output:\n"); found {
		return printed
	}
	return text
}
