package page_test

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"testing"

	"blue/blue/page"
	"blue/errors"
)

// The page of the user finds past sessions, with their texts escaped; another page does not.
func TestPageFindsSessions(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{true, false} {
		s := in(t, func(o *page.Options) { o.Call.Private = private })
		line, err := json.Marshal(map[string]any{"type": "user", "cwd": s.dir, "timestamp": "2026-03-01T10:00:00Z",
			"message": map[string]string{"role": "user", "content": "polish the astrolabe <script>alert(1)</script>"}})
		must(t, err)
		file := filepath.Join(filepath.Dir(s.dir), ".claude", "projects", "shop", "aaaa.jsonl")
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, append(line, '\n'), 0o600))
		must(t, s.b.SwitchSessions(true))
		if !private {
			hasNot(t, s.get("/?q=astrolabe"), "Said in past sessions", "alert(1)")
			continue
		}
		found := s.get("/?q=astrolabe&in=sessions")
		has(t, found, "Said in past sessions", "polish the <mark>astrolabe</mark> &lt;script&gt;alert(1)", "blue sessions show "+html.EscapeString(errors.Argument("claude-code/aaaa#1")))
		hasNot(t, found, "Nothing found")
		has(t, s.get("/?q=astrolabe"), "Said in past sessions", `href="/?in=sessions&amp;q=astrolabe"`)
	}
}
