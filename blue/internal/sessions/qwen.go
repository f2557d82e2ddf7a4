package sessions

import (
	"bytes"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// qwen reads the sessions of Qwen Code: projects/DIRECTORY/chats/ID.jsonl, formerly as Gemini CLI,
// from which it came.
type qwen struct{}

func (qwen) list(h Homes) []Transcript {
	home := h.within("QWEN_HOME", ".qwen")
	if dir := h.Getenv("QWEN_RUNTIME_DIR"); filepath.IsAbs(dir) {
		home = dir
	}
	files := glob(home, "projects", "*", "chats", "*.jsonl")
	return append(transcripts("qwen-code", files, stem), geminiList("qwen-code", home, h.Roots)...)
}

func (qwen) read(t Transcript) iter.Seq2[Turn, error] {
	if strings.HasSuffix(t.Path, ".json") {
		return gemini{}.read(t)
	}
	return turns(lines(t.Path), func() reader { return qwenTurns })
}

type qwenLine struct {
	Type        string
	Subtype     string
	Provenance  string // who wrote it; formerly not recorded
	Timestamp   time.Time
	Cwd         string
	IsSidechain bool
	Message     struct {
		Parts json.RawMessage
	}
	ToolCallResult struct {
		ResultDisplay json.RawMessage
	}
}

func qwenTurns(line []byte) []Turn {
	result := bytes.Contains(line, []byte(`"type":"tool_result"`)) && !bytes.Contains(line, []byte(`"status":"error"`))
	if result || bytes.Contains(line, []byte(`"type":"system"`)) {
		return nil
	}
	var l qwenLine
	if json.Unmarshal(line, &l) != nil || l.IsSidechain {
		return nil
	}
	turn := Turn{Text: texts(l.Message.Parts), Time: l.Timestamp, Dir: l.Cwd}
	switch {
	case l.Type == "assistant":
		turn.Speaker = Agent
	case l.Type == "user" && (l.Provenance == "real_user" || l.Provenance == "" && l.Subtype == ""):
		turn.Speaker = Person
	case l.Type == "tool_result":
		turn.Speaker, turn.Text = Failure, shownResult(l.ToolCallResult.ResultDisplay)
	default:
		return nil
	}
	return []Turn{turn}
}

// shownResult returns what a person saw of a result, which is without what hooks said: a text, or
// what a command printed.
func shownResult(display json.RawMessage) string {
	var shell struct{ Output string }
	_ = json.Unmarshal(display, &shell) // of another shape: it has no output
	if shell.Output != "" {
		return shell.Output
	}
	var text string
	_ = json.Unmarshal(display, &text)
	return text
}
