package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blue/fixtures"
)

// homes returns homes in a new directory that holds the files.
func homes(t testing.TB, files map[string]string) Homes {
	t.Helper()
	dir := t.TempDir()
	hash := sha256.Sum256([]byte(filepath.Join(dir, "work")))
	for name, text := range files {
		path := filepath.Join(dir, strings.Replace(name, "HASH", hex.EncodeToString(hash[:]), 1))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return Homes{User: dir, Getenv: func(string) string { return "" }, Roots: []string{filepath.Join(dir, "work")}}
}

// told returns what is said in all transcripts: of each its id and directory, then its turns.
func told(t testing.TB, h Homes) (all []string) {
	t.Helper()
	list := List(h)
	slices.SortFunc(list, func(a, b Transcript) int { return strings.Compare(a.Client+a.ID, b.Client+b.ID) })
	for _, transcript := range list {
		all = append(all, transcript.Client+" "+transcript.ID+" "+filepath.ToSlash(strings.ReplaceAll(transcript.Dir, h.User, "~")))
		if transcript.Stamp.Size == 0 || transcript.Stamp.ModTime == 0 {
			t.Errorf("no stamp: %+v", transcript)
		}
		for turn, err := range Read(transcript) {
			if err != nil {
				t.Errorf("%s: %v", transcript.ID, err)
				continue
			}
			line := turn.Speaker + ": " + turn.Text
			if turn.Dir != "" {
				line += " (" + turn.Dir + ")"
			}
			all = append(all, line)
		}
	}
	return all
}

// formats are transcripts of each client, written by hand in the shape that the client writes,
// and what is said in them.
var formats = map[string]struct {
	files map[string]string
	want  string
}{
	"claude-code": {
		map[string]string{
			".claude/projects/-work-shop/1f.jsonl": `
{"type":"queue-operation","operation":"enqueue","content":"use Redis?"}
{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"<system-reminder>a reminder</system-reminder>\nuse Redis?"},"timestamp":"2026-11-27T06:52:23.474Z","cwd":"/srv/shop"}
{"parentUuid":"a","isSidechain":false,"attachment":{"type":"hook_additional_context","content":["what a hook says"]},"type":"attachment","cwd":"/srv/shop"}
{"isSidechain":false,"message":{"model":"m","role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Yes, Redis."}]},"type":"assistant","cwd":"/srv/shop"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Bash","input":{"command":"./migrate"}}]},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"fine"}]},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>FATAL: no ledger</tool_use_error>","is_error":true}]},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nno, use Postgres","is_error":true}]},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"The user doesn't want to take this action right now.","is_error":true}]},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]},"cwd":"/srv/shop"}
{"type":"attachment","attachment":{"type":"queued_command","prompt":"and quickly"},"cwd":"/srv/shop"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"Stop hook feedback:\nwrite a note"},"cwd":"/srv/shop"}
{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"a summary"},"cwd":"/srv/shop"}
{"type":"user","isSidechain":true,"message":{"role":"user","content":"what the agent asked"},"cwd":"/srv/shop"}
{"type":"user","message":{"role":"user","content":"<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the queue</command-args>"},"cwd":"/srv/shop/pay"}
{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}`,
			".claude/projects/-work-shop/1f/subagents/agent-2.jsonl": `{"type":"user","message":{"content":"what the agent asked"},"cwd":"/srv/shop"}`,
			".claude/projects/-work-shop/agent-3.jsonl":              `{"type":"user","message":{"content":"what the agent asked"},"cwd":"/srv/shop"}`,
		},
		`claude-code 1f 
person: use Redis? (/srv/shop)
agent: Yes, Redis.
failure: FATAL: no ledger
person: no, use Postgres
person: and quickly
person: the queue (/srv/shop/pay)`,
	},
	"codex": {
		map[string]string{
			".codex/sessions/2026/11/27/rollout-2026-11-27T06-52-31-01a21bc6-ee0a-7c73-afd7-330715113349.jsonl": `
{"timestamp":"2026-11-27T06:52:31.810Z","ordinal":0,"type":"session_meta","payload":{"id":"x","cwd":"/srv/shop","source":"cli","thread_source":"user","base_instructions":{"text":"instructions"}}}
{"timestamp":"2026-11-27T06:52:31.9Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"instructions"}]}}
{"timestamp":"2026-11-27T06:52:31.9Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /srv/shop\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"},{"type":"input_text","text":"<environment_context>\n<cwd>/srv/shop</cwd>\n</environment_context>"}]}}
{"timestamp":"2026-11-27T06:52:32Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"what a plugin adds"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["plugins.context"]}}}
{"timestamp":"2026-11-27T06:52:32Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"use Redis?"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text"]}}}
{"timestamp":"2026-11-27T06:52:32Z","type":"event_msg","payload":{"type":"user_message","message":"use Redis?"}}
{"timestamp":"2026-11-27T06:52:33Z","type":"response_item","payload":{"type":"reasoning","content":[{"type":"text","text":"hm"}]}}
{"timestamp":"2026-11-27T06:52:33Z","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nfine"}}
{"timestamp":"2026-11-27T06:52:33Z","type":"response_item","payload":{"type":"function_call_output","call_id":"2","output":"Wall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nFATAL: no ledger\n"}}
{"timestamp":"2026-11-27T06:52:33Z","type":"response_item","payload":{"type":"function_call_output","call_id":"3","output":"{\"output\":\"FATAL: formerly\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"}}
{"timestamp":"2026-11-27T06:52:33Z","type":"turn_context","payload":{"cwd":"/srv/shop/pay"}}
{"timestamp":"2026-11-27T06:52:34Z","type":"compacted","payload":{"message":"a summary"}}
{"timestamp":"2026-11-27T06:52:34Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes, Redis."}]}}`,
			".codex/archived_sessions/rollout-2026-11-27T06-52-33-11a21bc6-f4f9-7213-bb1c-c910d895c9fc.jsonl": `
{"timestamp":"2026-11-27T06:52:33Z","type":"session_meta","payload":{"cwd":"/srv/shop","source":{"subagent":{"thread_spawn":{}}}}}
{"timestamp":"2026-11-27T06:52:34Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"what the agent asked"}]}}`,
		},
		`codex 01a21bc6-ee0a-7c73-afd7-330715113349 
person: use Redis? (/srv/shop)
failure: FATAL: no ledger
failure: FATAL: formerly
agent: Yes, Redis. (/srv/shop/pay)
codex 11a21bc6-f4f9-7213-bb1c-c910d895c9fc `,
	},
	"gemini": {
		map[string]string{
			".gemini/tmp/shop/.project_root": "/srv/shop",
			".gemini/tmp/shop/chats/session-2026-11-27T06-52-2602d9f7.jsonl": `
{"sessionId":"2602d9f7-0971","projectHash":"31","startTime":"2026-11-27T06:52:51.572Z","kind":"main"}
{"$set":{"messages":[{"id":"0","timestamp":"2026-11-27T06:52:51.573Z","type":"user","content":[{"text":"<session_context>\ninstructions\n</session_context>"}]}]}}
{"id":"1","timestamp":"2026-11-27T06:52:51.776Z","type":"user","content":[{"text":"<hook_context>what a hook says</hook_context>\n\nuse Redis?"}]}
{"$set":{"lastUpdated":"2026-11-27T06:52:51.777Z"}}
{"id":"2","timestamp":"2026-11-27T06:52:51.958Z","type":"gemini","content":"I try.","thoughts":[]}
{"id":"2","timestamp":"2026-11-27T06:52:51.958Z","type":"gemini","content":"I try.","toolCalls":[{"id":"c0","status":"success","timestamp":"2026-11-27T06:52:52.141Z","result":[{"functionResponse":{"response":{"output":"Output: FATAL: no ledger\nExit Code: 3\n\n<hook_context>x</hook_context>"}}}],"resultDisplay":"FATAL: no ledger"}]}
{"id":"3","timestamp":"2026-11-27T06:52:52.143Z","type":"user","content":[{"functionResponse":{"id":"c0","response":{"output":"Output: FATAL: no ledger\nExit Code: 3"}}}]}
{"id":"4","timestamp":"2026-11-27T06:52:52.2Z","type":"gemini","content":"","toolCalls":[{"id":"c0","status":"success","result":[{"functionResponse":{"response":{"output":"fine\nExit Code: 0"}}}],"resultDisplay":"fine"},{"id":"c1","status":"error","resultDisplay":"no such file"}]}
{"id":"5","timestamp":"2026-11-27T06:52:53.632Z","type":"user","content":[{"text":"If this session settled something that someone will need again, write it with blue_write now; if not, finish."}]}
{"$set":{"messages":[{"id":"1","type":"user","content":[{"text":"use Redis?"}]},{"id":"2","type":"gemini","content":[{"text":"I try."}]},{"id":"6","type":"gemini","content":[{"text":"Yes, Redis."}]}]}}`,
			".gemini/tmp/shop/chats/2602d9f7-0971/a5.jsonl": `{"id":"1","type":"user","content":[{"text":"what the agent asked"}]}`,
			".gemini/tmp/HASH/chats/session-2025-09-01T10-00-aaaa.json": `{
  "sessionId": "aaaa", "startTime": "2025-09-01T10:00:00Z",
  "messages": [
    {"id": "1", "timestamp": "2025-09-01T10:00:00Z", "type": "user", "content": "formerly?"},
    {"id": "2", "timestamp": "2025-09-01T10:00:01Z", "type": "info", "content": "what the program says"},
    {"id": "3", "timestamp": "2025-09-01T10:00:01Z", "type": "gemini", "content": "Formerly."}
  ]
}`,
		},
		`gemini 2025-09-01T10-00-aaaa ~/work
person: formerly?
agent: Formerly.
gemini 2026-11-27T06-52-2602d9f7 /srv/shop
person: use Redis?
agent: I try.
failure: FATAL: no ledger
failure: no such file
agent: Yes, Redis.`,
	},
	"qwen-code": {
		map[string]string{
			".qwen/projects/-work-shop/chats/f8.jsonl": `
{"sessionId":"f8","timestamp":"2026-11-27T06:53:09.778Z","type":"user","provenance":"real_user","cwd":"/srv/shop","message":{"role":"user","parts":[{"text":"<system-reminder>a reminder</system-reminder>\n\n"},{"text":"use Redis?"},{"text":"<qwen:user-prompt-submit-context>\nwhat a hook says\n</qwen:user-prompt-submit-context>"}]}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:09.8Z","type":"system","subtype":"ui_telemetry","cwd":"/srv/shop","systemPayload":{"uiEvent":{"error":"FATAL: no ledger"}}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:11.7Z","type":"tool_result","provenance":"tool_result","cwd":"/srv/shop","message":{"role":"user","parts":[{"functionResponse":{"response":{"error":"Output: FATAL: no ledger and what a hook says"}}}]},"toolCallResult":{"status":"error","resultDisplay":{"type":"shell_result","exitCode":3,"output":"FATAL: no ledger","text":"Output: FATAL: no ledger and what a hook says"}}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:11.7Z","type":"tool_result","cwd":"/srv/shop","message":{"role":"user","parts":[]},"toolCallResult":{"status":"error","resultDisplay":"no such file"}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:11.8Z","type":"tool_result","cwd":"/srv/shop","message":{"role":"user","parts":[]},"toolCallResult":{"status":"success","resultDisplay":"fine"}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:14.7Z","type":"assistant","cwd":"/srv/shop","message":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Yes, Redis."}]}}
{"sessionId":"f8","timestamp":"2026-11-27T06:53:15.3Z","type":"user","provenance":"system","subtype":"notification","cwd":"/srv/shop","message":{"role":"user","parts":[{"text":"what the program says"}]}}`,
			".qwen/projects/-work-shop/subagents/f8/agent-1.jsonl": `{"type":"user","isSidechain":true,"message":{"parts":[{"text":"what the agent asked"}]}}`,
		},
		`qwen-code f8 
person: use Redis? (/srv/shop)
failure: FATAL: no ledger
failure: no such file
agent: Yes, Redis.`,
	},
	"copilot-cli": {
		map[string]string{
			".copilot/session-state/60/events.jsonl": `
{"type":"session.start","data":{"sessionId":"60","context":{"cwd":"/srv/shop"}},"timestamp":"2026-11-27T06:53:13.049Z"}
{"type":"user.message","data":{"content":"use Redis?","transformedContent":"<current_datetime>now</current_datetime>\n\nuse Redis?"},"timestamp":"2026-11-27T06:53:13.724Z"}
{"type":"system.message","data":{"role":"system","content":"instructions"},"timestamp":"2026-11-27T06:53:13.8Z"}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"1","name":"bash"}]},"timestamp":"2026-11-27T06:53:13.9Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"1","shellExecution":{"exitCode":3},"success":true,"result":{"content":"FATAL: no ledger and what a hook says","detailedContent":"FATAL: no ledger\n<shellId: 0 completed with exit code 3>"}},"timestamp":"2026-11-27T06:53:14Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"2","shellExecution":{"exitCode":0},"success":true,"result":{"content":"fine"}},"timestamp":"2026-11-27T06:53:14Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"3","success":false,"error":{"message":"no such file"}},"timestamp":"2026-11-27T06:53:14Z"}
{"type":"user.message","data":{"content":"what the agent asked"},"agentId":"4a","timestamp":"2026-11-27T06:53:14Z"}
{"type":"assistant.message","data":{"content":"Yes, Redis.","toolRequests":[]},"timestamp":"2026-11-27T06:53:15.9Z"}
{"type":"hook.end","data":{"hookType":"agentStop","success":true,"output":{"decision":"block","reason":"what a hook asks"}},"timestamp":"2026-11-27T06:53:16Z"}
{"type":"user.message","data":{"content":"what a hook asks","delivery":"queued"},"timestamp":"2026-11-27T06:53:16.1Z"}
{"type":"user.message","data":{"content":"what a skill says","source":"skill-pdf"},"timestamp":"2026-11-27T06:53:16.1Z"}
{"type":"session.context_changed","data":{"cwd":"/srv/shop/pay"},"timestamp":"2026-11-27T06:53:17Z"}
{"type":"user.message","data":{"content":"and now?","source":"user"},"timestamp":"2026-11-27T06:53:18Z"}`,
		},
		`copilot-cli 60 
person: use Redis? (/srv/shop)
failure: FATAL: no ledger
failure: no such file
agent: Yes, Redis.
person: and now? (/srv/shop/pay)`,
	},
}

func TestFormats(t *testing.T) {
	for client, format := range formats {
		t.Run(client, func(t *testing.T) {
			h := homes(t, format.files)
			if got := strings.Join(told(t, h), "\n"); got != format.want {
				t.Errorf("got\n%s\nwant\n%s", got, format.want)
			}
		})
	}
}

// TestHostileLines reads lines without an end, damaged ones, and one in a foreign encoding.
func TestHostileLines(t *testing.T) {
	line := func(text string) string {
		return `{"type":"user","message":{"content":"` + text + `"},"cwd":"/srv"}` + "\n"
	}
	text := "\ufeff" + line("first") + "{\"type\":\"user\",\n\x00\x01\n[]\n\"text\"\nnull\n" + line("caf\xe9") +
		`{"type":"user","message":{"content":"` + strings.Repeat("x", longestRecord) + "\n" + line(strings.Repeat("y", 1<<20)) +
		"\r\n" + strings.TrimSuffix(line("windows"), "\n") + "\r\n" + line("\xff\xfe") + strings.TrimSuffix(line("last"), "\n")
	h := homes(t, map[string]string{".claude/projects/x/1.jsonl": text + "\n" + `{"type":"user","message":{"content":"half`})
	got := told(t, h)
	want := []string{"claude-code 1 ", "person: first (/srv)", "person: caf\ufffd", "person: " + ends(strings.Repeat("y", 1<<20), textSize), "person: windows", "person: \ufffd\ufffd", "person: last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %.300q", got)
	}
}

