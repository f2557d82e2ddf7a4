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
	fold     bool     // capital letters in a literal do not count
	lead     lead     // what stands between the start of a match and the literal
	reach    int      // bytes from the literal on that the pattern may look at
	pattern  pattern  // anchored at the start; its group is the secret part, without a group all is
	judge    judge    // what a pattern cannot say of the secret part; nil when there is nothing
	named    bool     // the literal ends a name, and the secret is the value after it
}

// judge reports whether the secret part of a match is one.
type judge func(secret string) bool

// lead describes characters of a class, so many at least and at most; without a
// class there are none.
type lead struct {
	class       func(byte) bool
	least, most int
}

const (
	near    = 1 << 10  // reach of a token
	far     = 16 << 10 // reach of what may be long
	maxLead = 64
)

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// rules is the table of what is refused. Each row is anchored on the form that the
// vendor fixed: prefix, alphabet, length. To add a kind, add a row (row when a
// match begins with its literal, beside when a word on the line tells what it is,
// led when the literal stands within the match) and a line to the kinds of the test.
var rules = merged(files, clouds, forges, models, services, headers, []rule{named})

// files are secrets that are more than a token: keys in armour, hashes of
// passwords, the formats of programs that keep a password in a file.
var files = []rule{
	{name: "private-key", literals: []string{"-----BEGIN "}, reach: far, pattern: keyBlock},
	{name: "private-key", literals: []string{"PuTTY-User-Key-File-"}, reach: 4 * near, pattern: compile(`^PuTTY-User-Key-File-(?s:.*?)Private-Lines: [0-9]+\s+([0-9A-Za-z+/]{40,}=*)`)},
	row("age-secret-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", `([0-9A-Z]{58,})`),
	row("bitcoin-private-key", "xprv", `([1-9A-HJ-NP-Za-km-z]{107})`),
	row("password-hash", "$apr1$ $1$", `[0-9A-Za-z./]{1,8}\$([0-9A-Za-z./]{22})`),
	row("password-hash", "$2a$ $2b$ $2y$", `[0-9]{2}\$([0-9A-Za-z./]{53})`),
	row("password-hash", "$5$ $6$", `(?:rounds=[0-9]+\$)?[0-9A-Za-z./]{1,16}\$([0-9A-Za-z./]{43,86})`),
	row("password-hash", "$y$ $7$ $gy$", `[0-9A-Za-z./]+\$[0-9A-Za-z./]{4,}\$([0-9A-Za-z./]{43})`),
	row("password-hash", "$argon2id$ $argon2i$ $argon2d$", `v=[0-9]+\$[a-z0-9=,]+\$[0-9A-Za-z+/]{8,}\$([0-9A-Za-z+/]{20,})`),
	row("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$", `[0-9]+\$[0-9A-Za-z./]+\$([0-9A-Za-z+/]{27,}=)`),
	row("password-hash", "{SHA} {SSHA}", `([0-9A-Za-z+/]{27,}=)`),
	{name: "kubernetes-secret", literals: []string{"kind: Secret"}, reach: near, judge: packedSecret,
		pattern: compile(`^kind: Secret[ \t]*\r?\n(?s:.{0,800}?)\bdata:[ \t]*\r?\n(?s:.{0,200}?)[0-9A-Za-z._-]+:[ \t]+(?:[|>][+-]?\s+)?["']?([0-9A-Za-z+/]{8,}={0,2})`)},
	{name: "kubernetes-secret", literals: []string{"data:"}, reach: near, judge: packedSecret,
		pattern: compile(`^data:[ \t]*\r?\n[ \t]+[0-9A-Za-z._-]+:[ \t]+["']?([0-9A-Za-z+/]{8,}={0,2})["']?[ \t]*\r?\n(?:[ \t][^\n]*\n){0,20}?(?:(?:immutable|metadata)[^\n]*\n)?kind: Secret`)},
	led("pgpass-password", ":5432:", lead{hostname, 1, maxLead}, `[0-9A-Za-z.*-]+:5432:[^\s:]+:[^\s:]+:([^\s"'\x60]{6,})`).unless(wellKnown),
	row("netrc-password", "machine", `\s+[0-9A-Za-z._-]+\s+login\s+[^\s]+\s+password\s+([^\s]{6,})`).unless(wellKnown),
	row("docker-auth", `"auth":`, `\s*"([0-9A-Za-z+/]{12,}={0,2})"`).only(basicSecret),
	row("django-secret-key", "django-insecure-", `([!-&(-~]{40,})`),
}

