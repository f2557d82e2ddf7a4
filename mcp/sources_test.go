package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"blue/blue"
	"blue/fixtures"
	"blue/marker"
)

// chain is the order of the sources, as replies spell them.
var chain = []string{"argument", "use", "flag", "codex", "roots", "initialize", "query", "env", "CLAUDE_PROJECT_DIR", "cwd", "WORKSPACE_FOLDER_PATHS"}

// told is a client that says something of its project by the sources from one on, by
// each another directory.
type told struct {
	t    *testing.T
	base string
	from int
}

// dir is what the client says by a source, "" for nothing.
func (c told) dir(source string) string {
	if slices.Index(chain, source) < c.from {
		return ""
	}
	return c.base + "/" + source
}

func (c told) world() world {
	w := newWorld(c.t, c.base+"/elsewhere")
	w.project = c.dir("flag")
	w.env["BLUE_PROJECT"] = c.dir("env")
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS"} {
		w.env[name] = c.dir(name)
	}
	if dir := c.dir("cwd"); dir != "" {
		w.dir = dir
	}
	return w
}

func (c told) arguments() map[string]any {
	if dir := c.dir("argument"); dir != "" {
		return args("cwd", dir)
	}
	return args()
}

// meta adds the directory of Codex.
func (c told) meta(meta map[string]any) map[string]any {
	if dir := c.dir("codex"); dir != "" {
		meta[codexKey] = map[string]any{"sandboxCwd": dir}
	}
	return meta
}

// asked is whether a client that has roots must be asked for them.
func (c told) asked() bool { return chain[min(c.from, len(chain)-1)] == "roots" }

func (c told) capabilities() string {
	if c.dir("roots") == "" {
		return `{}`
	}
	return `{"roots":{}}`
}

func (c told) opening() string {
	field := ""
	if dir := c.dir("initialize"); dir != "" {
		field = `,"workspaceFolders":[{"uri":"file://` + dir + `"}]`
	}
	return strings.TrimSuffix(fmt.Sprintf(openBody, c.capabilities()), "}}") + field + "}}"
}

func (c told) stdio() outcome {
	p := c.world().start(c.t)
	defer p.close()
	p.send(c.opening())
	p.reply(0)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if dir := c.dir("use"); dir != "" {
		p.call("use", args("cwd", dir))
	}
	id := p.askMeta("where", c.arguments(), c.meta(args()))
	if c.asked() {
		p.answer(1, rootsResult(c.dir("roots")))
	}
	o := p.outcome(id)
	if p.asks() > 0 != c.asked() {
		c.t.Errorf("%s: asked for roots %d times", chain[c.from], p.asks())
	}
	return o
}

// params are those of a modern call. The client's roots come with it only where they
// are needed: without them the call must not ask.
func (c told) params() map[string]any {
	params := map[string]any{"name": "blue_where", "arguments": c.arguments(), "_meta": c.meta(stateless(c.dir("roots") != ""))}
	if c.asked() {
		params["inputResponses"] = withRoots(c.dir("roots"))["inputResponses"]
	}
	return params
}

func (c told) stdioModern() (o outcome) {
	p := c.world().start(c.t)
	defer p.close()
	if err := json.Unmarshal(p.modern("tools/call", c.params()).Result, &o); err != nil {
		c.t.Error(err)
	}
	return o
}

func (c told) path() string {
	if dir := c.dir("query"); dir != "" {
		return projectPath(dir)
	}
	return "/mcp"
}

func (c told) http() outcome {
	s := c.world().serve(c.t, c.base, HTTP{})
	h := s.post(c.opening())
	v := &visitor{site: s, path: c.path(), pairs: []string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}}
	v.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	v.roots = func(said) string { return rootsResult(c.dir("roots")) }
	if dir := c.dir("use"); dir != "" {
		v.call("use", args("cwd", dir))
	}
	o := outcomeOf(c.t, v.post(callBody(c.t, 1, "where", c.arguments(), c.meta(args()))))
	if v.asks > 0 != c.asked() {
		c.t.Errorf("http: %s: asked for roots %d times", chain[c.from], v.asks)
	}
	return o
}

func (c told) httpModern() outcome {
	s := c.world().serve(c.t, c.base, HTTP{})
	return outcomeOf(c.t, s.ask(alone{method: "tools/call", params: c.params(), path: c.path()}))
}