// TestGrowingFile reads a transcript whose last line is being written.
func TestGrowingFile(t *testing.T) {
	for client, format := range formats {
		for name, text := range format.files {
			h := homes(t, format.files)
			if strings.Contains(name, "HASH") {
				continue
			}
			path := filepath.Join(h.User, name)
			before := 0
			for cut := 0; cut <= len(text); cut += max(1, len(text)/50) {
				must(t, os.WriteFile(path, []byte(text[:cut]), 0o600))
				turns := 0
				for _, transcript := range List(h) {
					for _, err := range Read(transcript) {
						if err != nil {
							t.Errorf("%s: %v", client, err)
						}
						turns++
					}
				}
				if turns < before {
					t.Errorf("%s: %d turns of the first %d bytes, %d before", client, turns, cut, before)
				}
				before = turns
			}
		}
	}
}

// What is cut from a long output is whole words, so that no half of a secret stays.
func TestFailureIsCut(t *testing.T) {
	token := "ghp_" + strings.Repeat("x7Kq2mVb9R", 4)
	text := cleaned(Turn{Speaker: Failure, Text: "FATAL" + strings.Repeat(" ä "+token, 1<<14) + " the end"})
	if len(text) > textSize+20 || !utf8.ValidString(text) || !strings.HasPrefix(text, "FATAL") || !strings.HasSuffix(text, "the end") {
		t.Errorf("%d bytes: %.20q", len(text), text)
	}
	for word := range strings.FieldsSeq(text) {
		if strings.Contains(token, word) && word != token && len(word) > 2 {
			t.Errorf("a part of the secret is left: %s", word)
		}
	}
}

