package mcp

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// blue_use by the name of a project that the client has open, or that was opened before.
func TestUseByName(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("use", args("project", "other"))
	p.answer(1, rootsResult(base+"/shop", base+"/other"))
	expect(t, "candidate", p.outcome(id), "use:other")
	expect(t, "stays", p.call("list", args()), "use:other")
	for name, want := range map[string]string{"nope": "not_found", "": "invalid", "shared lib": "not_found", "../shop": "bad_path", "~/shop": "bad_path"} {
		o := p.call("use", args("project", name))
		expect(t, "use of "+name, o, want)
		if want == "not_found" && (!slices.Contains(o.StructuredContent.Candidates, base+"/shop") || !strings.Contains(o.text(), "shop at "+base+"/shop")) {
			t.Errorf("no candidates for %q: %v\n%s", name, o.StructuredContent.Candidates, o.text())
		}
		expect(t, "unchanged", p.call("list", args()), "use:other")
	}
	expect(t, "path", p.call("use", args("project", base+"/shop/api")), "use:shop")
	expect(t, "both", p.call("use", args("project", "shop", "cwd", base+"/shop")), "invalid")

	p.call("list", args("cwd", base+"/shared lib"))
	bare := w.start(t)
	bare.open(`{}`)
	expect(t, "known", bare.call("use", args("project", "shared lib")), "use:shared lib")

	twin := base + "/elsewhere/shop"
	must(t, os.MkdirAll(twin+"/.blue", 0o755))
	p.call("list", args("cwd", twin))
	o := bare.call("use", args("project", "shop"))
	if candidates := slices.Sorted(slices.Values(o.StructuredContent.Candidates)); o.source() != "invalid" || !slices.Equal(candidates, []string{twin, base + "/shop"}) {
		t.Errorf("ambiguous: %v\n%s", candidates, o.text())
	}
	expect(t, "ambiguous", bare.call("list", args()), "use:shared lib")
	must(t, os.RemoveAll(twin))
	expect(t, "one of two is gone", bare.call("use", args("project", "shop")), "use:shop")
	must(t, os.RemoveAll(base+"/shared lib"))
	if o := bare.call("use", args("project", "shared lib")); o.source() != "not_detected" || !strings.Contains(o.text(), "is gone") || !strings.Contains(o.text(), "blue projects --forget") {
		t.Errorf("gone: %s", o.text())
	}
}

// blue_use without arguments after blue_use B: the session's own root counts again,
// also when the directory of B is gone.
func TestEndOfTheChoice(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("list", args())
	p.answer(1, rootsResult(base+"/shop"))
	expect(t, "before use", p.outcome(id), "roots:shop")
	for _, gone := range []bool{false, true} {
		expect(t, "use", p.call("use", args("project", base+"/other")), "use:other")
		expect(t, "after use", p.call("list", args()), "use:other")
		if gone {
			must(t, os.RemoveAll(base+"/other"))
			if o := p.call("write", args("body", "x")); o.source() != "not_detected" || !strings.Contains(o.text(), "call blue_use without arguments to end the choice") {
				t.Errorf("a write after the choice is gone: %s", o.text())
			}
		}
		if o := p.call("use", args()); o.source() != "roots:shop" || !strings.HasPrefix(o.text(), `The choice of "`+base+`/other" has ended.`) {
			t.Errorf("%s", o.text())
		}
		expect(t, "after the end of the choice", p.call("list", args()), "roots:shop")
	}
}

// What a server does not serve is neither searched nor named.
func TestOutsideOfTheServer(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	all := w.start(t)
	all.open(`{}`)
	for _, name := range []string{"shop", "other", "my proj"} {
		all.call("write", args("cwd", base+"/"+name, "title", "Lemurs of "+name, "body", "Lemurs leap."))
	}
	p := w.serve(t, base, HTTP{AllowRoots: []string{base + "/shop", base + "/other"}}).visit(`{}`)
	text := p.call("search", args("cwd", base+"/shop", "query", "lemurs", "projects", []string{"*"})).text()
	if !strings.Contains(text, "other: lemurs-of-other-") || strings.Contains(text, "my proj") {
		t.Errorf("%s", text)
	}
	for tool, a := range map[string]map[string]any{"search": args("cwd", base+"/shop", "query", "lemurs", "projects", []string{"my proj"}), "use": args("project", "my proj")} {
		if o := p.call(tool, a); o.source() != "not_found" || strings.Contains(o.text(), base+"/my proj") {
			t.Errorf("%s: %s", tool, o.text())
		}
	}
}
