package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
)

// Promises of docs/reliability.md, measured with the program as it is built.

// notes are the names of the note files of a place.
func (p place) notes(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.project, ".blue", "notes", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Promise 9: the server is killed as soon as the note is there, and the client
// sends again: with a key, and without one.
func TestPromise9KilledBeforeTheReply(t *testing.T) {
	t.Parallel()
	kills := 25
	if testing.Short() {
		kills = 5
	}
	for _, keyed := range []bool{true, false} {
		p := newPlace(t)
		lost := 0
		for i := range kills {
			arguments := map[string]any{"title": fmt.Sprintf("Note %d", i%3), "body": fmt.Sprintf("text %d", i)}
			if keyed {
				arguments["key"] = fmt.Sprintf("key %d", i)
			}
			s := p.serve(t)
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_write","arguments":%s}}`+"\n", raw); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); len(p.notes(t)) == i; {
				if time.Since(begun) > 20*time.Second {
					t.Fatalf("keyed %v: write %d made no note", keyed, i)
				}
			}
			_ = s.cmd.Process.Kill()
			if line, _ := s.out.ReadBytes('\n'); len(line) == 0 {
				lost++
			}
			_ = s.cmd.Wait() // killed
			s = p.serve(t)
			again, err := s.call("write", arguments)
			if err != nil {
				t.Fatal(err)
			}
			if again.Created || again.ID == "" || len(p.notes(t)) != i+1 {
				t.Fatalf("keyed %v: sent again: %+v, %d notes", keyed, again, len(p.notes(t)))
			}
			s.close(t)
		}
		t.Logf("keyed %v: %d kills, %d replies lost, %d notes, 0 twins", keyed, kills, lost, len(p.notes(t)))
	}
}

