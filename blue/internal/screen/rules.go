package screen

import (
	"slices"
	"strings"
)

// rules is the table of what is refused. Each row is anchored on the form that the
// vendor fixed: prefix, alphabet, length. To add a kind, add a row (byPrefix
// when a match begins with its literal, byWord when a word on the line tells what it is,
// byInfix when the literal stands within the match) and a line to the kinds of the test.
var rules = slices.Concat(fileRules, cloudRules, forgeRules, modelRules, serviceRules, headerRules, []rule{namedRule})

// fileRules are secrets that are more than a token: keys in armour, hashes of
// passwords, the formats of programs that keep a password in a file.
var fileRules = []rule{
	{name: "private-key", literals: []string{"-----BEGIN "}, reach: longReach, pattern: privateKeyBlock},
	byPrefix("private-key", "Private-Lines:", ` [0-9]+\s+([0-9A-Za-z+/]{40,}=*)`), // of PuTTY
	byPrefix("age-secret-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", `([0-9A-Z]{58,})`),
	byPrefix("bitcoin-private-key", "xprv", `([1-9A-HJ-NP-Za-km-z]{107})`),
	byPrefix("password-hash", "$apr1$ $1$", `[0-9A-Za-z./]{1,8}\$([0-9A-Za-z./]{22})`),
	byPrefix("password-hash", "$2a$ $2b$ $2y$", `[0-9]{2}\$([0-9A-Za-z./]{53})`),
	byPrefix("password-hash", "$5$ $6$", `(?:rounds=[0-9]+\$)?[0-9A-Za-z./]{1,16}\$([0-9A-Za-z./]{43,86})`),
	byPrefix("password-hash", "$y$ $7$ $gy$", `[0-9A-Za-z./]+\$[0-9A-Za-z./]{4,}\$([0-9A-Za-z./]{43})`),
	byPrefix("password-hash", "$argon2id$ $argon2i$ $argon2d$", `v=[0-9]+\$[a-z0-9=,]+\$[0-9A-Za-z+/]{8,}\$([0-9A-Za-z+/]{20,})`),
	byPrefix("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$", `[0-9]+\$[0-9A-Za-z./]+\$([0-9A-Za-z+/]{27,}=)`),
	byPrefix("password-hash", "{SHA} {SSHA}", `([0-9A-Za-z+/]{27,}=)`),
	{name: "kubernetes-secret", literals: []string{"kind: Secret"}, reach: tokenReach, isSecret: isPackedSecret,
		pattern: lazyPattern(`^kind: Secret[ \t]*\r?\n(?s:.{0,800}?)\bdata:[ \t]*\r?\n(?s:.{0,200}?)[0-9A-Za-z._-]+:[ \t]+(?:[|>][+-]?\s+)?["']?([0-9A-Za-z+/]{8,}={0,2})`)},
	{name: "kubernetes-secret", literals: []string{"data:"}, reach: tokenReach, isSecret: isPackedSecret,
		pattern: lazyPattern(`^data:[ \t]*\r?\n[ \t]+[0-9A-Za-z._-]+:[ \t]+["']?([0-9A-Za-z+/]{8,}={0,2})["']?[ \t]*\r?\n(?:[ \t][^\n]*\n){0,20}?(?:(?:immutable|metadata)[^\n]*\n)?kind: Secret`)},
	byInfix("pgpass-password", ":5432:", lead{isHostChar, 1, maxLead}, `[0-9A-Za-z.*-]+:5432:[^\s:]+:[^\s:]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
	byPrefix("netrc-password", "machine", `\s+[0-9A-Za-z._-]+\s+login\s+[^\s]+\s+password\s+([^\s]{6,})`).unless(isWellKnown),
	byPrefix("docker-auth", `"auth":`, `\s*"([0-9A-Za-z+/]{12,}={0,2})"`).onlyIf(isBasicAuth),
	byPrefix("django-secret-key", "django-insecure-", `([!-&(-~]{40,})`),
}

// privateKeyBlock is the first line of a private key in PEM, OpenSSH or PGP armour
// (RFC 7468, RFC 9580), then key material: that line alone is no secret. Between
// the lines may stand what quotes them in a program, in JSON, in a quotation.
var privateKeyBlock = lazyPattern(`^-----BEGIN [0-9A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----` +
	`(?:` + quoteGap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + quoteGap + `([0-9A-Za-z+/]{40,}=*)` +
	`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)

const quoteGap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// headerRules are where a secret goes on a command line or in a request.
var headerRules = []rule{
	byInfix("url-password", "://", lead{isSchemeChar, 2, maxLead}, `[a-zA-Z][0-9a-zA-Z+.-]+://[^\s:/?#@"'<>\\{}|\x60]*:([^\s/@"'<>\\{}|^\x60]+)@[0-9A-Za-z.:_\[\]-]+`),
	byWord("authorization-header", "bearer", `["']?[ \t:=]+["']?(?:bearer\s+)?([0-9A-Za-z_.~+/=-]{16,})`).onlyIf(isRandom),
	byWord("authorization-header", "authorization", `["']?[ \t:=]+["']?(?:token|apikey|sso-key|key)[ \t=]+["']?([0-9A-Za-z_.~+/=:-]{16,})`).onlyIf(isRandom),
	byPrefix("authorization-header", "Basic basic", `[ \t]+([0-9A-Za-z+/_-]{12,}={0,2})`).onlyIf(isBasicAuth),
	byOption("command-password", "-u --user --auth --proxy-user -a", "curl curlie wget http httpie", `(?:-u\s*|--user[ =]|-a\s+|--auth[ =]|--proxy-user[ =])["']?[^\s:"'$<]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
	byOption("command-password", "-p", "sshpass mysql mysqldump mariadb", `-p ?["']?([^\s"'\x60]{8,})`).onlyIf(isLikelySecret),
	byOption("command-password", "-p -a", "docker podman helm redis-cli", `-[pa] +["']?([^\s"'\x60]{8,})`).onlyIf(isLikelySecret),
	byPrefix("azure-sas", "sv=1 sv=2", `[0-9.-]+&[^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	byPrefix("azure-sas", "SharedAccessSignature", `[ =][^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	{name: "json-web-token", literals: []string{"eyJ"}, reach: longReach, pattern: lazyPattern(`^eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}`)},
}

// namedRule is the one rule without a form of its own, see [findNamedValue].
var namedRule = rule{name: "named-secret", literals: strings.Fields("pass pwd secret token key credential _pat auth"), fold: true, reach: tokenReach, named: true}
