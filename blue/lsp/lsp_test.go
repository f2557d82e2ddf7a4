package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/lsp"
	"blue/fixtures"
	fixture "blue/fixtures/user"
	"blue/marker"
)

func TestMain(m *testing.M) { os.Exit(fixtures.Main(m)) }

var must = fixtures.Must

// editor is a client of the protocol. It knows nothing of the library of the server.
type editor struct {
	*fixture.User
	t   *testing.T
	dir string // of the project
	in  io.WriteCloser
	out *bufio.Reader
	end chan string // how the server ended

	calls     int
	published map[string]string // diagnostics by URI
}

// reply is what the server sends.
type reply struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// newEditor starts a server for a user with a project. The client offers capabilities unless they
// are empty.
func newEditor(t *testing.T, capabilities string) *editor {
	t.Helper()
	u := fixture.New(t)
	e := &editor{User: u, t: t, dir: u.Project(t), end: make(chan string, 1), published: map[string]string{}}
	in, toServer, err := os.Pipe() // which holds what neither side has read yet
	must(t, err)
	fromServer, out, err := os.Pipe()
	must(t, err)
	e.in, e.out = toServer, bufio.NewReader(fromServer)
	b := u.Blue(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() { stop(); in.Close(); fromServer.Close() })
	go func() {
		orderly, err := lsp.Serve(ctx, b, "1", in, out)
		e.end <- fmt.Sprint(orderly, err)
		out.Close()
	}()
	if capabilities != "" {
		e.call("initialize", `{"capabilities":`+capabilities+`}`)
		e.notify("initialized", "{}")
	}
	return e
}

func (e *editor) write(title, body string, files ...string) (id, path string) {
	e.t.Helper()
	w, err := e.Open(e.t, e.dir).Write(e.t.Context(), blue.Draft{Type: "decision", Title: title, Body: body, Files: files})
	must(e.t, err)
	return w.ID, filepath.Join(e.dir, ".blue", "notes", w.ID+".md")
}

func (e *editor) send(text string) {
	e.t.Helper()
	_, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	must(e.t, err)
}

func (e *editor) notify(method, params string) {
	e.t.Helper()
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// receive reads one message and keeps diagnostics.
func (e *editor) receive() (r reply) {
	e.t.Helper()
	size := 0
	for {
		line, err := e.out.ReadString('\n')
		must(e.t, err)
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			size, err = strconv.Atoi(value)
			must(e.t, err)
		}
	}
	text := make([]byte, size)
	_, err := io.ReadFull(e.out, text)
	must(e.t, err)
	must(e.t, json.Unmarshal(text, &r))
	if r.Method == "textDocument/publishDiagnostics" {
		var p struct{ URI string }
		must(e.t, json.Unmarshal(r.Params, &p))
		e.published[p.URI] = string(r.Params)
	}
	return r
}

func (e *editor) call(method, params string) reply {
	e.t.Helper()
	e.calls++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.calls, method, params))
	for {
		if r := e.receive(); string(r.ID) == strconv.Itoa(e.calls) {
			return r
		}
	}
}

// open opens a file in the editor with a text, and waits until the server knows it.
func (e *editor) open(file, text string) (uri string) {
	e.t.Helper()
	uri = marker.FileURI(file)
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"x","version":1,"text":%s}}`, uri, quote(text)))
	e.call("unknown", "{}")
	return uri
}

func (e *editor) change(uri string, version int, text string) {
	e.t.Helper()
	e.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":%s}]}`, uri, version, quote(text)))
}

