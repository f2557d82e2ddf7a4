package screen_test

import (
	b64 "encoding/base64"
	"fmt"
	"strings"
	"testing"

	"blue/blue/internal/screen"
)

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
