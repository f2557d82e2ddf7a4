package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Initialize without params is answered with an error that says what is missing, and
// the connection goes on.
func TestInitializeWithoutParams(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	for i, params := range []string{``, `,"params":null`} {
		p.send(`{"jsonrpc":"2.0","id":` + string(rune('1'+i)) + `,"method":"initialize"` + params + `}`)
		m := p.reply(1 + i)
		if m.Error == nil || !strings.Contains(m.Error.Message, "params") {
			t.Errorf("%s: %+v", params, m.Error)
		}
	}
	p.open(`{}`)
	expect(t, "opened at last", p.call("list", args("cwd", base+"/shop")), "argument:shop")
}

// A root whose name holds ? or # is that directory, however the client spells its URI.
func TestRootsOfOddNames(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	for _, name := range []string{"what?", "c#", "a?b#c"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue // which no name has there
		}
		must(t, os.MkdirAll(filepath.Join(base, name, ".blue"), 0o755))
		encoded := strings.NewReplacer("?", "%3F", "#", "%23").Replace(name)
		for _, uri := range []string{"file://" + base + "/" + name, "file://" + base + "/" + encoded} {
			p := w.start(t)
			p.open(`{"roots":{}}`)
			id := p.ask("list", args())
			p.answer(1, `"result":{"roots":[{"uri":"`+uri+`"}]}`)
			o := p.outcome(id)
			expect(t, uri, o, "roots:"+name)
			if ref := o.StructuredContent.Project; ref == nil || ref.Root != base+"/"+name {
				t.Errorf("%s leads to %+v", uri, ref)
			}
		}
	}
}
