package screen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// namedRule is the general rule: a name that indicates a secret, and a value of sufficient entropy.
const namedRule = "named-secret"

// stems are the words in a name that may indicate a secret. A stem that begins with another one
// precedes it.
var stems = strings.Fields("passe pass pwd pw psk contraseña contrasena kennwort clave senha wachtwoord hasło heslo lösenord passord adgangskode salasana jelszó şifre parola пароль Пароль 密码 口令 密碼 パスワード 비밀번호 secret token key credential _pat auth priv")

// vagueStems indicate less than the word for a password does.
var vagueStems = strings.Fields("key token secret auth _pat priv credential")

// keyQualifiers precede the word "key" in names of secrets.
var keyQualifiers = strings.Fields("api app aws access account secret private auth encryption signing master admin service client " +
	"shared preshared session deploy license licence integration storage function cookie crypto webhook subscription ingest user server personal bot unseal decryption")

// harmlessWords precede tokens and keys that are public.
var harmlessWords = strings.Fields("public authenticity page next continuation continue cursor csrf xsrf idempotency sync pagination cancellation primary foreign " +
	"cache sort partition publishable object dedup unique index lookup hash message max min num total input output prompt completion no any")

// Between the stem of a name and the value stand the rest of the name and a gap.
var (
	restOfName = lazyPattern(`^((?i:(?:word|wort|wd|phrase|code)?(?:s|et)?(?:[ _.-]?(?:access[ _.-]?)?(?:key|value|string|text|base64|b64)(?:[_-]?base)?|[ _-]?[0-9]{1,2})?))(?:[^0-9A-Za-z]|$)`)
	// An assignment: a sign, quotes, markup, the argument of a call, a list of variables.
	assignment = lazyPattern(`^(?:["'\x60\])*_]{0,4}[ \t]{0,20}:?[ \t]{0,4}(?:&?(?:string|str|String)[ \t]*)?(?:=>|[?.|+]*=|:{1,3}=|==|->|[:|：])[ \t*]{0,20}|["'][ \t]+value=|["'\x60*_]{0,3}(?:[ \t][a-z][^<>\n]{0,60})?>\s{0,20}(?:<[A-Za-z]{1,20}>\s{0,20}){0,2}|["'],[ \t]*|\((?:["']|$)|["']?[ \t]*\r?\n[ \t-]*(?:"?value"?)[:=][ \t]*|["'] \{[^{}]{0,80}?default[ \t]*=[ \t]*)`)
	// A sentence that states the value.
	statement = lazyPattern(`^["'\x60*_]{0,3}(?:[ \t]+[^\s:=,;]+){0,6}?(?:[ \t]+(?:is|was|to|lautet|ist|est|es|é|è|jest|je|är|er|это)(?:[ \t]+now)?[ \t:]+|は[ \t]*|[ \t]+[^\s:=,;]+:[ \t]+)`)
	// Prose, a command line, a value on a line of its own.
	juxtaposition = lazyPattern(`^["'\x60*_]{0,3}(?:[ \t]+|[ \t]*[:=][ \t*|>+-]*\r?\n[ \t]*[>*-]?[ \t]*|[ \t]*\r?\n[ \t]*\r?\n[ \t]*)`)
)

// findValue returns the start and the end of the value of a name whose stem is at an offset. The end
// is 0 if the name or the value is not that of a secret.
func findValue(text string, at int, stem string) (start, end int) {
	after := at + len(stem)
	m := restOfName().FindStringSubmatchIndex(text[after:min(len(text), after+40)])
	if m == nil {
		return 0, 0
	}
	after += m[3]
	sure, ok := judgeName(text, at, strings.ToLower(stem))
	if !ok {
		return 0, 0
	}
	rest := text[after:min(len(text), after+reachAfter)]
	option := isOption(text, at)
	gap, set := findGap(rest, option, strings.Contains(text[max(0, at-60):at], "<"))
	if gap == "" || gap == ":" && at > 0 && text[at-1] == ':' { // part of a longer name
		return 0, 0
	}
	value, skip := readValue(rest[len(gap):])
	bare := startsWord(text, at) && (at == 0 || strings.IndexByte("_-.", text[at-1]) < 0)
	if bare && strings.EqualFold(text[at:after], "pass") && skip == 0 && !strings.Contains(gap, "=") {
		return 0, 0 // a test reports that it passed
	}
	vague := slices.Contains(vagueStems, strings.ToLower(stem))
	enough := isSpokenPassword
	switch {
	case !sure || vague && !set && skip == 0:
		enough = isRandom
	case vague:
		enough = isLikelySecret
	case set:
		enough = isPassword
	}
	if !enough(value) || isReference(value) {
		return 0, 0
	}
	start = after + len(gap) + skip
	return start, start + len(value)
}