// Every source leads to a project of its
// own. The first that the door has decides, and without it the next; those below it are
// seen, but for roots, for which nobody is asked. What a door does not have is absent.
func TestEachSourceInTurn(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	for _, source := range chain {
		must(t, os.MkdirAll(base+"/"+source+"/.blue", 0o755))
	}
	for _, door := range []struct {
		name  string
		lacks []string
		where func(told) outcome
	}{
		{"stdio", []string{"query"}, told.stdio},
		{"stdio modern", []string{"use", "initialize", "query"}, told.stdioModern},
		{"http", []string{"CLAUDE_PROJECT_DIR", "cwd", "WORKSPACE_FOLDER_PATHS"}, told.http},
		{"http modern", []string{"use", "initialize", "CLAUDE_PROJECT_DIR", "cwd", "WORKSPACE_FOLDER_PATHS"}, told.httpModern},
	} {
		t.Run(door.name, func(t *testing.T) {
			t.Parallel()
			for from := range len(chain) + 1 {
				c := told{t, base, from}
				o := door.where(c)
				winner := "none"
				for _, source := range chain {
					want := "absent"
					switch {
					case c.dir(source) == "" && source == "cwd" && !slices.Contains(door.lacks, source):
						want = "no_marker" // of the directory that a server always has
					case c.dir(source) == "" || slices.Contains(door.lacks, source):
					case winner == "none":
						want, winner = "used", source+":"+source
					default:
						want = ""
					}
					if got := strings.Join(o.outcomeOf(source), " "); got != want && (got != "" || winner == "none" || want != "absent") {
						t.Errorf("from %d: %s is %q, want %q", from, source, got, want)
					}
				}
				expect(t, fmt.Sprintf("from %d", from), o, winner)
			}
		})
	}
}

// Every reply names the project and the source, in the text too.
func TestEveryReplyNamesItsProject(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	for tool, a := range map[string]map[string]any{
		"where": args(), "use": args(), "write": args("body", "x"), "read": args("id", "deploy-aaaa"), "search": args("query", "webhook"), "list": args(),
		"edit": args("id", "deploy-aaaa", "append", "y"), "remove": args("id", "retries-bbbb"),
	} {
		a["cwd"] = base + "/shop/api"
		source := "argument"
		if tool == "use" {
			source = "use"
		}
		o := p.call(tool, a)
		expect(t, tool, o, source+":shop")
		if ref := o.StructuredContent.Project; ref == nil || ref.Root != base+"/shop" || ref.ID != "shop-id" ||
			!strings.Contains(o.text(), "Project: shop at "+base+"/shop (source: "+source+")\n") {
			t.Errorf("%s: %+v\n%s", tool, ref, o.text())
		}
	}
}

// A bad value of --project or of BLUE_PROJECT fails the calls that come to
// it; the former is a warning at start, too.
func TestBadSettingsFailTheCall(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	for _, test := range []struct{ value, kind, outcome string }{
		{"shop", "bad_path", "unusable"}, {base + "/none", "not_detected", "unusable"}, {base + "/elsewhere", "not_detected", "no_marker"},
	} {
		for _, source := range []string{"flag", "env"} {
			var log lockedBuffer
			w := newWorld(t, base+"/shop")
			w.log = &log
			if w.env["BLUE_PROJECT"] = test.value; source == "flag" {
				w.project, w.env["BLUE_PROJECT"] = test.value, base+"/my proj"
			}
			p := w.start(t)
			p.open(`{}`)
			modern, _ := p.modernCall("list", false, args(), nil)
			for _, o := range []outcome{p.call("list", args()), modern} {
				expect(t, source+" "+test.value, o, test.kind)
				if trace := o.StructuredContent.Trace; len(trace) == 0 || trace[len(trace)-1].Source != source || trace[len(trace)-1].Outcome != test.outcome {
					t.Errorf("%s %q: trace %+v", source, test.value, trace)
				}
			}
			expect(t, "cwd beside "+source+" "+test.value, p.call("list", args("cwd", base+"/other")), "argument:other")
			p.call("use", args("cwd", base+"/other"))
			expect(t, "use before "+source+" "+test.value, p.call("list", args()), "use:other")
			p.close()
			if n := strings.Count(log.String(), `level=WARN msg="--project leads to no project"`); n != 1 && source == "flag" || n != 0 && source == "env" {
				t.Errorf("%d warnings:\n%s", n, log.String())
			}
		}
	}
}

// Ten calls wait for one answer, and all get it.
func TestOneQuestionForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base, w := scene(t)
		w.dir = base + "/other"
		p := w.start(t)
		p.open(`{"roots":{}}`)
		var ids []int
		for range 10 {
			ids = append(ids, p.ask("list", args()))
		}
		synctest.Wait()
		p.answer(1, rootsResult(base+"/shop"))
		for _, id := range ids {
			expect(t, "calls at once", p.outcome(id), "roots:shop")
		}
		if p.asks() != 1 {
			t.Errorf("asked %d times", p.asks())
		}
	})
}

