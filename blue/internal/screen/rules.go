package screen

import (
	"regexp"
	"strings"
	"sync"
)

// rule finds one form of one kind of secret. A literal of it is searched first,
// which costs little in clean text; only around a literal does the pattern run.
type rule struct {
	name     string
	literals []string // one of them stands in every match: at its start, unless there is a lead
	lead     lead     // what stands between the start of a match and the literal
	reach    int      // bytes from the literal on that the pattern may look at
	pattern  pattern  // anchored at the start; its group is the secret part, without a group all is
}

// lead describes characters of a class, at least so many; without a class there
// are none.
type lead struct {
	class func(byte) bool
	least int
}

const (
	near    = 1 << 10  // reach of a token
	far     = 16 << 10 // reach of what may be long
	maxLead = 64
)

// rules is the table of reliability.md section 8. Each row is anchored on the
// form that the vendor fixed: prefix, alphabet, length.
var rules = []rule{
	{"private-key", []string{"-----BEGIN "}, lead{}, far, keyBlock},
	row("age-secret-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", `([0-9A-Z]{58,})`),
	row("aws-access-key-id", "AKIA ASIA ABIA ACCA", `([0-9A-Z]{16})`),
	row("google-api-key", "AIza", `([0-9A-Za-z_-]{35})`),
	row("google-service-account", "private_key_id", `\\?"\s*:\s*\\?"([0-9a-f]{40})`),
	row("google-oauth-secret", "GOCSPX-", `([0-9A-Za-z_-]{28})`),
	row("azure-storage-key", "AccountKey= SharedAccessKey=", `([0-9A-Za-z+/]{86}==|[0-9A-Za-z+/]{43}=)`),
	row("azure-sas", "sig=", `((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	row("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `([0-9A-Za-z]{36,})`),
	row("github-token", "github_pat_", `([0-9A-Za-z_]{82})`),
	row("gitlab-token", "glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glimt- glagent- glsoat- glffct-", `([0-9A-Za-z_-]{20,})`),
	row("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", `([0-9A-Za-z-]{24,})`),
	row("slack-token", "xapp-", `([0-9]-[0-9A-Za-z-]{40,})`),
	row("slack-webhook", "hooks.slack.com/ hooks.slack-gov.com/", `services/T[0-9A-Z]{8,}/B[0-9A-Z]{8,}/([0-9A-Za-z]{20,})`),
	row("slack-webhook", "hooks.slack.com/ hooks.slack-gov.com/", `(?:workflows|triggers)/([0-9A-Za-z/]{40,})`),
	row("discord-webhook", "discord.com/api/ discordapp.com/api/", `(?:v[0-9]+/)?webhooks/[0-9]{17,20}/([0-9A-Za-z_-]{60,})`),
	led("discord-bot-token", ".", lead{urlSafe, 23}, `[MNO][0-9A-Za-z_-]{22,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38}`),
	led("telegram-bot-token", ":", lead{digit, 8}, `[0-9]{8,10}:([0-9A-Za-z_-]{35})`),
	row("stripe-live-key", "sk_live_ rk_live_", `([0-9A-Za-z]{16,})`),
	row("openai-key", "sk-", `([0-9A-Za-z]{48,})`),
	row("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", `([0-9A-Za-z_-]{40,})`),
	row("anthropic-key", "sk-ant-", `[a-z]+[0-9]{2}-([0-9A-Za-z_-]{32,})`),
	row("huggingface-token", "hf_ api_org_", `([0-9A-Za-z]{34})`),
	row("npm-token", "npm_", `([0-9A-Za-z]{36})`),
	row("pypi-token", "pypi-AgE", `([0-9A-Za-z_-]{50,})`),
	row("dockerhub-token", "dckr_pat_ dckr_oat_", `([0-9A-Za-z_-]{27,})`),
	row("sendgrid-key", "SG.", `([0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43})`),
	led("mailgun-key", "key-", lead{urlSafe, 0}, `key-([0-9a-z]{32})`),
	led("mailgun-key", "-", lead{hex, 32}, `[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}`),
	row("twilio-key", "SK", `([0-9a-f]{32})`),
	row("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", `([0-9A-Fa-f]{32})`),
	row("atlassian-token", "ATATT3 ATCTT3", `([0-9A-Za-z_-]{100,})(?:=[0-9A-F]{8})?`),
	row("atlassian-token", "ATBB", `([0-9A-Za-z]{32})`),
	row("linear-key", "lin_api_ lin_oauth_", `([0-9A-Za-z]{40,})`),
	row("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `([0-9a-f]{64})`),
	row("databricks-token", "dapi", `([0-9a-h]{32})(?:-[0-9])?`),
	row("vault-token", "hvs. hvb. hvr.", `([0-9A-Za-z_-]{24,})`),
	led("terraform-token", ".atlasv1.", lead{alnum, 14}, `[0-9A-Za-z]{14}\.atlasv1\.([0-9A-Za-z_=-]{60,})`),
	{"json-web-token", []string{"eyJ"}, lead{}, far, compile(`^eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}`)},
	led("url-password", "://", lead{scheme, 2}, `[a-zA-Z][0-9a-zA-Z+.-]+://[^\s:/?#@"'<>\\{}|\x60]*:([^\s/@"'<>\\{}|^\x60]+)@[0-9A-Za-z.:_\[\]-]+`),
}

