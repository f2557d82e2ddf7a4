package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
	"blue/marker"
)

// shelf is a trusted project with two notes that a session uses.
func shelf(t *testing.T) (string, *site, *visitor) {
	t.Helper()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	for title, kind := range map[string]string{"Deploys on Fridays": "decision", "Where the work stands": "checkpoint"} {
		if o := v.call("write", args("cwd", base+"/other", "title", title, "type", kind, "body", "About deploys.", "tags", []string{"ops", "release"})); o.IsError {
			t.Fatal(o.text())
		}
	}
	trust(t, s, base+"/other")
	v.call("use", args("cwd", base+"/other"))
	return base, s, v
}

// trust trusts the project in a directory.
func trust(t *testing.T, s *site, dir string) {
	t.Helper()
	if _, err := s.d.o.Blue.Trust(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
}

// distrust takes the trust in a project back.
func distrust(t *testing.T, s *site, dir string) {
	t.Helper()
	if _, err := s.d.o.Blue.Distrust(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
}

// Prompts name the project and its notes; of a project that is not trusted they count the notes.
func TestPrompts(t *testing.T) {
	t.Parallel()
	base, s, v := shelf(t)
	get := func(name string, arguments map[string]any) heard {
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": map[string]any{"name": name, "arguments": arguments}})
		return v.post(string(data))
	}
	for _, test := range []struct {
		name      string
		arguments map[string]any
		want      []string
	}{
		{"recall", args("topic", "deploys"), []string{"blue_search", "deploys-on-fridays-"}},
		{"remember", nil, []string{"blue_write", "deploys-on-fridays-", "where-the-work-stands-"}},
		{"checkpoint", nil, []string{"type checkpoint", "where-the-work-stands-"}},
		{"resume", nil, []string{"blue_read", "where-the-work-stands-"}},
	} {
		var r struct {
			Messages []struct {
				Role    string
				Content struct{ Type, Text string }
			}
		}
		h := get(test.name, test.arguments)
		if json.Unmarshal(h.message().Result, &r) != nil || len(r.Messages) != 1 || r.Messages[0].Role != "user" {
			t.Fatalf("%s: %s", test.name, h)
		}
		text := r.Messages[0].Content.Text
		for _, want := range append(test.want, "Project: other at "+base+"/other (source: use)") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", test.name, want, text)
			}
		}
		if len(text) > 2000 || strings.Contains(text, "not named") {
			t.Errorf("%s: %s", test.name, text)
		}
	}
	distrust(t, s, base+"/other")
	for name, said := range map[string]string{"recall": "", "remember": "notes that are not named: 2", "checkpoint": "notes that are not named: 2", "resume": "notes that are not named: 2"} {
		if h := get(name, args("topic", "deploys")); !strings.Contains(h.body, said) || strings.Contains(h.body, "deploys-on") || strings.Contains(h.body, "where-the") {
			t.Errorf("%s in a project that is not trusted: %s", name, h)
		}
	}
	if h := get("recall", nil); h.code() != -32602 {
		t.Errorf("without a topic: %s", h)
	}
	if h := get("no-such", nil); h.code() != -32602 {
		t.Errorf("an unknown prompt: %s", h)
	}
	lost := s.visit(`{}`)
	h := lost.post(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"resume"}}`)
	var data struct {
		Error, Message string
		Trace          []tried
	}
	if e := h.message().Error; e == nil || e.Code != -32602 || json.Unmarshal(e.Data, &data) != nil || data.Error != "no_project" || len(data.Trace) == 0 ||
		data.Message != "Blue project not found. Run 'blue init' or pass 'cwd' parameter." {
		t.Errorf("without a project: %s", h)
	}
	asked := s.visit(`{"roots":{}}`)
	asked.roots = func(said) string { return rootsResult(base + "/other") }
	if h := asked.post(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"resume"}}`); !strings.Contains(h.body, "(source: roots)") || asked.asks != 1 {
		t.Errorf("prompts/get asks for roots: %s", h)
	}
	ask := alone{method: "prompts/get", params: map[string]any{"name": "resume"}, capabilities: `{"roots":{}}`}
	if h := s.ask(ask); h.status != 200 || !strings.Contains(h.body, `"resultType":"input_required"`) || !strings.Contains(h.body, `"roots/list"`) {
		t.Errorf("first pass: %s", h)
	}
	ask.params["inputResponses"] = map[string]any{"roots": map[string]any{"roots": []any{map[string]any{"uri": "file://" + base + "/other"}}}}
	if h := s.ask(ask); h.status != 200 || !strings.Contains(h.body, "(source: roots)") {
		t.Errorf("second pass: %s", h)
	}
}