// TestManyTags wants the removal of what clients added to take a time that grows with the text.
func TestManyTags(t *testing.T) {
	began := time.Now()
	for _, tag := range []string{"\n<reminder>", "<reminder>", "\n<skill></skill>", "\n<reminder><skill>"} {
		cleaned(Turn{Speaker: Person, Text: strings.Repeat(tag, textSize/len(tag)) + "</x>"})
	}
	if spent := time.Since(began); spent > 10*time.Second {
		t.Errorf("it took %s", spent)
	}
}

// TestPlaces wants transcripts where the variables of clients say.
func TestPlaces(t *testing.T) {
	claude := `{"type":"user","message":{"content":"x"},"cwd":"/srv"}`
	h := homes(t, map[string]string{
		"a/projects/p/1.jsonl": claude, "b/sessions/2026/01/01/rollout-x.jsonl": "", "c/session-state/1/events.jsonl": "",
		"d/.gemini/tmp/p/chats/session-1.jsonl": "", "e/projects/p/chats/1.jsonl": "",
	})
	variables := map[string]string{
		"CLAUDE_CONFIG_DIR": "a", "CODEX_HOME": "b", "COPILOT_HOME": "c", "GEMINI_CLI_HOME": "d", "QWEN_HOME": "e",
	}
	h.Getenv = func(name string) string {
		if dir, set := variables[name]; set {
			return filepath.Join(h.User, dir)
		}
		return ""
	}
	var got []string
	for _, transcript := range List(h) {
		path, _ := filepath.Rel(h.User, transcript.Path)
		got = append(got, fmt.Sprintf("%s %s", transcript.Client, filepath.ToSlash(path)))
	}
	slices.Sort(got)
	want := []string{
		"claude-code a/projects/p/1.jsonl",
		"codex b/sessions/2026/01/01/rollout-x.jsonl", "copilot-cli c/session-state/1/events.jsonl", "gemini d/.gemini/tmp/p/chats/session-1.jsonl",
		"qwen-code e/projects/p/chats/1.jsonl",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var must = fixtures.Must
