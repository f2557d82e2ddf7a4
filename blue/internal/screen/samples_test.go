package screen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Samples of every kind of secret, made at run time: no line of this file looks
// like one.

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = digits + lower + upper
	safe   = alnum + "-_"
	hex    = digits + "abcdef"
	base64 = alnum + "+/"
)

type chance struct{ *rand.Rand }

func seeded(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 26))} }

func (c chance) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[c.IntN(len(alphabet))]
	}
	return string(b)
}

// sample is one form of a secret: what it looks like, and what nearly does.
type sample struct {
	rule string
	hit  func(c chance) string
	near []func(c chance) string
}

// token is a form of a prefix and random characters, at least the fewest that
// the rule asks for. Its near misses: too short, another prefix, a foreign
// character within, crosses, a variable.
type token struct {
	rule, prefix, alphabet string
	least, more            int
	end                    string
}

func (f token) sample() sample {
	return sample{f.rule, func(c chance) string { return f.prefix + c.of(f.alphabet, f.least+c.IntN(f.more+1)) + f.end },
		[]func(c chance) string{
			func(c chance) string { return f.prefix + c.of(f.alphabet, f.least-1) + f.end },
			func(c chance) string { return "zz" + f.prefix[2:] + c.of(f.alphabet, f.least) + f.end },
			func(c chance) string {
				return f.prefix + c.of(f.alphabet, f.least/2) + "!" + c.of(f.alphabet, f.least-f.least/2) + f.end
			},
			func(c chance) string { return f.prefix + strings.Repeat("x", f.least) + f.end },
			func(c chance) string { return f.prefix + "${" + c.of(upper, f.least) + "}" + f.end },
		}}
}

// shape is a form that is more than a prefix, with its own near misses.
func shape(rule string, hit func(c chance) string, near ...func(c chance) string) sample {
	return sample{rule, hit, near}
}

var tokens = []token{
	{"age-secret-key", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 0, ""},
	{"aws-access-key-id", "AKIA", upper + "234567", 16, 0, ""},
	{"aws-access-key-id", "ASIA", upper + "234567", 16, 0, ""},
	{"google-api-key", "AIza", safe, 35, 0, ""},
	{"google-service-account", `private_key_id": "`, hex, 40, 0, `"`},
	{"google-oauth-secret", "GOCSPX-", safe, 28, 0, ""},
	{"github-token", "gh" + "p_", alnum, 36, 0, ""},
	{"github-token", "gh" + "s_", alnum, 36, 0, ""},
	{"github-token", "github_pat_", alnum, 82, 0, ""},
	{"gitlab-token", "glpat-", safe, 20, 7, ""},
	{"gitlab-token", "glrt-", safe, 20, 0, ""},
	{"slack-token", "xox" + "b-", digits, 24, 26, ""},
	{"slack-token", "xapp-1-", upper + digits, 40, 60, ""},
	{"slack-webhook", "hooks.slack.com/services/T0AB12CD3/B0AB12CD4/", alnum, 20, 4, ""},
	{"slack-webhook", "hooks.slack.com/workflows/", alnum, 40, 10, ""},
	{"discord-webhook", "discord.com/api/webhooks/112233445566778899/", safe, 60, 8, ""},
	{"stripe-live-key", "sk_" + "live_", alnum, 16, 90, ""},
	{"stripe-live-key", "rk_" + "live_", alnum, 16, 8, ""},
	{"openai-key", "sk-", alnum, 48, 0, ""},
	{"openai-key", "sk-proj-", safe, 40, 120, ""},
	{"anthropic-key", "sk-ant-api03-", safe, 32, 63, ""},
	{"huggingface-token", "hf_", lower + upper, 34, 0, ""},
	{"npm-token", "npm_", alnum, 36, 0, ""},
	{"pypi-token", "pypi-AgE", safe, 50, 110, ""},
	{"dockerhub-token", "dckr_pat_", safe, 27, 0, ""},
	{"sendgrid-key", "SG.Abc012Abc012Abc012Abc9.", safe, 43, 0, ""},
	{"mailgun-key", "key-", lower + digits, 32, 0, ""},
	{"twilio-key", "twilio: SK", hex, 32, 0, ""},
	{"shopify-token", "shpat_", hex, 32, 0, ""},
	{"shopify-token", "shpss_", hex, 32, 0, ""},
	{"atlassian-token", "ATATT3", safe, 100, 86, "=0A1B2C3D"},
	{"atlassian-token", "ATBB", alnum, 32, 0, ""},
	{"linear-key", "lin_api_", alnum, 40, 0, ""},
	{"digitalocean-token", "dop_v1_", hex, 64, 0, ""},
	{"databricks-token", "dapi", hex, 32, 0, ""},
	{"vault-token", "hvs.", safe, 24, 70, ""},
}

