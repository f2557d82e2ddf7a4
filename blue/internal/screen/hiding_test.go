package screen_test

import (
	b64 "encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"blue/blue/internal/screen"
)

// hidings are ways in which a secret of one word comes to stand in a note, none of
// them by intent: editors wrap and pad, programs escape.
var hidings = map[string]func(secret string) string{
	"split":           func(s string) string { return cut(s, "\n") },
	"split in CRLF":   func(s string) string { return cut(s, "\r\n") },
	"split in four":   func(s string) string { return cut(cut(s[:len(s)/2], "\n")+"\n"+cut(s[len(s)/2:], "\n"), "") },
	"split in quote":  func(s string) string { return "> " + cut(s, "\n> ") },
	"split, indented": func(s string) string { return "    " + cut(s, "\n    ") },
	"split in code":   func(s string) string { return `k = "` + cut(s, "\" +\n    \"") + `"` },
	"split in shell":  func(s string) string { return "export K=" + cut(s, "\\\n") },
	"split in JSON":   func(s string) string { return `{"k": "` + cut(s, `\n`) + `"}` },
	"soft hyphen":     func(s string) string { return cut(s, "\u00ad") },
	"zero width":      func(s string) string { return cut(s, "\u200d") },
	"word joiners":    func(s string) string { return strings.Join(strings.Split(s, ""), "\u2060") },
	"tags":            func(s string) string { return cut(s, "\U000e0041") },
	"full width":      func(s string) string { return strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s) },
	"no-break hyphen": func(s string) string { return strings.ReplaceAll(s, "-", "\u2011") },
	"percent": func(s string) string {
		return "https://host/?q=" + strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(s), "_", "%5F"), "-", "%2d")
	},
	"all percent":   func(s string) string { return each(s, func(c byte) string { return fmt.Sprintf("%%%02X", c) }) },
	"JSON escapes":  func(s string) string { return each(s, func(c byte) string { return fmt.Sprintf(`\u%04x`, c) }) },
	"hex escapes":   func(s string) string { return each(s, func(c byte) string { return fmt.Sprintf(`\x%02x`, c) }) },
	"Markdown":      func(s string) string { return strings.NewReplacer("_", `\_`, "-", `\-`).Replace(s) },
	"base64":        func(s string) string { return b64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, echo":  func(s string) string { return b64.StdEncoding.EncodeToString([]byte(s + "\n")) },
	"base64 of URL": func(s string) string { return b64.RawURLEncoding.EncodeToString([]byte("key is " + s)) },
	"base64, split": func(s string) string { return cut(b64.StdEncoding.EncodeToString([]byte(s)), "\n") },
	"hexadecimal":   func(s string) string { return fmt.Sprintf("%x", s) },
	"glued":         func(s string) string { return "X" + s },
	"glued with _":  func(s string) string { return "old_" + s },
	"glued behind":  func(s string) string { return s + "_old" },
	"Chinese":       func(s string) string { return "密钥" + s + "。" },
	"example":       func(s string) string { return "for example use your key " + s + " and not xxxx" },
	"example before": func(s string) string {
		return "https://example.com/your/placeholder?q=" + s
	},
}

func cut(s, by string) string { return s[:len(s)*3/5] + by + s[len(s)*3/5:] }

func each(s string, as func(byte) string) (text string) {
	for i := range len(s) {
		text += as(s[i])
	}
	return text
}

// hideable are kinds of one word with a prefix of their own.
var hideable = map[string]string{
	"github-token": "ghp_{a:36}", "gitlab-token": "glpat-{a:20}", "aws-access-key-id": "AKIA{B32:16}", "google-api-key": "AIza{a:35}", "slack-token": "xoxb-{d:12}-{d:12}-{a:24}",
	"stripe-live-key": "sk_live_{a:24}", "openai-key": "sk-proj-{a:74}T3BlbkFJ{a:74}", "anthropic-key": "sk-ant-api03-{a:93}AA", "npm-token": "npm_{a:36}",
	"sendgrid-key": "SG.{a:22}.{a:43}", "digitalocean-token": "dop_v1_{x:64}", "json-web-token": "eyJhbGciOiJSUzI1NiJ9.eyJ{a:80}.{a:43}", "vault-token": "hvs.{a:90}", "databricks-token": "dapi{x:32}",
}

// A secret that is split, padded, escaped, packed or glued is found, whatever
// else stands on the line.
func TestHiddenSecretsAreFound(t *testing.T) {
	for name, hide := range hidings {
		for rule, text := range hideable {
			c, found := seeded(uint64(len(name))), 0
			for i := range 25 {
				if holds(screen.Secrets(fmt.Sprintf(around[i%2], hide(made(c, text)))), rule) {
					found++
				}
			}
			if found < 22 { // a key without a digit looks like words
				t.Errorf("%s: %d of 25 of %s are found", name, found, rule)
			}
		}
	}
}

// The place of a hidden secret is that of its first character in the text.
func TestPlacesInTheText(t *testing.T) {
	secret := made(seeded(1), "ghp_{a:36}")
	for text, want := range map[string]screen.Finding{
		"a\u00adb\n\\_c " + cut(secret, "\u00ad"):                                  {Rule: "github-token", Line: 2, Column: 5, Last: 2},
		"one\ntwo " + cut(secret, "\n  ") + "\nfour":                               {Rule: "github-token", Line: 2, Column: 5, Last: 3},
		"%41 ä\n" + b64.StdEncoding.EncodeToString([]byte("x: "+secret)) + "\nend": {Rule: "github-token", Line: 2, Column: 1, Last: 2},
	} {
		if found := screen.Secrets(text); len(found) != 1 || found[0] != want {
			t.Errorf("found %v, want %v", found, want)
		}
	}
}

// An allow word makes a placeholder only within the value.
func TestAllowWordsStandInTheValue(t *testing.T) {
	c := seeded(2)
	for _, text := range []string{
		"DB_PASSWORD=%s # your example, xxxx", "example_password = %s", "your_api_key: %s", "postgres://app:%s@db.example.com/x", "https://example:%s@your.host",
		"<!-- example xxxx --> password: %s",
	} {
		if text := fmt.Sprintf(text, c.of(alnum, 20)); len(screen.Secrets(text)) != 1 {
			t.Errorf("an allow word on the line hides %s", text)
		}
		for _, word := range []string{"your-password", "xxxxxxxxxxxx", "example-" + strconv.Itoa(c.IntN(1e6)), "changeme", "<password>", "${PASSWORD}", "********", "secret123"} {
			if text := fmt.Sprintf(text, word); len(screen.Secrets(text)) != 0 {
				t.Errorf("a placeholder is refused: %s", text)
			}
		}
	}
}
