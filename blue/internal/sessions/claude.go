package sessions

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"time"
)

// claude reads the sessions of Claude Code: projects/DIRECTORY/SESSION.jsonl. Subagents have
// their own directories, in former versions files agent-*.jsonl.
type claude struct{}

func (claude) list(h Homes) []Transcript {
	files := glob(h.within("CLAUDE_CONFIG_DIR", ".claude"), "projects", "*", "*.jsonl")
	return transcripts("claude-code", files, func(path string) string {
		if id := stem(path); !strings.HasPrefix(id, "agent-") {
			return id
		}
		return ""
	})
}

func (claude) read(t Transcript) iter.Seq2[Turn, error] {
	return turns(lines(t.Path), func() reader { return claudeTurns })
}

type claudeLine struct {
	Type             string
	Timestamp        time.Time
	Cwd              string
	IsMeta           bool
	IsSidechain      bool
	IsCompactSummary bool
	IsAPIError       bool `json:"isApiErrorMessage"`
	Message          struct {
		Model   string
		Content json.RawMessage
	}
	Attachment struct {
		Type   string
		Prompt json.RawMessage // what the person said while the agent worked
	}
}

// rejected is how Claude Code introduces what the person said when they refused a tool.
const rejected = "the user said:\n"

func claudeTurns(line []byte) (all []Turn) {
	spoken := bytes.Contains(line, []byte(`"type":"user"`)) || bytes.Contains(line, []byte(`"type":"assistant"`))
	result := bytes.Contains(line, []byte(`"type":"tool_result"`)) && !bytes.Contains(line, []byte(`"is_error":true`))
	if !spoken && !bytes.Contains(line, []byte(`"queued_command"`)) || result {
		return nil
	}
	var l claudeLine
	if json.Unmarshal(line, &l) != nil || l.IsMeta || l.IsSidechain || l.IsCompactSummary || l.IsAPIError {
		return nil
	}
	turn := Turn{Time: l.Timestamp, Dir: l.Cwd}
	switch {
	case l.Type == "user":
		turn.Speaker = Person
	case l.Type == "assistant" && l.Message.Model != "<synthetic>":
		turn.Speaker = Agent
	case l.Type == "attachment" && l.Attachment.Type == "queued_command":
		turn.Speaker, l.Message.Content = Person, l.Attachment.Prompt
	default:
		return nil
	}
	for _, b := range blocks(l.Message.Content) {
		one := turn
		switch {
		case b.Type == "text":
			one.Text = b.Text
		case b.Type == "tool_result" && b.IsError:
			one.Speaker, one.Text = Failure, texts(b.Content)
			if strings.HasPrefix(one.Text, "The user doesn't want to ") {
				_, one.Text, _ = strings.Cut(one.Text, rejected)
				one.Speaker = Person
			}
		}
		all = append(all, one)
	}
	return all
}
