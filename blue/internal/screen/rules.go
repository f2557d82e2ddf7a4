package screen

import (
	_ "embed" // the table of rules
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// rules returns the rules for secrets. Each row of rules.txt is based on the form defined by the
// vendor: prefix, alphabet, length. To add a kind, add a line there, and one to the kinds of the
// test. The table is parsed on first use, because most commands screen nothing.
var rules = sync.OnceValue(func() []rule { return append(readTable(), privateKeyRule, kubernetesRule, namedRule) })

//go:embed rules.txt
var table string

// readTable parses rules.txt, whose fields are separated by tabs.
func readTable() (all []rule) {
	for line := range strings.Lines(table) {
		if fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(fields) > 2 { // otherwise a comment
			all = append(all, readRule(append(fields, "", "")))
		}
	}
	return all
}

func readRule(fields []string) rule {
	r := rule{name: fields[0], literals: strings.Fields(fields[1]), reach: tokenReach, isSecret: secretTests[fields[3]]}
	if test, ok := strings.CutPrefix(fields[3], "!"); ok {
		r.isSecret = func(secret string) bool { return !secretTests[test](secret) }
	}
	literal := strings.ReplaceAll(regexp.QuoteMeta(fields[1]), " ", "|") + ")"
	start := "^(?:" + literal
	for form := range strings.FieldsSeq(fields[4]) {
		key, value, _ := strings.Cut(form, "=")
		list := strings.Split(value, ",")
		switch key {
		case "word":
			r.fold, start = true, "^(?i:"+literal
		case "lead":
			r.lead.class, start = leadClasses[list[0]], "^"
			r.lead.least, _ = strconv.Atoi(list[1])
			r.lead.most, _ = strconv.Atoi(list[2])
		case "command":
			r.commands, start = list, "^"
		case "near":
			r.beside = list
		case "words":
			r.words = true
		case "long":
			r.reach = longReach
		}
	}
	r.pattern = lazyPattern(start + fields[2])
	return r
}

// The tests of secret parts and the classes of leads, by their names in rules.txt.
var (
	secretTests = map[string]secretTest{
		"basic-auth": isBasicAuth, "digit": hasDigit, "groups": isGroups, "hex": isHexOnly, "known": isWellKnown, "likely": isLikelySecret,
		"mixed": isMixed, "packed": isPackedSecret, "random": isRandom, "varied": isVaried, "vendor": isVendorToken,
	}
	leadClasses = map[string]func(byte) bool{
		"alnum": isAlnum, "azure": isAzureChar, "digit": isDigit, "hash": isHashChar, "hex": isHex, "host": isHostChar, "scheme": isSchemeChar, "url": isURLSafe,
	}
)

// privateKeyRule finds the first line of a private key in PEM, OpenSSH or PGP armour (RFC 7468, RFC
// 9580), followed by key material: that line alone is not a secret. The lines may be quoted as in a
// program, in JSON or in a quotation.
var privateKeyRule = rule{name: "private-key", literals: []string{"-----BEGIN ", "---- BEGIN "}, reach: longReach,
	pattern: lazyPattern(`^-{4,5} ?BEGIN [0-9A-Za-z -]{0,24}(?i:PRIVATE|STATIC|SERVER|CLIENT|SECRET) (?i:KEY)(?: BLOCK| V[0-9])? ?-{4,5}` +
		`(?:` + quoteGap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + quoteGap + `([0-9A-Za-z+/]{32,}=*)` +
		`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)}

const quoteGap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// kubernetesRule finds the first value of a Kubernetes Secret.
var kubernetesRule = rule{name: "kubernetes-secret", literals: []string{"kind: Secret"}, reach: tokenReach, isSecret: isPackedSecret,
	pattern: lazyPattern(`^kind: Secret[ \t]*\r?\n(?s:.{0,800}?)\bdata:[ \t]*\r?\n(?s:.{0,200}?)[0-9A-Za-z._-]+:[ \t]+(?:[|>][+-]?\s+)?["']?([0-9A-Za-z+/]{8,}={0,2})`)}

// vendorRule is the rule for tokens of a form that many vendors share.
const vendorRule = "vendor-token"

// namedRule is the only rule without a form of its own; see [findNamedValue]. A literal that begins
// with another one must precede it.
var namedRule = rule{name: "named-secret", literals: strings.Fields("passe pass pwd pw psk contraseña contrasena kennwort clave senha wachtwoord hasło heslo lösenord passord adgangskode salasana jelszó şifre parola пароль Пароль 密码 口令 密碼 パスワード 비밀번호 secret token key credential _pat auth priv"), fold: true, reach: tokenReach, named: true}

// rule finds one form of one kind of secret. Its literals are searched first, which is cheap in
// clean text; the pattern runs only around a literal.
type rule struct {
	name     string
	literals []string   // one of them is in every match: at its start, unless there is a lead
	fold     bool       // literals match regardless of case
	lead     lead       // text between the start of a match and the literal
	reach    int        // number of bytes from the literal that the pattern may look at
	pattern  pattern    // anchored at the start; its last group is the secret part, without a group the whole match
	isSecret secretTest // further test of the secret part; may be nil
	named    bool       // the literal ends a name, and the secret is the value after it
	words    bool       // the secret part is made of words, which are not a placeholder here
	beside   []string   // one of them must be in the text before the literal; may be nil
	commands []string   // one of them must be on the line before the literal; may be nil
}

// secretTest reports whether the secret part of a match is a secret.
type secretTest func(secret string) bool

// lead describes a sequence of characters of a class with minimum and maximum length. Without a
// class it is empty.
type lead struct {
	class       func(byte) bool
	least, most int
}

// pattern compiles a regular expression on first use: compiling all of them takes longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func lazyPattern(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