// findGap returns the text between a name and its value: set is true if it says that the name has
// this value.
func findGap(rest string, option, markup bool) (gap string, set bool) {
	gap = assignment().FindString(rest)
	hasValue := !strings.HasPrefix(strings.TrimLeft(rest[len(gap):], "|>+-\r"), "\n")
	if gap != "" && hasValue && (markup || !strings.Contains(gap, ">") || strings.Contains(gap, "=>") || strings.Contains(gap, "->")) {
		return gap, !strings.Contains(gap, "|")
	}
	if gap = statement().FindString(rest); gap != "" {
		return gap, true
	}
	return juxtaposition().FindString(rest), option
}

// judgeName judges a name by its stem and the word before it: sure is true if the name indicates a
// secret by itself.
func judgeName(text string, at int, stem string) (sure, ok bool) {
	before := strings.TrimRight(strings.ToLower(text[max(0, at-24):at]), "_-. ")
	qualifier := before[strings.LastIndexFunc(before, func(r rune) bool { return r < 'a' || r > 'z' })+1:]
	ends := func(word string) bool { return strings.HasSuffix(qualifier, word) }
	if slices.ContainsFunc(harmlessWords, func(word string) bool { return qualifier == word || len(word) > 3 && ends(word) }) {
		return false, false
	}
	starts := startsWord(text, at) || text[at] < 'a' && text[at-1] >= 'a'
	switch stem {
	case "pass", "pw", "pwd":
		return true, starts || isAlnum(text[at-1]) && slices.Contains([]string{"by", "com", "tres", "sur"}, qualifier) == (stem == "pw") || isOption(text, at)
	case "key":
		if slices.ContainsFunc(keyQualifiers, ends) {
			return true, true
		}
		return false, at > 0 && text[at-1] == '_' && qualifier != ""
	case "auth", "_pat", "priv":
		return false, starts
	}
	return true, true
}

// readValue returns the value at the beginning of a text and the length of what precedes it. The
// value is quoted, or ends at a space or at the next name.
func readValue(text string) (value string, skip int) {
	const longest = 512
	for skip < min(len(text), 4) && strings.IndexByte("\"'`*@", text[skip]) >= 0 {
		skip++
	}
	value = text[skip:min(len(text), skip+longest)]
	quoted, ends := skip > 0 && strings.IndexByte("\"'`", text[skip-1]) >= 0, " \t\r\n\"'`<>"
	if quoted {
		ends = " \t\r\n<>" + text[skip-1:skip]
	}
	if i := strings.IndexAny(value, ends); i >= 0 {
		value = value[:i]
	}
	if i := strings.IndexFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 8 {
		value = strings.TrimRight(value[:i], ",.")
	}
	if quoted {
		return value, skip
	}
	if i := nextName().FindStringIndex(value); i != nil {
		value = value[:i[0]]
	}
	if open := strings.IndexByte(value, '('); open > 0 && (strings.HasSuffix(value, ")") || strings.IndexByte(value[open:], ')') < 0) { // code
		return "", skip
	}
	return strings.TrimSuffix(strings.TrimRight(value, ",;:)]}*\\|"), "."), skip
}

// nextName matches the end of an unquoted value within a word.
var nextName = lazyPattern(`[;&,|][A-Za-z][0-9A-Za-z_.-]*[=:]|;`)

// referencePrefixes begin values that refer to a secret stored elsewhere, or are checksums.
var referencePrefixes = strings.Fields("GHSA- arn: urn: op:// vault: SHA256: ^ sha256: sha256- sha384- sha512- sha512: md5: { < ENC[")

// isReference reports whether a value refers to a secret stored elsewhere, or is a placeholder.
func isReference(value string) bool {
	if slices.ContainsFunc(referencePrefixes, func(prefix string) bool { return strings.HasPrefix(value, prefix) }) {
		return true
	}
	if text, ok := decodeBase64(value); ok && (isWellKnown(text) || isWords(text)) {
		return true
	}
	return isWellKnown(value) || isSequence(value) || strings.Contains(value, "...") || strings.Contains(value, "${") || strings.Contains(value, "://") || isPlaceholder(value, value)
}

// isOption reports whether the name that continues at an offset is a command-line option.
func isOption(text string, at int) bool {
	before := text[max(0, at-40):at]
	return strings.HasPrefix(before[strings.LastIndexAny(before, " \t\n\"'`")+1:], "-")
}
