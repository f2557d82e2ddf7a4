package screen_test

import (
	b64 "encoding/base64"
	"flag"
	"fmt"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue/internal/screen"
	"blue/fixtures"
)

var cleanDir = flag.String("clean", "", "directories, in the manner of PATH, with clean text to look for false findings in, instead of Go's own Markdown")

// Promise 26: at most one false finding in 10 MB of Markdown, and with -clean in the
// comments of Go, which are Markdown too. What is found is logged with its place,
// never with its value.
func TestPromise26CleanMarkdown(t *testing.T) {
	size, found := 0, 0
	for _, dir := range cleanDirs() {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			text := cleanText(path)
			size += len(text)
			for _, f := range screen.Secrets(text) {
				found++
				t.Logf("%s:%d: %s", path, f.Line, f.Rule)
			}
			return nil
		})
	}
	if size == 0 {
		t.Skip("SKIPPED: no Markdown found; give -clean DIR")
	}
	t.Logf("%d findings in %d bytes", found, size)
	if found > 1+size/10e6 {
		t.Errorf("%d findings in %d bytes of clean Markdown", found, size)
	}
}

// cleanText is a Markdown file, or the comments of a Go file.
func cleanText(path string) string {
	switch ext := filepath.Ext(path); {
	case ext == ".md":
		data, _ := os.ReadFile(path) // what cannot be read is not there
		return string(data)
	case ext == ".go" && *cleanDir != "":
		file, _ := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			return ""
		}
		var b strings.Builder
		for _, group := range file.Comments {
			b.WriteString(group.Text() + "\n")
		}
		return b.String()
	}
	return ""
}

func cleanDirs() []string {
	if *cleanDir != "" {
		return filepath.SplitList(*cleanDir)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	return []string{strings.TrimSpace(string(root))}
}

// Megabytes of what looks random and is no secret.
func TestPromise26CleanNoise(t *testing.T) {
	size := fixtures.Size(1<<20, 4<<20, 10<<20)
	c := seeded(7)
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(noise[c.IntN(len(noise))](c) + "\n")
	}
	text := b.String()
	all := strings.Split(text, "\n")
	found := screen.Secrets(text)
	for _, f := range found {
		t.Logf("%s in %.200s", f.Rule, all[f.Line-1])
	}
	if len(found) > 1 {
		t.Errorf("%d findings in %d bytes of noise", len(found), size)
	}
}

var noise = []func(c chance) string{
	func(c chance) string { return "commit " + c.of(hex, 40) + "\nsha256:" + c.of(hex, 64) },
	func(c chance) string {
		return "id: " + c.of(hex, 8) + "-" + c.of(hex, 4) + "-4" + c.of(hex, 3) + "-8" + c.of(hex, 3) + "-" + c.of(hex, 12)
	},
	func(c chance) string { return "![](data:image/png;base64,iVBORw0KGgo" + c.of(base64, 2000) + "==)" },
	func(c chance) string {
		return "//# sourceMappingURL=data:application/json;base64,ey" + "J" + c.of(base64, 900)
	},
	func(c chance) string { return `      "integrity": "sha512-` + c.of(base64, 86) + `==",` },
	func(c chance) string {
		return "golang.org/x/text v0." + c.of(digits, 2) + ".0 h1:" + c.of(base64, 43) + "="
	},
	func(c chance) string {
		return "https://www.example.com/a/" + c.of(safe, 24) + "?utm=" + c.of(safe, 40) + "&v=" + c.of(digits, 8) + "#" + c.of(lower, 9)
	},
	func(c chance) string {
		return "http://host:" + c.of(digits, 4) + "/@" + c.of(lower, 8) + " git@github.com:a/b.git"
	},
	func(c chance) string {
		return "function " + c.of(lower, 1) + "(" + c.of(lower, 2) + "){return " + c.of(alnum, 3) + "." + c.of(alnum, 6) + "." + c.of(alnum, 30) + "(" + c.of(lower, 1) + "?" + c.of(digits, 9) + ":" + c.of(alnum, 33) + ")}"
	},
	func(c chance) string {
		return "etag W/\"" + c.of(hex, 32) + "\" trace 00-" + c.of(hex, 32) + "-" + c.of(hex, 16) + "-01"
	},
	func(c chance) string { return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + c.of(base64, 43) + " me@host" },
	func(c chance) string { return block("CERTIFICATE", lines(c, 8)) },
	func(c chance) string {
		return "task-" + c.of(alnum, 24) + " disk-" + c.of(lower, 30) + " key-" + c.of(hex, 12)
	},
	func(c chance) string {
		return "AWS_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID TOKEN=${" + c.of(upper, 20) + "} " + c.of(upper, 20)
	},
	func(c chance) string {
		return fmt.Sprintf("| %d | %s | %s |", c.IntN(1e9), c.of(alnum, 22), c.of(safe, 64))
	},
}