// files are the regular files below a directory, with what they hold.
func files(t testing.TB, dir string) string {
	t.Helper()
	var all strings.Builder
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// says reports whether a line of the log matches a pattern.
func says(log *lockedBuffer, pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(log.String())
}

// checkClient: what blue_where shows of a client of revision 2025-11-25 that has
// no capabilities and named one root.
func checkClient(t *testing.T, o outcome, root string) {
	t.Helper()
	want := map[string]any{"name": "old", "version": "1", "protocol": "2025-11-25", "capabilities": map[string]any{},
		"initialize": map[string]any{"roots": []any{map[string]any{"uri": root}}}}
	if got := o.StructuredContent.Client; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// Without a project blue_where answers with what another tool fails with.
func TestWhereSaysTheFailure(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	list, id := p.call("list", args()), p.ask("where", args())
	o := p.outcome(id)
	if o.IsError || strings.Contains(string(p.reply(id).Result), `"project":`) || len(o.StructuredContent.Trace) != len(chain) {
		t.Errorf("%s", p.reply(id).Result)
	}
	if !reflect.DeepEqual(o.StructuredContent.Trace, list.StructuredContent.Trace) || strings.TrimSpace(o.text()) != strings.TrimSpace(list.text()) {
		t.Errorf("where says\n%s\nand a failure\n%s", o.text(), list.text())
	}
}

// The clock of these is not that of the machine.
func TestSilentClient(t *testing.T) { t.Parallel(); synctest.Test(t, silentClient) }

func TestEmptyRootsAreForgotten(t *testing.T) { t.Parallel(); synctest.Test(t, emptyRoots) }

// The same roots again are no reason to open the store again.
func TestSameRootsKeepTheStore(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	o := w.options(t)
	p := startWith(t, o)
	store := func() uintptr {
		of := blue.Call{From: slices.Values([]marker.Candidate{{Source: marker.Argument, Value: base + "/other"}})}
		project, err := o.Blue.Open(t.Context(), of)
		must(t, err)
		return reflect.ValueOf(project).Elem().FieldByName("Notebook").Elem().FieldByName("Handles").Pointer()
	}
	p.open(`{"roots":{"listChanged":true}}`)
	var stores []uintptr
	for n := range 2 {
		p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		id := p.ask("list", args())
		p.answer(n+1, rootsResult(base+"/other"))
		expect(t, "same root", p.outcome(id), "roots:other")
		stores = append(stores, store())
	}
	if stores[0] != stores[1] {
		t.Error("the store was opened again")
	}
}

// Over HTTP: calls that come at once share one question, on the stream of one
// of them. When that stream is gone, all go on without an answer, and later ones do not
// wait for one.
func TestQuestionOverHTTP(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	v.roots = func(said) string { return rootsResult(base + "/shop") }
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { expect(t, "calls at once", v.call("list", args()), "roots:shop") })
	}
	group.Wait()
	if v.asks != 1 {
		t.Errorf("asked %d times", v.asks)
	}

	gone := s.visit(`{"roots":{"listChanged":true}}`)
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	r := gone.request(http.MethodPost, "/mcp", callBody(t, 1, "list", args(), nil), gone.pairs...)
	response, err := s.client.Do(r.WithContext(ctx))
	must(t, err)
	asked := false
	events(response.Body, func(data string) bool { asked = strings.Contains(data, `"roots/list"`); return !asked })
	hangUp()
	response.Body.Close()
	expect(t, "stream is gone", gone.call("list", args()), "no_project")
	expect(t, "later call", gone.call("list", args()), "no_project")
	if !asked || gone.asks != 0 {
		t.Errorf("asked %v, and %d times more", asked, gone.asks)
	}
	gone.roots = v.roots
	gone.post(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	expect(t, "roots have changed", gone.call("list", args()), "roots:shop")
}

// On stdio: what is kept does not grow with the calls of a client that never
// comes back.
func TestUnansweredQuestionsAreNotKept(t *testing.T) { // alone, for it weighs the heap
	_, w := scene(t)
	o := w.options(t)
	in, ask := io.Pipe()
	answer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), o, in, out) }()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "blue_write", "arguments": args("body", strings.Repeat("text ", 100)), "_meta": stateless(true)}})
	must(t, err)
	line = append(line, '\n')
	answers := bufio.NewReader(answer)
	after := func(n int) (heap uint64, running int) {
		for range n {
			if _, err := ask.Write(line); err != nil {
				t.Fatal(err)
			}
			if got, err := answers.ReadSlice('\n'); err != nil || !bytes.Contains(got, []byte(`"input_required"`)) {
				t.Fatalf("%s, %v", got, err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	more := 90 * calls()
	before, first := after(500)
	if kept, running := after(more); kept > before+max(90_000, uint64(more)*10) || running > first+10 {
		t.Errorf("%d calls keep %d bytes; %d goroutines were %d", more, int64(kept)-int64(before), running, first)
	}
	ask.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