// keyBlock is the first line of a private key in PEM, OpenSSH or PGP armour
// (RFC 7468, RFC 9580), then key material: that line alone is no secret. Between
// the lines may stand what quotes them in a program, in JSON, in a quotation.
var keyBlock = compile(`^-----BEGIN [0-9A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----` +
	`(?:` + gap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + gap + `([0-9A-Za-z+/]{40,}=*)` +
	`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)

const gap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// headers are where a secret goes on a command line or in a request.
var headers = []rule{
	led("url-password", "://", lead{scheme, 2, maxLead}, `[a-zA-Z][0-9a-zA-Z+.-]+://[^\s:/?#@"'<>\\{}|\x60]*:([^\s/@"'<>\\{}|^\x60]+)@[0-9A-Za-z.:_\[\]-]+`),
	beside("authorization-header", "bearer", `["']?[ \t:=]+["']?(?:bearer\s+)?([0-9A-Za-z_.~+/=-]{16,})`).only(random),
	beside("authorization-header", "authorization", `["']?[ \t:=]+["']?(?:token|apikey|sso-key|key)[ \t=]+["']?([0-9A-Za-z_.~+/=:-]{16,})`).only(random),
	row("authorization-header", "Basic basic", `[ \t]+([0-9A-Za-z+/_-]{12,}={0,2})`).only(basicSecret),
	row("command-password", "curl wget http", `(?:ie)?\s(?:(?:[^\n]|\\\r?\n)*?\s)??(?:-u\s*|--user[ =]|-a\s+|--auth[ =]|--proxy-user[ =])["']?[^\s:"'$<]+:([^\s"'\x60]{6,})`).unless(wellKnown),
	row("command-password", "sshpass mysql mysqldump mariadb", `\s+(?:[^\n]*?\s)??-p ?["']?([^\s"'\x60]{8,})`).only(likely),
	row("command-password", "docker podman helm redis-cli", `\s+(?:[^\n]*?\s)??(?:-p|-a) +["']?([^\s"'\x60]{8,})`).only(likely),
	row("azure-sas", "sv=1 sv=2", `[0-9.-]+&[^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	row("azure-sas", "SharedAccessSignature", `[ =][^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	{name: "json-web-token", literals: []string{"eyJ"}, reach: far, pattern: compile(`^eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}`)},
}

// named is the one rule without a form of its own, see [valueAfter].
var named = rule{name: "named-secret", literals: strings.Fields("pass pwd secret token key credential _pat auth"), fold: true, reach: near, named: true}

// row makes a rule whose matches begin with one of the literals.
func row(name, literals, rest string) rule {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(literals), " ", "|")
	return rule{name: name, literals: strings.Fields(literals), reach: near, pattern: compile(`^(?:` + quoted + `)` + rest)}
}

// beside makes a rule for a secret that only a word before it, on its line, tells
// from an id or a checksum.
func beside(name, word, rest string) rule {
	return rule{name: name, literals: []string{word}, fold: true, reach: near, pattern: compile(`^(?i:` + word + `)` + rest)}
}

// led makes a rule whose literal stands within the match, after the lead.
func led(name, literal string, before lead, text string) rule {
	return rule{name: name, literals: []string{literal}, lead: before, reach: near, pattern: compile(`^` + text)}
}

// only adds to a rule what its secret part must be.
func (r rule) only(is judge) rule {
	r.judge = is
	return r
}

// unless adds to a rule what its secret part must not be.
func (r rule) unless(is judge) rule {
	return r.only(func(secret string) bool { return !is(secret) })
}

func merged(tables ...[]rule) (all []rule) {
	for _, table := range tables {
		all = append(all, table...)
	}
	return all
}

// pattern is compiled when it is first asked for: all of them take longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func compile(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