// ask asks something at a position and returns the result.
func (e *editor) ask(method, uri string, line, column int) string {
	e.t.Helper()
	r := e.call("textDocument/"+method, fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":%d,"character":%d}}`, uri, line, column))
	if r.Error != nil {
		e.t.Fatalf("%s: %v", method, *r.Error)
	}
	return string(r.Result)
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func wants(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if absent, negated := strings.CutPrefix(part, "no "); strings.Contains(got, absent) == negated || !negated && !strings.Contains(got, part) {
			t.Errorf("%s: %s: want %q", what, got, part)
		}
	}
}

// In a note [[ is completed with titles; a link is shown, followed, and found from its other
// end.
func TestLinks(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "{}")
	old, _ := e.write("Retries never stop", "Old.")
	id, path := e.write("Webhook retries", "The bank blocks us.\n\n![plan](http://example.com/x.png)")
	_, err := e.Open(t, e.dir).Edit(t.Context(), blue.Change{ID: id, Supersedes: &[]string{old}})
	must(t, err)
	from, fromPath := e.write("Rollout", "Before 🔵 [["+id+"]] and [[nowhere]]\n")
	uri := e.open(fromPath, "# Rollout\n\n🔵 [[bank] [[reTRIES web\n`[[retries` [["+id+"]]\n")

	var list struct {
		Items []struct {
			Label, Detail string
			TextEdit      struct {
				NewText string
				Range   json.RawMessage
			}
		}
	}
	must(t, json.Unmarshal([]byte(e.ask("completion", uri, 2, 23)), &list))
	if len(list.Items) != 1 || list.Items[0].Label != "Webhook retries" || list.Items[0].TextEdit.NewText != id+"]]" {
		t.Fatalf("%+v", list)
	}
	wants(t, "completion", string(list.Items[0].TextEdit.Range), `{"start":{"line":2,"character":13},"end":{"line":2,"character":23}}`)
	wants(t, "completion", list.Items[0].Detail, "decision, ")
	if got := e.ask("completion", uri, 3, 10); got != "null" {
		t.Errorf("completion in code: %s", got)
	}
	wants(t, "before closing brackets", e.ask("completion", uri, 3, 14+len(id)), `"newText":"`+id+`"`)

	wants(t, "hover", e.ask("hover", uri, 3, 16), "**[Webhook retries]("+marker.FileURI(path)+")** (decision, ", "The bank blocks us.", `\\![plan]`,
		`"range":{"start":{"line":3,"character":14},"end":{"line":3,"character":`+strconv.Itoa(14+len(id))+`}}`)
	wants(t, "definition", e.ask("definition", uri, 3, 16), `"uri":"`+marker.FileURI(path)+`"`)
	if got := e.ask("hover", uri, 0, 3) + e.ask("definition", uri, 0, 3); got != "nullnull" {
		t.Errorf("no link there: %s", got)
	}
	at := fmt.Sprintf(`"uri":"%s","range":{"start":{"line":9,"character":12},"end":{"line":9,"character":%d}}`, marker.FileURI(fromPath), 12+len(id))
	wants(t, "references of the link", e.ask("references", uri, 3, 16), at)
	other := e.open(path, "changed\n")
	wants(t, "references of the note", e.ask("references", other, 0, 0), at)
	wants(t, "references of the other", e.ask("references", uri, 0, 0), "no "+from)
}

// A note has the diagnostics of blue check, for the text in the editor and after each change.
func TestCheck(t *testing.T) {
	t.Parallel()
	e := newEditor(t, `{"general":{"positionEncodings":["utf-16","utf-8"]}}`)
	id, path := e.write("Webhook retries", "See [[nowhere]].")
	data, err := os.ReadFile(path)
	must(t, err)
	uri := e.open(path, string(data))
	wants(t, "opened", e.published[uri], `"version":1`, `"severity":2`, `the link to \"nowhere\" leads to no note`, `"source":"blue"`)
	checked, err := e.Open(t, e.dir).Check(t.Context())
	must(t, err)
	found := checked.Findings[0]
	wants(t, "as blue check says", e.published[uri], quote(found.What+"\n"+found.Remedy), fmt.Sprintf(`{"line":%d,`, found.Line-1))

	delete(e.published, uri)
	e.change(uri, 2, strings.Replace(string(data), "nowhere", "é🔵-"+id, 1)+"\n<<<<<<< a\n=======\n>>>>>>> b\n")
	for e.published[uri] == "" {
		e.receive()
	}
	wants(t, "changed", e.published[uri], `"version":2`, `conflict markers`, "no nowhere", `é🔵-`)

	e.change(uri, 3, strings.Replace(string(data), "nowhere", id, 1))
	for !strings.Contains(e.published[uri], `"diagnostics":[]`) {
		e.receive()
	}
	e.change(uri, 4, string(data))
	e.notify("textDocument/didSave", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri))
	e.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri))
	e.call("unknown", "{}")
	wants(t, "closed", e.published[uri], `"diagnostics":[]`)
	if got := e.ask("hover", uri, 0, 0); got != "null" {
		t.Errorf("closed: %s", got)
	}
}