func samples() []sample {
	all := append(append(shapes(), urls()...), keys()...)
	for _, f := range tokens {
		all = append(all, f.sample())
	}
	for _, k := range kinds {
		all = append(all, k.sample())
	}
	for _, k := range slices.Concat(laterKinds, otherKinds) {
		if !slices.ContainsFunc(kinds, func(other kind) bool { return other.rule == k.rule }) {
			k.text = unmarked(k.text)
			all = append(all, k.sample())
		}
	}
	return all
}

func shapes() []sample {
	return []sample{
		shape("terraform-token",
			func(c chance) string { return c.of(alnum, 14) + ".atlasv1." + c.of(alnum, 67) },
			func(c chance) string { return c.of(alnum, 13) + ".atlasv1." + c.of(alnum, 67) },
			func(c chance) string { return c.of(alnum, 14) + ".atlas." + c.of(alnum, 67) },
			func(c chance) string { return c.of(alnum, 14) + ".atlasv2." + c.of(alnum, 67) },
			func(c chance) string { return c.of(alnum, 14) + ".atlasv1." + c.of(alnum, 30) },
			func(c chance) string { return c.of(alnum, 14) + ".atlasv1." + strings.Repeat("x", 67) }),
		shape("mailgun-key",
			func(c chance) string {
				return "mailgun " + c.of(hex, 32) + "-" + c.of(hex, 8) + "-" + c.of(hex, 8)
			},
			func(c chance) string { return c.of(hex, 31) + "-" + c.of(hex, 8) + "-" + c.of(hex, 8) },
			func(c chance) string { return c.of(hex, 32) + "-" + c.of(hex, 9) + "-" + c.of(hex, 8) },
			func(c chance) string { return c.of(hex, 32) + "-" + c.of(hex, 8) + "-" + c.of(hex, 7) },
			func(c chance) string { return "cache-key-" + c.of(hex, 32) },
			func(c chance) string {
				return c.of(hex, 8) + "-" + c.of(hex, 4) + "-4" + c.of(hex, 3) + "-a" + c.of(hex, 3) + "-" + c.of(hex, 12)
			}),
		shape("telegram-bot-token",
			func(c chance) string { return "bot1" + c.of(digits, 8) + ":AA" + c.of(safe, 32) + c.of(alnum, 1) },
			func(c chance) string { return "1" + c.of(digits, 5) + ":AA" + c.of(safe, 33) },
			func(c chance) string { return "1" + c.of(digits, 8) + ":AA" + c.of(safe, 30) },
			func(c chance) string { return "1" + c.of(digits, 8) + ":" + c.of(digits, 35) },
			func(c chance) string { return "1" + c.of(digits, 8) + "; AA" + c.of(safe, 33) },
			func(c chance) string { return "1" + c.of(digits, 8) + ":" + strings.Repeat("X", 35) }),
		shape("discord-bot-token",
			func(c chance) string { return "MT" + snowflake(c) + "." + c.of(safe, 6) + "." + c.of(safe, 38) },
			func(c chance) string { return "MT" + snowflake(c) + "." + c.of(safe, 7) + "." + c.of(safe, 38) },
			func(c chance) string { return "MT" + snowflake(c) + "." + c.of(safe, 6) + "." + c.of(safe, 20) },
			func(c chance) string { return "ZT" + snowflake(c) + "." + c.of(safe, 6) + "." + c.of(safe, 38) },
			func(c chance) string {
				return "ManagementInterfaceLoader.second.anotherVeryLongNameOfSomething"
			},
			func(c chance) string { return "MT" + snowflake(c) + "." + c.of(safe, 6) + "/" + c.of(safe, 38) }),
		shape("json-web-token",
			func(c chance) string {
				return "ey" + "J" + c.of(safe, 33) + ".eyJ" + c.of(safe, 80) + "." + c.of(safe, 43)
			},
			func(c chance) string { return "ey" + "J" + c.of(safe, 33) + ".eyJ" + c.of(safe, 80) },
			func(c chance) string { return "ey" + "J" + c.of(safe, 33) + ".eyJ" + c.of(safe, 80) + "." },
			func(c chance) string {
				return "ey" + "J" + c.of(safe, 33) + ".abc" + c.of(safe, 80) + "." + c.of(safe, 43)
			},
			func(c chance) string {
				return "ey" + "K" + c.of(safe, 33) + ".eyJ" + c.of(safe, 80) + "." + c.of(safe, 43)
			},
			func(c chance) string { return "ey" + "J<header>.eyJ<payload>." + c.of(safe, 43) }),
	}
}