// Promise 8: 1,000 stale edits over MCP are 1,000 conflicts with the current text.
func TestPromise8StaleOverMCP(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t)
	defer s.close(t)
	w, err := s.call("write", map[string]any{"title": "Counter", "body": "one"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.call("edit", map[string]any{"id": w.ID, "body": "two"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.project, ".blue", "notes", w.ID+".md")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	conflicts := 0
	for i := range 1000 {
		for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) { // the rate limit of a session
			a, err := s.call("edit", map[string]any{"id": w.ID, "append": fmt.Sprintf("%d", i), "revision": w.Revision})
			if err != nil {
				t.Fatal(err)
			}
			if a.Error == "busy" && time.Since(begun) < 20*time.Second {
				continue
			}
			if a.Error != "conflict" || a.Revision != e.Revision || a.Body != "two\n" {
				t.Fatalf("edit %d: %+v", i, a)
			}
			break
		}
		conflicts++
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the note is now %q, %v", after, err)
	}
	t.Logf("%d conflicts, 0 bytes changed", conflicts)
}

// hiddenSamples has characters of every class that a note may not hold; the core
// has the test of every character. NUL cannot stand in a command line.
var hiddenSamples = []rune{8, 0x1b, 0x7f, 0x9b, 0x200b, 0x202e, 0x2060, 0x2069, 0xfdd0, 0xfeff, 0xfffd, 0x10ffff, 0xe0041, 0xe0100}

// Promise 27: at both doors hidden characters are refused on write and edit, and
// shown by everything that reads.
func TestPromise27BothDoors(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Plain", "text")
	s := p.serve(t)
	defer s.close(t)
	for _, r := range hiddenSamples {
		text := "a" + string(r) + "b"
		for _, args := range [][]string{{"write", "--body", text}, {"write", "--title", text, "x"}, {"write", "--tags", text, "x"}, {"edit", "plain", "--append", text}, {"edit", "plain", "--title", text}} {
			c := p.command(t, args...)
			var out, log bytes.Buffer
			c.Stdout, c.Stderr = &out, &log
			if _ = c.Run(); c.ProcessState.ExitCode() != 6 {
				t.Errorf("%U: %s exits with %d: %s%s", r, args[0], c.ProcessState.ExitCode(), &out, &log)
			}
			if raw(out.String()+log.String(), r) {
				t.Errorf("%U: %s repeats it: %q", r, args[0], log.String())
			}
		}
		for tool, arguments := range map[string]map[string]any{
			"write": {"body": text}, "edit": {"id": "plain", "body": text},
		} {
			a, err := s.call(tool, arguments)
			if err != nil {
				t.Fatal(err)
			}
			if a.Error != "hidden_text" {
				t.Errorf("%U: blue_%s answers %+v", r, tool, a)
			}
		}
	}
	if n := len(p.notes(t)); n != 1 {
		t.Errorf("%d notes after refused writes", n)
	}
	p.showsHidden(t)
}

// raw reports whether an output holds a character as it is. Lines end as the
// terminal ends them.
func raw(output string, r rune) bool {
	return strings.ContainsRune(output, r) || strings.ContainsFunc(output, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' })
}

// showsHidden writes notes as another program would, and reads them at the terminal
// and with --json.
func (p place) showsHidden(t *testing.T) {
	t.Helper()
	for i, r := range hiddenSamples {
		text := fmt.Sprintf("---\ntitle: \"findme %d ti\\U%08Xtle\"\ntags: [\"ta\\U%08[2]Xg\"]\n---\n\nfindme%[1]d bo%[2]cdy\n", i, r)
		if err := os.WriteFile(filepath.Join(p.project, ".blue", "notes", fmt.Sprintf("h%02d.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range hiddenSamples {
		shown := fmt.Sprintf(`\u{%X}`, r)
		id := fmt.Sprintf("h%02d", i)
		for _, args := range [][]string{{"read", id}, {"search", fmt.Sprintf(`"findme%d"`, i)}, {"list", "--limit", "100"}} {
			out := p.run(t, args...)
			if raw(out, r) || !strings.Contains(out, "ti"+shown+"tle") {
				t.Errorf("%U: blue %s prints %q", r, args[0], out)
			}
			out = p.run(t, append(args, "--json")...)
			if raw(out, r) || !strings.Contains(out, `ti\`+shown+"tle") {
				t.Errorf("%U: blue %s --json prints %q", r, args[0], out)
			}
		}
		if out := p.run(t, "read", id); !strings.Contains(out, "bo"+shown+"dy") || !strings.Contains(out, "hidden characters: 1") {
			t.Errorf("%U: read prints %q", r, out)
		}
	}
}

// Promise 26: a secret sent to the server is in no reply, no log and no file.
func TestPromise26InNoReplyAndNoLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Plain", "text")
	var value, key strings.Builder
	for i := range 18 {
		fmt.Fprintf(&value, "%c%c", 'a'+i, 'Z'-i)
		fmt.Fprintf(&key, "%c", 'B'+i)
	}
	secrets := map[string]string{"github-token": "gh" + "p_" + value.String(), "aws-access-key-id": "AKI" + "A" + key.String()[:16]}
	c := p.command(t, "mcp", "--debug")
	frames, id := hello, 0
	for _, secret := range secrets {
		for _, call := range []string{
			`"blue_write","arguments":{"body":"x\n%s"}`, `"blue_write","arguments":{"body":"x","title":"%s"}`, `"blue_write","arguments":{"body":"x","tags":["%s"]}`,
			`"blue_write","arguments":{"body":"x","files":["%s"]}`, `"blue_write","arguments":{"body":"x","key":"%s","type":"%[2]s"}`,
			`"blue_edit","arguments":{"id":"plain","body":"%s"}`, `"blue_edit","arguments":{"id":"plain","append":"%s"}`, `"blue_edit","arguments":{"id":"plain","old_text":"text","new_text":"%s"}`,
			`"blue_edit","arguments":{"id":"plain","title":"%s"}`, `"blue_edit","arguments":{"id":"plain","status":"%s"}`, `"blue_edit","arguments":{"id":"plain","append":"x %s <!-- blue:allow github-token --> <!-- blue:allow aws-access-key-id -->"}`,
		} {
			id++
			frames += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":`+call+"}}\n", id, secret)
		}
	}
	bad := 0 // values of the wrong type, which an error would quote
	for _, secret := range secrets {
		for _, arguments := range []string{`{"body":"x","tags":"%s"}`, `{"body":["%s"]}`, `"%s"`, `{"body":"x","title":{"a":"%s"}}`} {
			bad++
			frames += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_write","arguments":`+arguments+"}}\n", id+bad, secret)
		}
	}
	var out, log bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(frames), &out, &log
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	refused := strings.Count(out.String(), `"error":"secret_detected"`)
	if refused != id {
		t.Errorf("%d of %d calls refused", refused, id)
	}
	for rule, secret := range secrets {
		part := secret[4:]
		if !strings.Contains(out.String(), rule) {
			t.Errorf("%s is not named", rule)
		}
		for line := range strings.Lines(out.String() + log.String()) {
			if strings.Contains(line, part) {
				t.Errorf("the value of a %s in: %s", rule, line)
			}
		}
		err := filepath.WalkDir(p.base, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(part)) || bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(part))) {
				t.Errorf("%s is in %s", rule, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !t.Failed() {
		t.Logf("%d calls, all refused, the value in no reply, log or file", id+bad)
	}
}