// Resources: the list has the notes of a trusted project; every note of an allowed project is read.
func TestResources(t *testing.T) {
	t.Parallel()
	base, s, v := shelf(t)
	list := func(v *visitor, cursor string) (uris []string, next string) {
		var r struct {
			Resources  []struct{ URI, Name, Title, MIMEType string }
			NextCursor string
		}
		h := v.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":%q}}`, cursor))
		if err := json.Unmarshal(h.message().Result, &r); err != nil || !strings.Contains(h.body, `"resources":[`) {
			t.Errorf("%v: %s", err, h)
		}
		for _, one := range r.Resources {
			uris = append(uris, one.URI)
			if one.MIMEType != "text/markdown" || one.Title == "" || one.Name == "" {
				t.Errorf("%+v", one)
			}
		}
		return uris, r.NextCursor
	}
	uris, _ := list(v, "")
	if len(uris) != 2 || !strings.HasPrefix(uris[0], marker.FileURI(base+"/other/.blue/notes/deploys-on-fridays-")) {
		t.Errorf("resources: %v", uris)
	}
	if got, _ := list(s.visit(`{}`), ""); len(got) != 0 {
		t.Errorf("without a project: %v", got)
	}
	asked := s.visit(`{"roots":{}}`)
	asked.roots = func(said) string { return rootsResult(base + "/other") }
	if got, _ := list(asked, ""); len(got) != 0 || asked.asks != 0 {
		t.Errorf("resources/list asked for roots: %v", got)
	}
	asked.call("where", args())
	if got, _ := list(asked, ""); len(got) != 2 {
		t.Errorf("remembered roots count: %v", got)
	}
	distrust(t, s, base+"/other")
	if got, _ := list(asked, ""); len(got) != 0 {
		t.Errorf("of a project that is not trusted: %v", got)
	}
	trust(t, s, base+"/other")
	read := func(uri string) heard {
		return v.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
	}
	for _, uri := range append(uris, "FILE://localhost"+strings.TrimPrefix(uris[0], "file://")) {
		if h := read(uri); h.code() != 0 || !strings.Contains(h.body, "eploys") || !strings.Contains(h.body, fmt.Sprintf(`"uri":%q`, uri)) {
			t.Errorf("reading %s: %s", uri, h)
		}
	}
	notes := base + "/other/.blue/notes"
	must(t, os.WriteFile(base+"/other/secret.md", []byte("secret"), 0o644))
	if err := os.Symlink(base+"/other/secret.md", notes+"/linked.md"); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	for _, uri := range []string{
		"file://" + notes + "/none.md", "file://" + notes, "file://" + base + "/other/secret.md", "file://" + notes + "/linked.md",
		"file://" + base + "/other/.blue/project.yaml", "file://" + notes + "/../project.yaml", "file://" + notes + "/%2e%2e/project.yaml",
		strings.TrimPrefix(uris[0], "file://"), "https://example.com/x.md", "", "file:///etc/passwd", "file://" + base + "/none/.blue/notes/none.md",
	} {
		h := read(uri)
		var data struct{ URI *string }
		if e := h.message().Error; e == nil || e.Code != -32602 || json.Unmarshal(e.Data, &data) != nil || data.URI == nil || *data.URI != uri {
			t.Errorf("reading %q: %s", uri, h)
		}
		if strings.Contains(h.body, "secret\"") || strings.Contains(h.body, `"contents"`) {
			t.Errorf("reading %q: %s", uri, h)
		}
	}
	if h := v.post(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"%"}}`); h.code() != -32602 {
		t.Errorf("bad cursor: %s", h)
	}
	if h := v.post(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`); !strings.Contains(h.body, `"resourceTemplates":[]`) {
		t.Errorf("templates: %s", h)
	}
	v.post(callBody(t, 1, "write", args("title", "Odd name #1 & 100%", "body", "x"), nil))
	uris, _ = list(v, "")
	for _, uri := range uris {
		if h := read(uri); h.code() != 0 {
			t.Errorf("reading what is listed: %s: %s", uri, h)
		}
	}
}

// Pages of resources follow one another.
func TestResourcePages(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	s := newWorld(t, base).serve(t, base, HTTP{})
	trust(t, s, base+"/other")
	const many = 12
	s.d.page = 7
	v := s.visit(`{}`)
	for i := range many {
		v.call("write", args("cwd", base+"/other", "title", fmt.Sprint("note ", i), "body", fmt.Sprint("text ", i)))
	}
	v.call("use", args("cwd", base+"/other"))
	seen, cursor := map[string]bool{}, ""
	for pages := 1; ; pages++ {
		var r struct {
			Resources  []struct{ URI string }
			NextCursor string
		}
		h := v.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":%q}}`, cursor))
		must(t, json.Unmarshal(h.message().Result, &r))
		for _, one := range r.Resources {
			seen[filepath.Base(one.URI)] = true
		}
		if cursor = r.NextCursor; cursor == "" {
			if pages != 2 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if len(seen) != many {
		t.Errorf("%d of %d notes", len(seen), many)
	}
}

// Completion of ids and tags, of trusted projects alone.
func TestCompletion(t *testing.T) {
	t.Parallel()
	base, s, v := shelf(t)
	complete := func(v *visitor, ref, name, value string) string {
		h := v.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":%s,"argument":{"name":%q,"value":%q}}}`, ref, name, value))
		var r struct{ Completion struct{ Values []string } }
		if err := json.Unmarshal(h.message().Result, &r); err != nil || r.Completion.Values == nil {
			t.Errorf("%v: %s", err, h)
		}
		return strings.Join(r.Completion.Values, " ")
	}
	resource, prompt := `{"type":"ref/resource","uri":"file:///x"}`, `{"type":"ref/prompt","name":"recall"}`
	for _, test := range []struct{ ref, name, value, want string }{
		{resource, "id", "dep", "deploys-on-fridays-"}, {resource, "id", "DEP", "deploys-on-fridays-"}, {resource, "id", "for", ""},
		{prompt, "tag", "", "ops release"}, {prompt, "tags", "o", "ops"}, {prompt, "tags", "om", ""},
		{prompt, "topic", "rel", "release"}, {prompt, "topic", "where", "where-the-work-stands-"},
	} {
		if got := complete(v, test.ref, test.name, test.value); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s %q: %q, want %q", test.name, test.value, got, test.want)
		}
	}
	if got := complete(s.visit(`{}`), prompt, "topic", ""); got != "" {
		t.Errorf("without a project: %q", got)
	}
	distrust(t, s, base+"/other")
	if got := complete(v, resource, "id", ""); got != "" {
		t.Errorf("of a project that is not trusted: %q", got)
	}
	if h := v.post(`{"jsonrpc":"2.0","id":1,"method":"completion/complete"}`); h.code() != -32602 {
		t.Errorf("without params: %s", h)
	}
}
