package sessions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// gemini reads the sessions of Gemini CLI: tmp/PROJECT/chats/session-TIME-ID.jsonl, formerly
// .json. Those of subagents are in directories below.
type gemini struct{}

func (gemini) list(h Homes) []Transcript {
	return geminiList("gemini", filepath.Join(h.within("GEMINI_CLI_HOME"), ".gemini"), h.Roots)
}

// geminiList returns the sessions below a home of Gemini CLI or a client that came from it. The
// directory of a project says which one it is, or is the hash of its path.
func geminiList(client, home string, roots []string) (all []Transcript) {
	for _, project := range glob(home, "tmp", "*", "chats") {
		project = filepath.Dir(project)
		root, _ := os.ReadFile(filepath.Join(project, ".project_root"))
		dir := strings.TrimSpace(string(root))
		for _, known := range roots {
			if sum := sha256.Sum256([]byte(known)); dir == "" && hex.EncodeToString(sum[:]) == filepath.Base(project) {
				dir = known
			}
		}
		found := transcripts(client, glob(project, "chats", "session-*.json*"), func(path string) string {
			return strings.TrimPrefix(stem(path), "session-")
		})
		for i := range found {
			found[i].Dir = dir
		}
		all = append(all, found...)
	}
	return all
}

func (gemini) read(t Transcript) iter.Seq2[Turn, error] {
	records := lines(t.Path)
	if filepath.Ext(t.Path) == ".json" {
		records = messages(t.Path)
	}
	return turns(records, func() reader { return geminiSession{}.turns })
}

// geminiSession has the ids of what was read: a message is written again with the results of its
// tools, and all of them when a session goes on.
type geminiSession map[string]bool

type geminiMessage struct {
	ID        string
	Type      string
	Timestamp time.Time
	Content   json.RawMessage
	ToolCalls []geminiCall
	Set       struct {
		Messages []geminiMessage
	} `json:"$set"`
}

type geminiCall struct {
	ID            string
	Status        string
	Timestamp     time.Time
	Result        json.RawMessage
	ResultDisplay json.RawMessage
}

func (g geminiSession) turns(record []byte) []Turn {
	if !bytes.Contains(record, []byte(`"content"`)) {
		return nil
	}
	var m geminiMessage
	if json.Unmarshal(record, &m) != nil {
		return nil
	}
	all := g.message(m)
	for _, m := range m.Set.Messages {
		all = append(all, g.message(m)...)
	}
	return all
}

func (g geminiSession) message(m geminiMessage) (all []Turn) {
	speaker := map[string]string{"user": Person, "gemini": Agent}[m.Type]
	if text := texts(m.Content); text != "" && speaker != "" && !g[m.ID] {
		g[m.ID] = m.ID != ""
		all = append(all, Turn{Speaker: speaker, Text: text, Time: m.Timestamp})
	}
	for _, call := range m.ToolCalls {
		key := m.ID + "\n" + call.ID
		if g[key] || call.Status != "error" && !exitedBadly(call.Result) {
			continue
		}
		g[key] = true
		var shown string // without what hooks said
		if json.Unmarshal(call.ResultDisplay, &shown) == nil {
			all = append(all, Turn{Speaker: Failure, Text: shown, Time: call.Timestamp})
		}
	}
	return all
}

// exitedBadly reports whether a result tells of a command with an exit code that is not zero.
func exitedBadly(result json.RawMessage) bool {
	_, code, found := bytes.Cut(result, []byte(`\nExit Code: `))
	return found && !bytes.HasPrefix(code, []byte(`0`)) && !bytes.HasPrefix(code, []byte(`(`))
}
