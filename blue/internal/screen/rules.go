package screen

import (
	_ "embed" // the table of prefixes
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rules is the table of what is refused. Each row is anchored on the form that the
// vendor fixed: prefix, alphabet, length. To add a kind, add a line to prefixes.txt
// when a match begins with its literal, or a row here (byWord when a word on the line tells what
// it is, byInfix when the literal stands within the match), and a line to the kinds of the test.
// It is built when it is first asked for: most commands screen nothing.
var rules = sync.OnceValue(func() []rule {
	return slices.Concat(readPrefixes(), fileRules(), tokenRules(), headerRules(), []rule{namedRule})
})

// prefixes has a line for each kind of secret that begins with a fixed prefix: the rule, the
// prefixes, the pattern of the rest, and the key of a test if there is one, between tabs.
//
//go:embed prefixes.txt
var prefixes string

func readPrefixes() (all []rule) {
	tests := map[string]secretTest{"basic-auth": isBasicAuth, "digit": hasDigit, "likely": isLikelySecret, "mixed": isMixed, "random": isRandom, "varied": isVaried}
	for line := range strings.Lines(prefixes) {
		if fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(fields) > 2 {
			all = append(all, byPrefix(fields[0], fields[1], fields[2]).onlyIf(tests[strings.Join(fields[3:], "")]))
		}
	}
	return all
}

// fileRules are secrets that are more than a token: keys in armour, the formats of programs that
// keep a password in a file.
func fileRules() []rule {
	return []rule{
		byPrefix("private-key", "<D> <P> <InverseQ>", `\s*([0-9A-Za-z+/]{20,}=*)`).near("RSAKeyValue"),
		byWord("recovery-code", "recovery backup", `\s(?i:codes?)`+listGap+`([0-9a-z]{4,5}-[0-9a-z]{4,5}(?:[\s,>*-]+[0-9a-z]{4,5}-[0-9a-z]{4,5})+)\b`).onlyIf(hasDigit),
		byWord("recovery-code", "recovery", `[ -]?(?i:key)`+listGap+`((?:[0-9A-Za-z]{4}[ -]){5,13}[0-9A-Za-z]{2,4})\b`).onlyIf(hasDigit),
		byWord("app-password", "app", `(?i:lication)?[ -](?i:specific )?(?i:passwords?)[^\n]{0,40}?(?:is|[:=\x60])\s*["'\x60]?((?:[0-9A-Za-z]{4}[ -]){3,5}[0-9A-Za-z]{4})\b`).onlyIf(isGroups).ofWords(),
		{name: "private-key", literals: []string{"-----BEGIN ", "---- BEGIN "}, reach: longReach, pattern: privateKeyBlock},
		byPrefix("private-key", "MII", derKey),
		byWord("private-key", "_key keypair solana", `[^\n\[]{0,80}\[((?:\s*[0-9]{1,3}\s*,){15,63}\s*[0-9]{1,3}\s*)\]`),
		{name: "kubernetes-secret", literals: []string{"kind: Secret"}, reach: tokenReach, isSecret: isPackedSecret,
			pattern: lazyPattern(`^kind: Secret[ \t]*\r?\n(?s:.{0,800}?)\bdata:[ \t]*\r?\n(?s:.{0,200}?)[0-9A-Za-z._-]+:[ \t]+(?:[|>][+-]?\s+)?["']?([0-9A-Za-z+/]{8,}={0,2})`)},
		{name: "kubernetes-secret", literals: []string{"data:"}, reach: tokenReach, isSecret: isPackedSecret,
			pattern: lazyPattern(`^data:[ \t]*\r?\n[ \t]+[0-9A-Za-z._-]+:[ \t]+["']?([0-9A-Za-z+/]{8,}={0,2})["']?[ \t]*\r?\n(?:[ \t][^\n]*\n){0,20}?(?:(?:immutable|metadata)[^\n]*\n)?kind: Secret`)},
		byInfix("pgpass-password", ":5432:", lead{isHostChar, 1, maxLead}, `[0-9A-Za-z.*-]+:5432:[^\s:]+:[^\s:]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
		byInfix("password-hash", ":::", lead{isHashChar, 65, 65}, `[0-9A-Fa-f]{32}:([0-9A-Fa-f]{32}):::`),
		byPrefix("terraform-state", `"result" "bcrypt_hash"`, `\s*:\s*"([^"\s]{8,})"`).onlyIf(isLikelySecret).near("random_password", "random_string"),
		byWord("kubernetes-secret", "token", `[ \t=:]+["']?([0-9a-z]{6}\.[0-9a-z]{16})\b`).onlyIf(hasDigit),
	}
}

