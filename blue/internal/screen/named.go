package screen

import (
	"slices"
	"strings"
)

// The general rule: a name that says secret, and a value of enough chance.

// nameEnd is the rest of a name after the word by which it says secret.
var nameEnd = compile(`^(?i:(?:word|wort|wd|phrase|code)?s?(?:[ _.-]?(?:access[ _.-]?)?(?:key|value|string|text|base64|b64)(?:[_-]?base)?|[_-]?[0-9]{1,2})?)`)

// assigned is what stands between a name and its value where one is set: a sign, in
// quotes, in markup, as the argument of a call, in a list of variables.
var assigned = compile(`^(?:["'\x60\])*_]{0,4}[ \t]{0,20}:?[ \t]{0,4}(?:&?(?:string|str|String)[ \t]*)?(?:=>|[?.|+]*=|:{1,3}=|==|->|[:|])[ \t*]{0,20}|["'\x60*_]{0,3}>\s{0,20}|["'][ \t]+value=|["'],[ \t]*|\((?:["']|$)|["']?[ \t]*\r?\n[ \t-]*(?:"?value"?)[:=][ \t]*)`)

// loose is what stands between a name and its value in prose, on a command line or
// where the value is on the next line.
var loose = compile(`^["'\x60*_]{0,3}(?:[ \t]+(?:is[ \t]+)?|[ \t]*[:=][ \t*|>+-]*\r?\n[ \t]*[>*-]?[ \t]*|[ \t]*\r?\n[ \t]*\r?\n[ \t]*)`)

// valueAfter is the place of the value of a name that has a stem at a byte; the end
// is 0 when the name or the value is of no secret.
func valueAfter(text string, at int, stem string) (start, end int) {
	after := at + len(stem)
	after += len(nameEnd().FindString(text[after:min(len(text), after+40)]))
	if after < len(text) && alnum(text[after]) {
		return 0, 0
	}
	before := strings.ToLower(text[max(0, at-24):at])
	sure, ok := secretName(before, strings.ToLower(stem), text, at)
	if !ok {
		return 0, 0
	}
	rest := text[after:min(len(text), after+near)]
	enough := likely
	gap := assigned().FindString(rest)
	if gap == "" {
		gap, enough = loose().FindString(rest), random
	}
	switch {
	case gap == "", gap == ":" && at > 0 && text[at-1] == ':': // a part of a longer name
		return 0, 0
	case after == at+len("pass") && strings.EqualFold(stem, "pass") && strings.TrimRight(before, "_-.") == before && !strings.Contains(gap, "="):
		return 0, 0 // what a test says that went well
	}
	if !sure {
		enough = random
	}
	start = after + len(gap)
	value, skip := valueOf(rest[len(gap):])
	if !enough(value) || reference(value) {
		return 0, 0
	}
	return start + skip, start + skip + len(value)
}

// secretName judges a name by what stands before the word at its end: sure when the
// name says secret by itself.
func secretName(before, stem, text string, at int) (sure, ok bool) {
	trimmed := strings.TrimRight(before, "_-. ")
	first := strings.LastIndexFunc(trimmed, func(r rune) bool { return r < 'a' || r > 'z' }) + 1
	qualifier := trimmed[first:]
	if slices.ContainsFunc(harmless, func(word string) bool {
		return qualifier == word || len(word) > 3 && strings.HasSuffix(qualifier, word)
	}) {
		return false, false
	}
	apart := at == 0 || !alnum(text[at-1]) || text[at] < 'a' && text[at-1] >= 'a'
	switch stem {
	case "pass", "pwd":
		return true, apart || len(text) > at+4 && text[at+4]|0x20 == 'w' || stem == "pwd"
	case "key":
		for _, word := range keyOf {
			if strings.HasSuffix(qualifier, word) {
				return true, true
			}
		}
		return false, at > 0 && text[at-1] == '_' && qualifier != ""
	case "auth", "_pat":
		return false, apart
	}
	return true, true
}

// keyOf are the words that make a key a secret one.
var keyOf = strings.Fields("api app access account secret private auth encryption signing master admin service client " +
	"shared preshared session deploy license licence integration storage function cookie crypto webhook subscription ingest user server personal bot")

// harmless are the words that make a token or key one that anybody may see.
var harmless = strings.Fields("public authenticity page next continuation continue cursor csrf xsrf idempotency sync pagination cancellation primary foreign " +
	"cache sort partition publishable object dedup unique index lookup hash message max min num total input output prompt completion no any")

// valueOf is the value that a text begins with, and what stands before it: what is
// quoted, or up to a space or to where the next name begins.
func valueOf(text string) (value string, skip int) {
	for skip < min(len(text), 4) && strings.IndexByte("\"'`*@", text[skip]) >= 0 {
		skip++
	}
	quote := byte(0)
	if skip > 0 {
		quote = text[skip-1]
	}
	value = text[skip:min(len(text), skip+maxValue)]
	if i := strings.IndexAny(value, " \t\r\n\"'`<>"); i >= 0 {
		value = value[:i]
	}
	if skip > 0 && strings.IndexByte("\"'`", quote) >= 0 {
		return value, skip
	}
	if i := nextName().FindStringIndex(value); i != nil {
		value = value[:i[0]]
	}
	if strings.HasSuffix(value, ")") && strings.Contains(value, "(") || strings.HasSuffix(value, "(") { // code
		return "", skip
	}
	return strings.TrimSuffix(strings.TrimRight(value, ",;:)]}*\\|"), "."), skip
}

const maxValue = 512

// nextName is where a value without quotes ends within a word.
var nextName = compile(`[;&,|][A-Za-z][0-9A-Za-z_.-]*[=:]|;`)

// reference reports whether a value says where the secret is, or is a placeholder.
func reference(value string) bool {
	for _, start := range []string{"arn:", "op://", "vault:", "http://", "https://", "sha256:", "sha256-", "sha384-", "sha512-", "sha512:", "md5:", "{", "<", "ENC["} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	if text, ok := unpack64(value); ok && (wellKnown(text) || worded(text)) {
		return true
	}
	return wellKnown(value) || counted(value) || strings.Contains(value, "...") || placeholder(value, value)
}
