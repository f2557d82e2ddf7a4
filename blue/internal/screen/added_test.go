package screen_test

import (
	"strings"
	"testing"

	"blue/blue/internal/screen"
)

func TestAddedJudgesOnlyWhatAWriteAdds(t *testing.T) {
	c := seeded(5)
	secret, other := "gh"+"p_"+c.of(alnum, 36), "gh"+"p_"+c.of(alnum, 36)
	key := block("PRIVATE KEY", lines(c, 3))
	header, body, _ := strings.Cut(key, "\n")
	for name, row := range map[string]struct {
		before, after string
		lines         []int
	}{
		"new note":                     {"", "a\n" + secret, []int{2}},
		"old fault in another line":    {"a\n" + secret + "\nb", "a\n" + secret + "\nc", nil},
		"old line moved":               {secret + "\na", "a\nb\n" + secret, nil},
		"old line twice":               {secret, secret + "\n" + secret, []int{2}},
		"second secret on the line":    {secret, secret + " " + other, []int{1, 1}},
		"another secret in its place":  {secret, other, []int{1}},
		"text added to the line":       {secret, secret + " is the key", []int{1}},
		"line ends changed":            {"a\r\n" + secret + "\r\nb", "a\n" + secret + "\nb", nil},
		"one removed":                  {secret + "\n" + other, other, nil},
		"key added":                    {"a", "a\n" + key, []int{2}},
		"key kept":                     {key + "\na", key + "\nb", nil},
		"body under an old header":     {header + "\nand so on", header + "\n" + body, []int{1}},
		"header over an old body":      {"x\n" + body, header + "\n" + body, []int{1}},
		"harmless halves brought near": {body + "\n\n" + header, header + "\n" + body, []int{1}},
		"last lines of a key changed":  {key, strings.Replace(key, body[140:150], "AAAAAAAAAA", 1), []int{1}},
		"nothing":                      {"a", "b", nil},
	} {
		var got []int
		for _, f := range screen.Added(row.before, row.after, screen.Secrets) {
			got = append(got, f.Line)
		}
		if len(got) != len(row.lines) {
			t.Errorf("%s: lines %v, want %v", name, got, row.lines)
			continue
		}
		for i := range got {
			if got[i] != row.lines[i] {
				t.Errorf("%s: lines %v, want %v", name, got, row.lines)
			}
		}
	}
}

func TestAddedHidden(t *testing.T) {
	before := "a\u200bb\nfine\n"
	if found := screen.Added(before, before+"more\n", screen.Hidden); len(found) != 0 {
		t.Errorf("an old hidden character blocks a write: %v", found)
	}
	found := screen.Added(before, "a\u200bb\nfi\u200bne\n", screen.Hidden)
	if len(found) != 1 || found[0].Line != 2 || found[0].Column != 3 {
		t.Errorf("a new hidden character is not found: %v", found)
	}
	many := strings.Repeat("\x01", 1<<16)
	if found := screen.Added(many, many+"\x01", screen.Hidden); len(found) != 1<<16+1 {
		t.Errorf("%d characters of a changed line are new, not all of %d", len(found), 1<<16+1)
	}
}

func TestAllowedLinesPassInCheckAlone(t *testing.T) {
	c := seeded(6)
	secret := "gh" + "p_" + c.of(alnum, 36)
	url := "https://ci:" + c.of(alnum, 16) + "@git.internal"
	for name, text := range map[string]string{
		"line":      "a\n" + secret + "\nb\n",
		"CRLF":      "a\r\n" + secret + "\r\nb\r\n",
		"two rules": secret + " " + url,
		"block":     block("OPENSSH PRIVATE KEY", lines(c, 3)) + "\n",
	} {
		found := screen.Secrets(text)
		allowed := screen.Allow(text, found)
		if left := screen.Unallowed(allowed); len(left) > 0 || len(found) == 0 {
			t.Errorf("%s: %v is left of %v", name, left, found)
		}
		if again := screen.Secrets(allowed); len(again) != len(found) {
			t.Errorf("%s: Secrets honours the comment: %v", name, again)
		}
		if screen.Allow(allowed, found) != allowed {
			t.Errorf("%s: allowing twice adds a second comment", name)
		}
		if strings.Count(allowed, "\r") != strings.Count(text, "\r") || strings.Contains(allowed, "\r ") {
			t.Errorf("%s: line ends are damaged", name)
		}
	}
	for _, note := range []string{"<!-- blue:allow npm-token -->", "<!-- blue:allow -->", "blue:allow github-token", "\n<!-- blue:allow github-token -->"} {
		if left := screen.Unallowed(secret + " " + note); len(left) != 1 {
			t.Errorf("%q allows a github-token", note)
		}
	}
}

func TestAllowsFindsTheComments(t *testing.T) {
	found := screen.Allows("a\n b <!-- blue:allow github-token --> <!--blue:allow\tnpm-token-->\n<!-- blue: allow x -->")
	if len(found) != 2 || found[0].Rule != "github-token" || found[0].Line != 2 || found[0].Column != 4 || found[1].Rule != "npm-token" {
		t.Errorf("found %v", found)
	}
}
