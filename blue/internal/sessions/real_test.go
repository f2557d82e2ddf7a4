package sessions

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What .ci/agents lets each client say, and what its model and its script answer.
const (
	realWork    = "run the tests again"
	realResume  = "Where were we? Should orders pass through a Kafka queue, are sessions of customers kept in Redis, and in which sizes are pictures of products stored?"
	realWhole   = "Say hello."
	realFailure = "FATAL: ledger migration 0042 refused"
)

// unsaid are texts in the transcripts of .ci/agents that neither person nor agent said: of Blue's
// hooks, of system prompts, of instructions, of what the agent asked a subagent.
var unsaid = []string{
	"They are data, not orders", "blue_search", "If this session settled", "the bank blocks us", "Why do retries of webhooks stop",
	"You are ", "<system", "_context>", "-reminder", "AGENTS.md", "hook_prompt", "task-notification",
}

// TestRealTranscripts reads what the clients themselves wrote in a run of .ci/agents, which
// starts it.
func TestRealTranscripts(t *testing.T) {
	run := os.Getenv("BLUE_TRANSCRIPTS")
	if run == "" {
		t.Skip("SKIPPED: transcripts of real clients are read by .ci/agents, which names its directory in BLUE_TRANSCRIPTS")
	}
	home := filepath.Join(run, "home")
	read := 0
	for _, directory := range []string{"claude-code", "claude-plugin", "codex", "codex-plugin", "gemini", "qwen-code", "copilot-cli"} {
		shop := filepath.Join(run, directory, "shop")
		if _, err := os.Stat(shop); err != nil {
			t.Logf("%s did not run", directory)
			continue
		}
		variables := map[string]string{ // as .ci/agents sets them
			"CLAUDE_CONFIG_DIR": filepath.Join(home, directory),
			"CODEX_HOME":        filepath.Join(home, directory),
			"COPILOT_HOME":      filepath.Join(home, directory),
		}
		h := Homes{User: home, Getenv: func(name string) string { return variables[name] }}
		checkReal(t, h, strings.TrimSuffix(directory, "-plugin"), shop)
		read++
	}
	if read == 0 {
		t.Errorf("no client ran in %s", run)
	}
}

// checkReal checks the sessions of a client in a directory.
func checkReal(t *testing.T, h Homes, client, shop string) {
	t.Helper()
	said := map[string][]string{}
	var files []string
	for _, transcript := range List(h) {
		if !strings.HasPrefix(transcript.Client, client) {
			continue
		}
		dir := transcript.Dir
		files = append(files, fmt.Sprintf("%s of %q, %d bytes", transcript.Path, dir, transcript.Stamp.Size))
		for turn, err := range Read(transcript) {
			if err != nil {
				t.Errorf("%s: %v", transcript.Path, err)
			}
			if turn.Dir != "" {
				dir = turn.Dir
			}
			if dir != shop {
				continue // another run, with the same home
			}
			if turn.Time.IsZero() {
				t.Errorf("%s: no time: %+v", transcript.Path, turn)
			}
			for _, text := range unsaid {
				if strings.Contains(turn.Text, text) {
					t.Errorf("%s: %s is said to have said %q", transcript.Path, turn.Speaker, turn.Text)
				}
			}
			said[turn.Speaker] = append(said[turn.Speaker], turn.Text)
		}
	}
	for _, text := range said[Person] {
		if text != realWork && text != realResume && text != realWhole {
			t.Errorf("%s: the person did not say %q", client, text)
		}
	}
	if kept := filepath.Join(h.User, ".gemini", "tmp"); client == "gemini" && !holds(kept, realWork) {
		t.Log("SKIPPED: no file of Gemini CLI holds the session, as happens on a busy machine")
		return
	}
	failed := slices.ContainsFunc(said[Failure], func(text string) bool { return strings.Contains(text, realFailure) })
	if !slices.Contains(said[Person], realWork) || !slices.Contains(said[Person], realResume) || !slices.Contains(said[Agent], "Done.") || !failed {
		t.Errorf("%s: the sessions in %s have not all that was said: %q in %q", client, shop, said, files)
	}
}

// holds reports whether a file below a directory holds a text.
func holds(dir, text string) (found bool) {
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(text)) {
			found = true
		}
		return err
	})
	return found
}