// harmless are texts that look like a secret to a hasty rule.
var harmless = []func(c chance) string{
	func(c chance) string { return "the cache entry key-" + c.of(hex, 32) + " was evicted" },
	func(c chance) string { return "cache-key-" + c.of(hex, 32) },
	func(c chance) string { return "key: " + c.of(hex, 32) + "\nmd5: " + c.of(hex, 32) },
	func(c chance) string { return "SK" + c.of(hex, 32) },
	func(c chance) string { return "stock keeping unit SK" + c.of(hex, 32) + ", CA" + c.of(hex, 32) },
	func(c chance) string { return c.of(digits, 35) },
	func(c chance) string { return c.of(digits, 9) + ":" + c.of(digits, 35) },
	func(c chance) string { return "pi = 3." + c.of(digits, 35) + " " + c.of(digits, 10) },
	func(c chance) string { return uuid(c) + " " + uuid(c) },
	func(c chance) string { return uuid(c) + "-" + uuid(c) + ":" + uuid(c) + "/" + uuid(c) },
	func(c chance) string { return c.of(hex, 32) + "-" + c.of(hex, 8) + "-" + c.of(hex, 8) },
	func(c chance) string { return strings.ReplaceAll(uuid(c), "-", "") + "-" + uuid(c) },
	func(c chance) string { return "https://host/x?sig=" + c.of(alnum, 43) + "%3D" },
	func(c chance) string { return "sig=" + c.of(base64, 43) + "= over the manifest" },
	func(c chance) string {
		return "id " + uuid(c) + "\nrequest_id=" + uuid(c) + " trace_id: " + c.of(hex, 32)
	},
	func(c chance) string {
		return "commit " + c.of(hex, 40) + "\nfixed in " + c.of(hex, 12) + ", reverted by " + c.of(hex, 7)
	},
	func(c chance) string {
		return c.of(hex, 64) + "  blue_linux_amd64.tar.gz\n" + c.of(hex, 128) + "  SBOM"
	},
	func(c chance) string { return "image: registry.internal/app@sha256:" + c.of(hex, 64) },
	func(c chance) string { return "![logo](data:image/png;base64,iVBORw0KGgo" + c.of(base64, 1500) + "==)" },
	func(c chance) string { return "data:image/jpeg;base64,/9j/4AAQ" + c.of(base64, 1200) },
	func(c chance) string {
		return "golang.org/x/crypto v0.41.0 h1:" + c.of(base64, 43) + "=\ngolang.org/x/crypto v0.41.0/go.mod h1:" + c.of(base64, 43) + "="
	},
	func(c chance) string {
		return "\"node_modules/js-tokens\": {\n  \"version\": \"4.0.0\",\n  \"resolved\": \"https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz\",\n  \"integrity\": \"sha512-" + c.of(base64, 86) + "==\",\n  \"license\": \"MIT\"\n}"
	},
	func(c chance) string {
		return "[[package]]\nname = \"secret-service\"\nversion = \"4.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"" + c.of(hex, 64) + "\""
	},
	func(c chance) string {
		return "js-tokens@^4.0.0:\n  version \"4.0.0\"\n  resolved \"https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#" + c.of(hex, 40) + "\"\n  integrity sha512-" + c.of(base64, 86) + "=="
	},
	func(c chance) string { return "passlib==1.7.4 \\\n    --hash=sha256:" + c.of(hex, 64) },
	func(c chance) string {
		return "The password has at least 12 characters and 2 digits; the token expires after 3600 s."
	},
	func(c chance) string {
		return fmt.Sprintf("Rotate the API key every %d days. The secret is in the vault at secret/data/app-%d.", c.IntN(90), c.IntN(9))
	},
	func(c chance) string {
		return "password: see 1Password, item db-prod-2\ntoken: read from ~/.config/blue/token"
	},
	func(c chance) string {
		return "- `--token`: the token of the server (default: $BLUE_TOKEN)\n- `--password PASSWORD`"
	},
	func(c chance) string {
		return "DB_PASSWORD=changeme\nAPI_KEY=your-api-key-here\nSECRET_KEY=<secret>\nTOKEN=${TOKEN}"
	},
	func(c chance) string {
		return "password: \"{{ .Values.db.password }}\"\napiKey: !Ref ApiKey2\nsecret: $(DB_SECRET)"
	},
	func(c chance) string {
		return "secretName: tls-cert-2024\nsecretKeyRef: {name: app-v2, key: db-password}\nsecret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC1d2"
	},
	func(c chance) string {
		return "| token | string | a bearer token, 43 characters |\n| password | string | argon2id |"
	},
	func(c chance) string {
		return "max_tokens: 4096\ntoken_count=123456\ntokens: 2000\nprimary_key: user_id_2\nsort_key=2024-01-02T03:04:05Z"
	},
	func(c chance) string {
		return "if password := os.Getenv(\"DB_PASSWORD\"); password == \"\" {\n\ttoken = newToken2(32)\n\tsecret := cfg.Auth2.Secret\n}"
	},
	func(c chance) string {
		return "next_page_token: " + c.of(base64, 40) + "\ncsrf_token=" + c.of(alnum, 32)
	},
	func(c chance) string {
		return "public_key: " + c.of(base64, 43) + "=\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + c.of(base64, 43) + " me@host"
	},
	func(c chance) string { return "idempotency_key: " + uuid(c) + "\ncache_key=" + c.of(hex, 40) },
	func(c chance) string {
		return "Authorization: Bearer <token>\ncurl -u \"$USER:$PASSWORD\" -H 'X-Api-Key: YOUR_API_KEY' https://host"
	},
	func(c chance) string {
		return "curl -u user:password https://host && mysql -u root -p shop && docker login -u ci --password-stdin"
	},
	func(c chance) string {
		return "etag: W/\"" + c.of(hex, 32) + "\"\nContent-MD5: " + c.of(base64, 22) + "=="
	},
	func(c chance) string {
		return b64.StdEncoding.EncodeToString([]byte("the quick brown fox jumps over the lazy dog 12 times"))
	},
	func(c chance) string {
		return "https://www.example.com/p/" + c.of(safe, 22) + "?utm_source=" + c.of(lower, 8) + "&fbclid=" + c.of(safe, 61)
	},
	func(c chance) string {
		return block("CERTIFICATE", lines(c, 12)) + "\n" + block("PUBLIC KEY", lines(c, 4))
	},
	func(c chance) string {
		return "task-" + c.of(hex, 32) + " disk-" + c.of(hex, 64) + " pod/app-" + c.of(lower+digits, 10)
	},
	func(c chance) string {
		return "00-" + c.of(hex, 32) + "-" + c.of(hex, 16) + "-01\nx-request-id: " + uuid(c)
	},
	func(c chance) string {
		return "kind: Secret\nmetadata:\n  name: db-2024\ntype: Opaque\ndata:\n  password: <base64 of the password>"
	},
	func(c chance) string {
		return "machine host login USER password PASSWORD\npostgres://postgres:postgres@localhost:5432/app"
	},
	func(c chance) string {
		return "C:\\new\\table\\users 100%25 of caf\u00e9\u2014na\u00efve \u00ad soft\u00adhyphen \uff28\uff45\uff4c\uff4c\uff4f"
	},
	func(c chance) string {
		var words strings.Builder
		for range 60 {
			words.WriteString("w" + c.of(hex, 4) + " ")
		}
		return words.String()
	},
	func(c chance) string {
		return "Q: where is the password? A: " + c.of(lower, 6) + " keeps it; ask for access."
	},
}