// keyBlock is the first line of a private key in PEM, OpenSSH or PGP armour
// (RFC 7468, RFC 9580), then key material: that line alone is no secret. Between
// the lines may stand what quotes them in a program, in JSON, in a quotation.
var keyBlock = compile(`^-----BEGIN [0-9A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----` +
	`(?:` + gap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + gap + `([0-9A-Za-z+/]{40,}=*)` +
	`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)

const gap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// row makes a rule whose matches begin with one of the literals.
func row(name, literals, rest string) rule {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(literals), " ", "|")
	return rule{name, strings.Fields(literals), lead{}, near, compile(`^(?:` + quoted + `)` + rest)}
}

// led makes a rule whose literal stands within the match, after the lead.
func led(name, literal string, before lead, text string) rule {
	return rule{name, []string{literal}, before, near, compile(`^` + text)}
}

// pattern is compiled when it is first asked for: all of them take longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func compile(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// find appends the matches of r in text. Each literal is tried once in each run
// of token characters, and a lead never goes back over a literal that was tried:
// so no byte is looked at more than a fixed number of times.
func (r *rule) find(found []span, text string) []span {
	for _, literal := range r.literals {
		for from := 0; ; {
			i := strings.Index(text[from:], literal)
			if i < 0 {
				break
			}
			at := from + i
			start, end := r.match(text, from, at)
			if end > 0 {
				found = append(found, span{rule: r.name, start: start, end: end})
			}
			from = max(end, at+len(literal))
			for r.lead.class == nil && from < len(text) && urlSafe(text[from]) {
				from++
			}
		}
	}
	return found
}

// match tries r at the literal that begins at the byte at; the match may not
// begin before from. The end is 0 when there is none.
func (r *rule) match(text string, from, at int) (start, end int) {
	start = at
	for r.lead.class != nil && start > from && at-start < maxLead && r.lead.class(text[start-1]) {
		start--
	}
	if start < at && escaped(text, start) {
		start++
	}
	if at-start < r.lead.least || r.lead.class == nil && at > 0 && word(text[at-1]) && !escaped(text, at-1) {
		return 0, 0
	}
	window := text[start:min(len(text), at+r.reach)]
	m := r.pattern().FindStringSubmatchIndex(window)
	if m == nil || m[1] < len(window) && word(window[m[1]]) {
		return 0, 0
	}
	secret := window[m[len(m)-2]:m[len(m)-1]]
	if placeholder(window[:m[1]], secret) {
		return 0, 0
	}
	return start, start + m[1]
}

// escaped reports whether the byte at i is the letter of an escape such as \n, and
// so no part of the word that follows.
func escaped(text string, i int) bool {
	return i > 0 && text[i-1] == '\\' && strings.IndexByte("nrt", text[i]) >= 0
}

func digit(c byte) bool   { return '0' <= c && c <= '9' }
func hex(c byte) bool     { return digit(c) || 'a' <= c && c <= 'f' }
func alnum(c byte) bool   { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
func word(c byte) bool    { return alnum(c) || c == '_' }
func urlSafe(c byte) bool { return word(c) || c == '-' }
func scheme(c byte) bool  { return alnum(c) || c == '+' || c == '.' || c == '-' }