// Columns count bytes when the client offers that, else UTF-16.
func TestColumns(t *testing.T) {
	t.Parallel()
	for capabilities, column := range map[string]int{"{}": 5, `{"general":{"positionEncodings":["utf-8"]}}`: 8} {
		e := newEditor(t, capabilities)
		id, path := e.write("Webhook retries", "Text.")
		uri := e.open(path, "é🔵[["+id+"]]\r\n")
		over := fmt.Sprintf(`"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}}`, column, column+len(id))
		wants(t, capabilities, e.ask("hover", uri, 0, column), over)
		for _, at := range [][2]int{{0, 1 << 30}, {9, 9}, {-1, -1}, {1 << 30, 0}} {
			e.ask("hover", uri, at[0], at[1])
		}
	}
}

// A line whose file or part notes cite has a hint and a hover, at the place where the part is
// in the editor.
func TestCited(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "{}")
	source := "package pay\n\nfunc Retry() {\n\tblock()\n}\n\nfunc other() {}\n"
	fixture.Put(t, e.dir, "pay/retry.go", source)
	part, _ := e.write("Webhook retries", "The bank blocks us.", "pay/retry.go#Retry")
	e.write("Lines", "These lines.", "pay/retry.go#L7-L7")
	e.write("Payments", "All of it.", "pay/retry.go")
	uri := e.open(filepath.Join(e.dir, "pay", "retry.go"), source)

	hint := func(line string) string { return `"start":{"line":` + line + `,"character":0}` }
	wants(t, "hints", e.published[uri], `"severity":4`, `note \"Webhook retries\" (decision, `, `"code":"`+part+`"`, hint("2"), hint("6"), hint("0"), "no has changed")
	wants(t, "inside", e.ask("hover", uri, 3, 2), "The bank blocks us.", "Payments", "no All of it", "no Lines")
	wants(t, "outside", e.ask("hover", uri, 5, 0), "Payments", "no Webhook")
	if got := e.ask("definition", uri, 3, 2) + e.ask("references", uri, 3, 2) + e.ask("completion", uri, 3, 2); got != "nullnullnull" {
		t.Errorf("links in a source file: %s", got)
	}

	delete(e.published, uri)
	e.change(uri, 2, "// new\n\n"+strings.Replace(source, "block()", "wait()", 1))
	for e.published[uri] == "" {
		e.receive()
	}
	wants(t, "changed", e.published[uri], hint("4"), hint("8"), "what it cites has changed since")
	wants(t, "inside, moved", e.ask("hover", uri, 5, 2), "The bank blocks us.")
}

// Hints, which editors may hand to agents, hold nothing of notes that may not be told unasked;
// what a person asks for does.
func TestUntrusted(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "{}")
	fixture.Put(t, e.dir, "a.go", "package a\n")
	id, path := e.write("Webhook retries", "The bank blocks us.", "a.go")
	data, err := os.ReadFile(path)
	must(t, err)
	clone := fixture.Dir(t)
	project, err := os.ReadFile(filepath.Join(e.dir, ".blue", "project.yaml"))
	must(t, err)
	fixture.Put(t, clone, ".blue/project.yaml", string(project))
	fixture.Put(t, clone, ".blue/notes/"+id+".md", string(data))
	fixture.Put(t, clone, "a.go", "package a\n")
	uri := e.open(filepath.Join(clone, "a.go"), "package a\n")
	if e.published[uri] != "" {
		t.Errorf("untrusted: %s", e.published[uri])
	}
	wants(t, "asked", e.ask("hover", uri, 0, 0), "Webhook retries")
}