func urls() []sample {
	return []sample{
		shape("url-password",
			func(c chance) string {
				return "postgres://app:" + c.of(alnum, 12) + "@db.internal:5432/prod?sslmode=require"
			},
			func(c chance) string { return "postgres://app@db.internal:5432/" + c.of(alnum, 12) },
			func(c chance) string { return "postgres://app:${PASSWORD}@db.internal:5432/prod" },
			func(c chance) string { return "postgres://app:<password>@db.internal/prod" },
			func(c chance) string { return "https://git.internal:8443/@scope/" + c.of(alnum, 12) },
			func(c chance) string { return "amqp://guest:guest@rabbit:5672" }),
		shape("url-password",
			func(c chance) string { return "redis://:" + c.of(alnum, 20) + "@cache-1" },
			func(c chance) string { return "redis://:xxxxxxxx@cache-1" },
			func(c chance) string { return "http://user:password@proxy.internal:3128" },
			func(c chance) string { return "mailto:someone@" + c.of(lower, 12) },
			func(c chance) string { return "mongodb+srv://my-user:my_password1@cluster0.abc.net" },
			func(c chance) string { return "mysql://root:$MYSQL_ROOT_PASSWORD@db" }),
	}
}

func keys() (all []sample) {
	for _, kind := range []string{"PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		all = append(all, shape("private-key",
			func(c chance) string { return block(kind, lines(c, 5)) },
			func(c chance) string { return block(kind, "...") },
			func(c chance) string { return block(kind, "<key>") },
			func(c chance) string { return block(kind, strings.Repeat("x", 64)) },
			func(c chance) string { return block(strings.Replace(kind, "PRIVATE", "PUBLIC", 1), lines(c, 5)) },
			func(c chance) string {
				return fmt.Sprintf("a file that begins with `-----BEGIN %s-----` is refused, see %s", kind, c.of(hex, 40))
			}))
	}
	return all
}

// snowflake returns the second to twenty-fourth character of a bot's id.
func snowflake(c chance) string { return c.of(alnum, 20) + c.of(digits, 4) }

func block(kind, body string) string {
	return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----"
}

func lines(c chance, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = c.of(base64, 64)
	}
	return strings.Join(all, "\n") + "\n" + c.of(base64, 21) + "="
}
