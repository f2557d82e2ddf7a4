package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/screen"
	"blue/fixtures"
)

// around holds the surroundings that secrets are met in; "%s" is the secret.
var around = []string{
	"%s",
	"# Deploy\n\nset KEY=%s here",
	`{"token": "%s", "other": 1}`,
	"see `%s`.",
	"line\n  - value: %s\n  - next\n",
	`escaped\n%s\n`,
}

func TestEachRuleHasPositivesAndNearMisses(t *testing.T) {
	hits, misses := map[string]int{}, map[string]int{}
	for n, s := range samples() {
		c := seeded(uint64(n))
		for i := range 5 {
			text := fmt.Sprintf(around[i], s.hit(c))
			if !holds(screen.Secrets(text), s.rule) {
				t.Errorf("%s not found in sample %d, surroundings %d: %v", s.rule, n, i, screen.Secrets(text))
			}
			hits[s.rule]++
		}
		for i, near := range s.near {
			if found := screen.Secrets(fmt.Sprintf("# Deploy\n\nsee %s here", near(c))); len(found) > 0 {
				t.Errorf("%s: near miss %d of sample %d is found: %v", s.rule, i, n, found)
			}
			misses[s.rule]++
		}
	}
	for _, rule := range screen.Rules() {
		if hits[rule] < 5 || misses[rule] < 5 {
			t.Errorf("%s has %d positives and %d near misses, not 5 of each", rule, hits[rule], misses[rule])
		}
	}
	if len(hits) != len(screen.Rules()) {
		t.Errorf("samples of %d rules, the table has %d", len(hits), len(screen.Rules()))
	}
}

func TestPromise26GeneratedSecretsAreFound(t *testing.T) {
	c, all := seeded(200), samples()
	const runs = 20
	found := 0
	for i := range 200 * runs {
		s := all[i%len(all)]
		if holds(screen.Secrets(fmt.Sprintf(around[c.IntN(len(around))], s.hit(c))), s.rule) {
			found++
		}
	}
	t.Logf("%d of %d generated secrets found", found, 200*runs)
	if found*100 < 95*200*runs {
		t.Errorf("only %d of %d generated secrets found", found, 200*runs)
	}
}

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

func TestPrivateKeysInQuotations(t *testing.T) {
	key := block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011AABB\n\n"+lines(seeded(2), 4))
	for name, text := range map[string]string{
		"quoted":   "> " + strings.ReplaceAll(key, "\n", "\n> "),
		"indented": "    " + strings.ReplaceAll(key, "\n", "\n    "),
		"CRLF":     strings.ReplaceAll(key, "\n", "\r\n"),
		"JSON":     `{"k": "` + strings.ReplaceAll(key, "\n", `\n`) + `"}`,
		"program":  `"` + strings.ReplaceAll(key, "\n", `\n" +`+"\n"+`  "`) + `"`,
		"diff":     "+" + strings.ReplaceAll(key, "\n", "\n+"),
		"no end":   key[:200],
	} {
		found := screen.Secrets(text)
		if len(found) != 1 || found[0].Rule != "private-key" || found[0].Line != 1 {
			t.Errorf("%s: found %v", name, found)
		}
	}
	if found := screen.Secrets(key); len(found) != 1 || found[0].Last != 9 {
		t.Errorf("the block does not end with its last line of key: %v", found)
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

// TestSecretsOfLongTexts: the time grows with the length, not with its square, whatever
// rule a text is full of.
func TestSecretsOfLongTexts(t *testing.T) {
	fixtures.Slow(t)
	took := func(unit string, parts int) time.Duration {
		text, begun := strings.Repeat(unit, (1<<14)/len(unit)/parts), time.Now()
		for range parts {
			screen.Secrets(text)
		}
		return time.Since(begun)
	}
	// A text takes about as long as its eight parts, one after the other, and eight times
	// as long when the time grows with the square.
	worse := func(unit string) bool {
		whole := took(unit, 1)
		for range 10 { // a machine with other work to do is slow now and then
			if whole < 2*time.Millisecond || whole < 4*took(unit, 8) {
				return false
			}
			whole = min(whole, took(unit, 1))
		}
		return true
	}
	starts := []string{"://", "a://b:", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nA: ", "AGE-SECRET-KEY-PQ-1", ".atlasv1.", "0123456789:A", "M.M", "\n",
		"\n1", "password=", "password\n", "curl -u", "curl", "curl \\\n", "curl -u a:changeme", "mysql -p", "data:\n a: ", "kind: Secret\n", "PuTTY-User-Key-File-", "Private-Lines: 1 ", "eyJa.", "%41", `\u0041`, "sv=1&"}
	rules := map[string]bool{}
	for _, s := range samples() {
		if text := s.hit(seeded(4)); !rules[s.rule] { // one form of each rule
			rules[s.rule] = true
			starts = append(starts, text[:min(len(text), 9)], text)
		}
	}
	for i, start := range starts {
		joints := []string{"", "-", "=", " "}
		for _, joint := range fixtures.Size(joints[i%4:i%4+1], joints[i%4:i%4+1], joints) {
			if worse(start + joint) {
				t.Errorf("%.12q%q: the time grows faster than the length", start, joint)
			}
		}
	}
}

func holds(found []screen.Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f screen.Finding) bool { return f.Rule == rule })
}