// The project is that of the directory of the document; outside of any project there is
// nothing.
func TestProjects(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "{}")
	id, _ := e.write("Webhook retries", "Text.")
	other := e.Project(t)
	inOther := e.open(filepath.Join(other, "README.md"), "[["+id+"]]")
	inside := e.open(filepath.Join(e.dir, "docs", "new.md"), "[["+id+"]]")
	outside := e.open(filepath.Join(e.Home, "x.md"), "[["+id+"]] [[")
	if got := e.ask("hover", inOther, 0, 4); got != "null" {
		t.Errorf("the other project: %s", got)
	}
	wants(t, "a directory that is not there yet", e.ask("hover", inside, 0, 4), "Webhook retries")
	for _, method := range []string{"hover", "definition", "references", "completion"} {
		if got := e.ask(method, outside, 0, 4); got != "null" {
			t.Errorf("%s outside: %s", method, got)
		}
	}
	for _, uri := range []string{"untitled:Untitled-1", "file://elsewhere/x.md", "file:///%zz", "", "http://a/b"} {
		e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":1,"text":"[[%s]]"}}`, uri, id))
		if got := e.ask("hover", uri, 0, 4); got != "null" {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if len(e.published) > 0 {
		t.Errorf("%v", e.published)
	}
}

// Bad messages are answered by errors, and the server goes on.
func TestHostile(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "")
	for _, c := range []struct {
		text string
		code int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`, -32002},
		{`{`, -32700}, {`[]`, -32600}, {`{}`, -32600}, {`"x"`, -32600}, {strings.Repeat("[", 100_000), -32700},
		{strings.Repeat(" ", 17<<20), -32600},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"capabilities":3}}`, -32602},
		{`{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":[1]}`, -32602},
		{`{"jsonrpc":"2.0","id":4,"method":"nothing"}`, -32601},
	} {
		e.send(c.text)
		if r := e.receive(); r.Error == nil || r.Error.Code != c.code {
			t.Errorf("%.60s: %+v, want code %d", c.text, r.Error, c.code)
		}
	}
	e.notify("nothing", "{}")
	e.notify("$/cancelRequest", `{"id":1}`)
	if r := e.call("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":-5,"character":-5}}`); string(r.Result) != "null" {
		t.Errorf("%+v", r)
	}
}

// A framing that is lost ends the server with an error.
func TestFraming(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Content-Length: 99999999999999999999\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", "\r\n", "Other: 1\r\n\r\n",
		strings.Repeat("x", 10_000), strings.Repeat("a: b\r\n", 100), "Content-Length: 5\r\n\r\n{", "Content-Length: 5",
	} {
		var out strings.Builder
		orderly, err := lsp.Serve(t.Context(), fixture.New(t).Blue(t), "1", strings.NewReader(text), &out)
		if orderly || err == nil {
			t.Errorf("%.40q: %v, %v", text, orderly, err)
		}
	}
}

// Exit after shutdown is orderly, also as the end of input is; anything else is not.
func TestEnds(t *testing.T) {
	t.Parallel()
	shutdown := func(e *editor) {
		e.call("shutdown", "null")
		if r := e.call("textDocument/hover", "{}"); r.Error == nil || r.Error.Code != -32600 {
			t.Errorf("after shutdown: %+v", r)
		}
	}
	exit := func(e *editor) { e.notify("exit", "null") }
	closes := func(e *editor) { e.in.Close() }
	for name, c := range map[string]struct {
		steps []func(e *editor)
		want  string
	}{
		"shutdown, exit": {[]func(e *editor){shutdown, exit}, "true <nil>"},
		"exit":           {[]func(e *editor){exit}, "false <nil>"},
		"shutdown, end":  {[]func(e *editor){shutdown, closes}, "true <nil>"},
		"end":            {[]func(e *editor){closes}, "false <nil>"},
	} {
		e := newEditor(t, "{}")
		for _, step := range c.steps {
			step(e)
		}
		if got := <-e.end; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
