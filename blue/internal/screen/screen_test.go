package screen_test

import (
	b64 "encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"blue/blue/internal/screen"
)

func TestSecretsNamesPlaceAndNotValue(t *testing.T) {
	secret := "gh" + "p_" + seeded(1).of(alnum, 36)
	found := screen.Secrets("äöü\r\nkey: ä " + secret + " and " + secret + "\n" + secret)
	want := []screen.Finding{
		{Rule: "github-token", Line: 2, Column: 8, Last: 2},
		{Rule: "github-token", Line: 2, Column: 53, Last: 2},
		{Rule: "github-token", Line: 3, Column: 1, Last: 3},
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if strings.Contains(fmt.Sprintf("%#v", found), secret[4:12]) {
		t.Error("a finding repeats the secret")
	}
}

// A private key is found and masked whole as it stands in mails, programs, diffs and what tools print.
func TestPrivateKeysInQuotations(t *testing.T) {
	key := block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011AABB\n\n"+lines(seeded(2), 4))
	each := func(form string) string {
		var all []string
		for i, line := range strings.Split(key, "\n") {
			all = append(all, strings.NewReplacer("%s", line, "%d", strconv.Itoa(i+1)).Replace(form))
		}
		return strings.Join(all, "\n")
	}
	for name, text := range map[string]string{
		"quoted": each("> %s"), "indented": each("    %s"), "CRLF": strings.ReplaceAll(key, "\n", "\r\n"), "spaces": each("%s  "),
		"added": each("+%s"), "removed": each("-%s"), "numbered": each("    %d\t%s"), "arrow": each("%d→%s"), "grep": each("%d:%s"),
		"comment": each("// %s"), "shell comment": each("# %s"), "block comment": each(" * %s"), "YAML": each("  | %s"),
		"JSON": `{"k": "` + strings.ReplaceAll(key, "\n", `\n`) + `"}`, "C": each(`"%s\n"`), "JavaScript": each(`'%s\n' +`), "array": each(`"%s",`),
		"program": `"` + strings.ReplaceAll(key, "\n", `\n" +`+"\n"+`  "`) + `"`,
	} {
		found := screen.Secrets(text)
		if len(found) != 1 || found[0].Rule != "private-key" || found[0].Line != 1 {
			t.Errorf("%s: found %v", name, found)
		}
		masked := strings.Join(screen.Mask(text), "\n")
		for _, line := range strings.Split(key, "\n")[4:8] {
			if strings.Contains(masked, line[:20]) {
				t.Errorf("%s: not masked whole", name)
				break
			}
		}
	}
	if found := screen.Secrets(key[:200]); len(found) != 1 {
		t.Errorf("a key that is cut is not found: %v", found)
	}
	if found := screen.Secrets(key); len(found) != 1 || found[0].Last != 9 {
		t.Errorf("the block does not end with its last line of key: %v", found)
	}
}

// A password is found where its line, or its escapes, do not stand in a row with its name.
func TestValuesOnTheNextLine(t *testing.T) {
	pw := seeded(3).of(alnum, 16) + "-9aB"
	twice, _ := json.Marshal(`{"password":"` + pw + `"}`)
	twice, _ = json.Marshal(string(twice))
	for _, text := range []string{"root password:\n" + pw, "password: |\n  " + pw, "password: >-\n  " + pw, string(twice), "token: \x1b[32mgh" + "p_" + seeded(1).of(alnum, 36) + "\x1b[0m"} {
		if found := screen.Secrets(text); len(found) != 1 {
			t.Errorf("%v in %q", found, text)
		}
	}
}

// Each password of a command that continues over lines is found in its own line.
func TestPasswordsOfOneCommand(t *testing.T) {
	c := seeded(5)
	found := screen.Secrets("curl -sS \\\n  -u ci:" + c.of(alnum, 16) + " \\\n  --proxy-user me:" + c.of(alnum, 16) + " https://host")
	want := []screen.Finding{{Rule: "command-password", Line: 2, Column: 3, Last: 2}, {Rule: "command-password", Line: 3, Column: 3, Last: 3}}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

func TestPlaceholdersPass(t *testing.T) {
	for _, text := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "I44QH8DHBEXAMPLE", "AKIA" + strings.Repeat("X", 16),
		"gh" + "p_" + strings.Repeat("0", 36), "gh" + "p_<token>", "gh" + "p_${GITHUB_TOKEN}", "glpat-your-token-goes-here-please",
		"xox" + "b-not-a-real-token-this-will-not-work", "xox" + "b-XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXXXXXXXXXXXXXX",
		"https://hooks.slack.com/services/T00000000/B00000000/" + strings.Repeat("X", 24),
		"sk-ant-api03-" + strings.Repeat("x", 93), "sk-proj-your-api-key-stands-here-and-nowhere-else-2",
		"AccountKey=<storage-account-key>;", "hvs.xxxxxxxxxxxxxxxxxxxxxxxx",
		"https://user:pass@sub.example.com:8080/p/a/t/h", "postgres://postgres:postgres@localhost:5432/app?sslmode=disable",
		"mysql://root:my-secret-pw@db", "amqp://user:{{ .Values.password }}@mq", "http://user:%s@host", "http://%USER%:%PASS%@host",
		"postgres://app:[YOUR-PASSWORD]@db.project.co", "redis://:***@cache:6379", "tcp://admin:public@localhost:1883",
		"https://oauth2:$TOKEN@gitlab.com/a/b.git", "ftp://me:$(cat pw)@host", "http://host:8080/a@b", "mongodb://user:12345@h",
		"110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
	} {
		if found := screen.Secrets("use " + text + " here"); len(found) > 0 {
			t.Errorf("%s… is found: %v", text[:12], found)
		}
	}
}

func TestPasswordsOfURLs(t *testing.T) {
	for _, url := range []string{
		"postgres://app:s3cr3t-Pa55@db.example.com/x", "https://ci:hunter2@git.internal", "amqps://svc:correcthorse@mq:5671/vhost",
		"mongodb+srv://app:9f%2Fk2!x@cluster0.ab1cd.mongodb.net", "redis://:q7Lw0pZx@10.0.0.3:6379", "jdbc:mysql://app:Zx9_trust@db/x",
		"http://me:a:b9c8d7@[fd00::1]:80/",
		"postgres://app:correct-horse-battery@db/x", "ftp://me:(paren)pw9@files.internal",
	} {
		for _, text := range []string{url, "<" + url + ">", "DSN=\"" + url + "\"", "[db](" + url + ")"} {
			if found := screen.Secrets(text); !holds(found, "url-password") {
				t.Errorf("the password of %s is not found", text)
			}
		}
	}
}

// Each documented example passes, and the same with one character changed does not.
func TestVendorsExamplesPass(t *testing.T) {
	for _, parts := range [][2]string{
		{"gh" + "o_16C7e42F292c6912", "E7710c838347Ae178B4a"},
		{"AIzaSyDaGmWKa4JsXZ", "-HjGw7ISLn_3namBGewQe"},
		{"AccountKey=Eby8vdM02xNOcqFlqUwJ", "PLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="},
		{"MTk4NjIyNDgzNDcx", "OTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"},
		{"key-3ax6xnjp29jd6fds", "4gc373sgvjxteol0"},
		{"SG.ngeVfQFYQlKU0ufo8x5d1A.", "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"},
		{"dapi1234567890ab1cde", "2f3ab456c7d89efa"},
		{"ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw", "IiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV"},
		{"ey" + "J0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0K", "ICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
	} {
		if found := screen.Secrets("Bearer " + parts[0] + parts[1]); len(found) > 0 {
			t.Errorf("the documented example %s… is found: %v", parts[0], found)
		}
		swap := "a"
		if strings.HasPrefix(parts[1], swap) {
			swap = "b"
		}
		if found := screen.Secrets("Bearer " + parts[0] + swap + parts[1][1:]); len(found) != 1 {
			t.Errorf("another token than the example %s… is not found", parts[0])
		}
	}
}

// A secret is found as programs write it, with its place in the text.
func TestEscapedSecretsAreFound(t *testing.T) {
	for name, escape := range map[string]func(string) string{
		"percent":        func(s string) string { return "https://host/?q=" + strings.ReplaceAll(url.QueryEscape(s), "_", "%5F") },
		"JSON":           func(s string) string { return `{"k": "one\n` + strings.ReplaceAll(s, "_", `\u005f`) + `"}` },
		"Markdown":       func(s string) string { return strings.NewReplacer("_", `\_`, "-", `\-`).Replace(s) },
		"base64":         func(s string) string { return b64.StdEncoding.EncodeToString([]byte(s + "\n")) },
		"base64 of URLs": func(s string) string { return b64.RawURLEncoding.EncodeToString([]byte("key is " + s)) },
		"glued with _":   func(s string) string { return "old_" + s + "_old" },
		"Chinese":        func(s string) string { return "密钥" + s + "。" },
		"example":        func(s string) string { return "for example use your key " + s + " and not xxxx" },
	} {
		for rule, text := range map[string]string{
			"github-token": "ghp_{a:36}", "stripe-live-key": "sk_live_{a:24}", "slack-token": "xoxb-{d:12}-{d:12}-{a:24}", "sendgrid-key": "SG.{a:22}.{a:43}",
		} {
			c := seeded(uint64(len(name)))
			for range 10 {
				if secret := made(c, text); !holds(screen.Secrets(escape(secret)), rule) {
					t.Errorf("%s: %s is not found", name, rule)
				}
			}
		}
	}
	secret := made(seeded(1), "ghp_{a:36}")
	for text, want := range map[string]screen.Finding{
		"\\_c\n\\_c " + strings.ReplaceAll(secret, "_", `\_`):                      {Rule: "github-token", Line: 2, Column: 5, Last: 2},
		"%41 ä\n" + b64.StdEncoding.EncodeToString([]byte("x: "+secret)) + "\nend": {Rule: "github-token", Line: 2, Column: 1, Last: 2},
	} {
		if found := screen.Secrets(text); len(found) != 1 || found[0] != want {
			t.Errorf("found %v, want %v", found, want)
		}
	}
}

// Each of adjacent lines with a secret is found, also where one is added below others or below lines
// that are allowed.
func TestAdjacentLinesAreAllFound(t *testing.T) {
	c := seeded(7)
	var lines []string
	for i, k := range kinds {
		if line := made(c, k.text); !strings.Contains(line, "\n") {
			lines = append(lines, line, fmt.Sprintf("SERVICE_%d_PASSWORD=%s", i, c.of(alnum, 12)+"9xQ4"))
		}
	}
	found := map[int]bool{}
	for _, f := range screen.Secrets(strings.Join(lines, "\n")) {
		for n := f.Line; n <= f.Last; n++ {
			found[n] = true
		}
	}
	for i, line := range lines {
		if len(screen.Secrets(line)) == 0 { // one of 25 samples
			continue
		}
		if !found[i+1] {
			t.Errorf("not found among others: %s", line)
		}
		other := lines[(i+1)%len(lines)]
		if screen.Refuse("body", other, other+"\n"+line, false) == nil {
			t.Errorf("taken by an edit: %s", line)
		}
		if screen.Refuse("body", "", screen.AllowSecrets(other, true)+"\n"+line, true) == nil {
			t.Errorf("taken below an allowed line: %s", line)
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

func holds(found []screen.Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f screen.Finding) bool { return f.Rule == rule })
}

func FuzzSecrets(f *testing.F) {
	for _, s := range kinds {
		f.Add(made(seeded(8), s.text), "plain\r\ntext")
	}
	f.Add(strings.Repeat("Ⱥ", 20)+" mykeys aB3dE5gH7jK9mN1pQ3sT", "") // which has more bytes in lower case
	f.Fuzz(func(t *testing.T, text, before string) {
		count := strings.Count(text, "\n") + 1
		rules := screen.Rules()
		for _, f := range screen.Secrets(text) {
			if f.Line < 1 || f.Last < f.Line || f.Last > count || f.Column < 1 || f.Column > utf8.RuneCountInString(text) || !slices.Contains(rules, f.Rule) {
				t.Errorf("%v lies outside %q", f, text)
			}
		}
		if added := screen.Added(text, text, screen.Secrets); len(added) > 0 {
			t.Errorf("nothing was added to %q, found %v", text, added)
		}
		if added := screen.Added(before, text, screen.Secrets); len(added) > len(screen.Secrets(text)) {
			t.Errorf("more was added than is there: %v", added)
		}
		if left := screen.Unallowed(screen.AllowSecrets(text, true)); len(left) > 0 {
			t.Errorf("%v is left of %q though allowed", left, text)
		}
	})
}

func BenchmarkSecrets(b *testing.B) {
	text := clean2kB()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(screen.Secrets(text)) > 0 {
			b.Fatal("the text is not clean")
		}
	}
}

// clean2kB is a note as one would write it: prose, code, links, hashes.
func clean2kB() string {
	c := seeded(9)
	text := "# Deploy\n\nThe queue is drained first, see [runbook](https://wiki.internal/deploy?id=42) and task-sk-17.\n" +
		"```go\nfunc (p *Pool) Drain(ctx context.Context) error {\n\treturn p.queue.Close(ctx)\n}\n```\n" +
		"- image: `registry.internal/app@sha256:" + c.of(hex, 64) + "`\n- at 12:30:45, postgres://app@db:5432/prod, key: value; a.b.c.d\n"
	return strings.Repeat(text, 1+2000/len(text))[:2000]
}