// privateKeyBlock is the first line of a private key in PEM, OpenSSH or PGP armour
// (RFC 7468, RFC 9580), then key material: that line alone is no secret. Between
// the lines may stand what quotes them in a program, in JSON, in a quotation.
var privateKeyBlock = lazyPattern(`^-{4,5} ?BEGIN [0-9A-Za-z -]{0,24}(?i:PRIVATE|STATIC|SERVER|CLIENT|SECRET) (?i:KEY)(?: BLOCK| V[0-9])? ?-{4,5}` +
	`(?:` + quoteGap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + quoteGap + `([0-9A-Za-z+/]{32,}=*)` +
	`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)

// listGap is what stands between a name and what is given for it, on its line or the next.
const listGap = `[^:=\n]{0,40}?(?:[:=]|\bis\b)[\s"'\x60>*-]{0,12}(?:[0-9]{1,2}[.)]\s)?`

const quoteGap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// derKey is the rest of a private key in base64 without armour: PKCS #8 and PKCS #1.
const derKey = `(?:[0-9A-Za-z+/]{3}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAzCC|IBAAKC)|[0-9A-Za-z+/]{2}AgEAMBMGByqGSM49)([0-9A-Za-z+/]{40,}=*)`

// vendorRule is the rule of tokens whose form many vendors share.
const vendorRule = "vendor-token"

// tokenRules are tokens that do not begin with a fixed prefix.
func tokenRules() []rule {
	return []rule{
		byInfix("azure-client-secret", "Q~", lead{isAzureChar, 4, 4}, `[0-9A-Za-z_.~-]{3}[0-9]Q~([0-9A-Za-z_.~-]{31,34})`),
		byInfix("azure-key", "JQQJ99", lead{isAlnum, 52, 52}, `([0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{26})`),
		byWord("cloudflare-token", "cloudflared", `[^\n]{0,60}?\b(eyJ[0-9A-Za-z_-]{100,}={0,2})`),
		byInfix("terraform-token", ".atlasv1.", lead{isAlnum, 14, 14}, `[0-9A-Za-z]{14}\.atlasv1\.([0-9A-Za-z_=-]{60,})`),
		byInfix("new-relic-key", "NRAL", lead{isAlnum, 36, 36}, `([0-9a-z]{36}NRAL)`),
		{name: vendorRule, literals: strings.Fields("_key_ _live_ _prod_ _secret_ _sk_ _token_"), lead: lead{isAlnum, 2, 16}, reach: tokenReach, isSecret: isVendorToken,
			pattern: lazyPattern(`^[0-9A-Za-z]{2,16}_[a-z]{2,6}_([0-9A-Za-z]{20,})`)},
		byInfix("discord-bot-token", ".", lead{isURLSafe, 23, maxLead}, `[0-9A-Za-z_-]*?[MNO][0-9A-Za-z_-]{22,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38}`),
		byInfix("telegram-bot-token", ":A", lead{isDigit, 8, 10}, `[0-9]{8,10}:(A[0-9A-Za-z_-]{34})`),
		byInfix("facebook-token", "|", lead{isDigit, 15, 16}, `[0-9]{15,16}\|([0-9A-Za-z_-]{27})`),
		byInfix("mailgun-key", "key-", lead{isURLSafe, 0, maxLead}, `key-([0-9a-z]{32})`).unless(isHexOnly),
		byWord("mailgun-key", "mailgun", `[^\n]{0,80}?\b((?:key-)?[0-9a-f]{32}(?:-[0-9a-f]{8}-[0-9a-f]{8})?)\b`),
		byInfix("mailchimp-key", "-us", lead{isHex, 32, 32}, `([0-9a-f]{32})-us[0-9]{1,2}`),
		byWord("twilio-key", "twilio", `[^\n]{0,80}?\b((?:SK)?[0-9a-f]{32})\b`),
	}
}

// headerRules are where a secret goes on a command line or in a request.
func headerRules() []rule {
	return []rule{
		byWord("stated-password", "credentials login", `[^\n:]{0,40}:?\s+[^\s/:]{2,40} / ([^\s]{8,})`).onlyIf(isLikelySecret),
		byOption("command-password", "-U --user", "smbclient rpcclient net", `(?:-U\s*|--user[ =])["']?[^\s%"']+%([^\s"']{6,})`).unless(isWellKnown),
		byOption("command-password", "-passin -passout", "openssl", `-pass(?:in|out) +["']?pass:([^\s"'\x60]{6,})`).unless(isWellKnown),
		byPrefix("command-password", "echo", `\s+["']?[a-z_][0-9a-z_-]*:([^\s"']{6,})["']?\s*\|\s*(?:sudo\s+)?chpasswd`).unless(isWellKnown),
		byWord("session-cookie", "cookie", `:[^\n]{0,200}?\b(?i:sess(?:ion)?[_-]?(?:id)?|sid|phpsessid|jsessionid|connect\.sid)=([0-9A-Za-z%._-]{20,})`).onlyIf(isRandom),
		byWord("named-secret", "encrypt", `["']?[ \t]*[:=][ \t]*["']([0-9A-Za-z+/]{22,43}={1,2})["']`).onlyIf(isRandom),
		byInfix("url-password", "://", lead{isSchemeChar, 2, maxLead}, `[a-zA-Z][0-9a-zA-Z+.-]+://[^\s:/?#@"'<>\\{}|\x60]*:([^\s/@"'<>\\{}|^\x60]+)@[0-9A-Za-z.:_\[\]-]+`),
		byWord("authorization-header", "bearer", `["']?[ \t:=]+["']?(?:bearer\s+)?([0-9A-Za-z_.~+/=-]{16,})`).onlyIf(isRandom),
		byWord("authorization-header", "authorization", `["']?[ \t:=]+["']?(?i:token|apikey|api-key|apitoken|sso-key|key|bot)[ \t=]+["']?([0-9A-Za-z_.~+/=:-]{16,})`).onlyIf(isRandom),
		byWord("authorization-header", "authorization", `["']?[ \t:=]+["']?(?i:splunk|geniekey)[ \t]+(`+uuid+`)`),
		byOption("command-password", "-u --user --auth --proxy-user -a", "curl curlie wget http httpie", `(?:-u\s*|--user[ =]|-a\s+|--auth[ =]|--proxy-user[ =])["']?[^\s:"'$<]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
		byOption("command-password", "-p", "sshpass mysql mysqldump mariadb", `-p ?["']?([^\s"'\x60]{8,})`).onlyIf(isLikelySecret),
		byWord("session-cookie", "SAMLResponse", `=([0-9A-Za-z+/%=]{200,})`),
		byWord("signed-url", "signature=", `([0-9A-Za-z+/%_~-]{26,})`).onlyIf(isRandom).near("://"),
		byWord("azure-key", "devops", `[^\n]{0,80}?\b([2-7a-z]{52})\b`).onlyIf(hasDigit),
		{name: "json-web-token", literals: []string{"eyJ"}, reach: longReach, pattern: lazyPattern(`^eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*\.[0-9A-Za-z_-]{16}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]{22}`)},
		{name: "json-web-token", literals: []string{"eyJ"}, reach: longReach, pattern: lazyPattern(`^eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}`)},
	}
}

// namedRule is the one rule without a form of its own, see [findNamedValue]. A literal that
// begins with another one stands before it.
var namedRule = rule{name: "named-secret", literals: strings.Fields("passe pass pwd pw psk contraseña contrasena kennwort clave senha wachtwoord hasło heslo lösenord passord adgangskode salasana jelszó şifre parola пароль Пароль 密码 口令 密碼 パスワード 비밀번호 secret token key credential _pat auth priv"), fold: true, reach: tokenReach, named: true}

// rule finds one form of one kind of secret. A literal of it is searched first,
// which costs little in clean text; only around a literal does the pattern run.
type rule struct {
	name     string
	literals []string   // one of them stands in every match: at its start, unless there is a lead
	fold     bool       // capital letters in a literal do not count
	lead     lead       // what stands between the start of a match and the literal
	reach    int        // bytes from the literal on that the pattern may look at
	pattern  pattern    // anchored at the start; its group is the secret part, without a group all is
	isSecret secretTest // what a pattern cannot say of the secret part; nil when there is nothing
	named    bool       // the literal ends a name, and the secret is the value after it
	words    bool       // the secret part is made of words, which are no placeholder
	beside   []string   // one of them stands in the text before the literal; nil when none has to
	commands []string   // one of them stands before the literal on its line; nil when none has to
}

// secretTest reports whether the secret part of a match is one.
type secretTest func(secret string) bool

// lead describes characters of a class, so many at least and at most; without a
// class there are none.
type lead struct {
	class       func(byte) bool
	least, most int
}

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// byPrefix makes a rule whose matches begin with one of the literals.
func byPrefix(name, literals, rest string) rule {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(literals), " ", "|")
	return rule{name: name, literals: strings.Fields(literals), reach: tokenReach, pattern: lazyPattern(`^(?:` + quoted + `)` + rest)}
}

// byWord makes a rule for a secret that only one of several words before it, on its line, tells
// from an id or a checksum.
func byWord(name, words, rest string) rule {
	return rule{name: name, literals: strings.Fields(words), fold: true, reach: tokenReach, pattern: lazyPattern(`^(?i:` + strings.ReplaceAll(words, " ", "|") + `)` + rest)}
}

// byOption makes a rule for an option of one of the commands. The pattern runs where an
// option stands, not where a command does: from there it would look at the rest of the
// line again for each command on it.
func byOption(name, options, commands, text string) rule {
	return rule{name: name, literals: strings.Fields(options), reach: tokenReach, pattern: lazyPattern(`^` + text), commands: strings.Fields(commands)}
}

// byInfix makes a rule whose literal stands within the match, after the lead.
func byInfix(name, literal string, before lead, text string) rule {
	return rule{name: name, literals: []string{literal}, lead: before, reach: tokenReach, pattern: lazyPattern(`^` + text)}
}

// onlyIf adds to a rule what its secret part must be.
func (r rule) onlyIf(is secretTest) rule {
	r.isSecret = is
	return r
}

// near adds to a rule words of which one stands before its match.
func (r rule) near(words ...string) rule {
	r.beside = words
	return r
}

// ofWords lets the secret part of a rule be words.
func (r rule) ofWords() rule {
	r.words = true
	return r
}

// unless adds to a rule what its secret part must not be.
func (r rule) unless(is secretTest) rule {
	return r.onlyIf(func(secret string) bool { return !is(secret) })
}

// pattern is compiled when it is first asked for: all of them take longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func lazyPattern(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