// No text of 1,000 that only looks like a secret is refused.
func TestCleanTextsPass(t *testing.T) {
	c, texts, refused := seeded(2), 0, 0
	for texts < 1000 {
		for n, text := range harmless {
			text := fmt.Sprintf(around[c.IntN(2)], text(c))
			texts++
			if found := screen.Secrets(text); len(found) > 0 {
				refused++
				t.Errorf("text %d is refused: %v in\n%s", n, found, text)
			}
		}
	}
	t.Logf("%d of %d clean texts refused", refused, texts)
}

// What documentation says of such secrets is none.
func TestDocumentationPasses(t *testing.T) {
	for _, text := range []string{
		"The password is required, the password is stored as bcrypt2 hash, and the password is at least 12 characters long.",
		"| user | password | note |\n|---|---|---|\n| admin | see the vault | since 2024-01-01 |\n| ci | rotated in v1.2.3 | |",
		"| option | password | default |\n|---|---|---|\n| --user | `$DB_PASSWORD` | none |",
		"name,password,role\njoe,changeme,admin\nann,<password>,dev\n",
		"The seed phrase has twelve words, which the wallet shows once and never again, so write them down before you close that window.",
		"The recovery key is kept in the safe; recovery codes: 10 of them, each used once.",
		"CREATE USER app IDENTIFIED BY 'password1'; ALTER USER app IDENTIFIED BY '${APP_PASSWORD}';",
		"Cookie: theme=dark; sessionid=<id>; a session cookie is sent with each request.",
		"Use an app password: this must have been made before, as in `app password is here they said`?",
		"login: see docs / onboarding-2024 and credentials are in the vault / team-shop.",
		`{"type": "random_pet", "result": "clever-otter"} {"d": "M10 20 L30 40", "k": "v"}`,
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
		"$ANSIBLE_VAULT;1.1;AES256 begins a file, ConvertTo-SecureString takes -AsPlainText, snmp-server community public RO",
		"feature_key_d41d8cd98f00b204e9800998ecf8427e and snapshot_prod_20260101_1200_of_the_database",
		"otpauth://totp/Example:alice?secret=<secret>&issuer=Example and -storepass <password> or --passphrase $PASS",
		"The key fingerprint is SHA256:" + seeded(3).of(base64, 43) + " and the public key " + seeded(4).of(base64, 43) + "=, not the secret one.",
		"| token | commit | key |\n|---|---|---|\n| rotated | " + seeded(5).of(hex, 40) + " | see the vault |",
		"Fixed in GHSA-jq35-85cj-fj4p: the password of keys with HS256 HS384 HS512 ES256 was logged, e.g. wcBMA37rwGt6FS1VAQgAk1q8XQh6yc...",
		"The seed of these generators comes first, then many other words follow with more small words, just like this one here.",
		"echo 'root:password' | chpasswd, ldapsearch -w secret, smbclient -U 'joe%password'",
	} {
		if found := screen.Secrets(text); len(found) > 0 {
			t.Errorf("%v in %q", found, text)
		}
	}
}
