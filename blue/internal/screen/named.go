package screen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The general rule: a name that indicates a secret, and a value of sufficient entropy.

// nameSuffix matches the rest of a name after the word that indicates a secret.
var nameSuffix = lazyPattern(`^(?i:(?:word|wort|wd|phrase|code)?(?:s|et)?(?:[ _.-]?(?:access[ _.-]?)?(?:key|value|string|text|base64|b64)(?:[_-]?base)?|[ _-]?[0-9]{1,2})?)`)

// assignmentGap matches the text between a name and its value in an assignment: a sign, quotes,
// markup, the argument of a call, a list of variables.
var assignmentGap = lazyPattern(`^(?:["'\x60\])*_]{0,4}[ \t]{0,20}:?[ \t]{0,4}(?:&?(?:string|str|String)[ \t]*)?(?:=>|[?.|+]*=|:{1,3}=|==|->|[:|])[ \t*]{0,20}|["'][ \t]+value=|["'\x60*_]{0,3}(?:[ \t][a-z][^<>\n]{0,60})?>\s{0,20}(?:<[A-Za-z]{1,20}>\s{0,20}){0,2}|["'],[ \t]*|\((?:["']|$)|["']?[ \t]*\r?\n[ \t-]*(?:"?value"?)[:=][ \t]*|["'] \{[^{}]{0,80}?default[ \t]*=[ \t]*)`)

// looseGap matches the text between a name and its value in prose, on a command line, or if the
// value is on the next line.
var looseGap = lazyPattern(`^["'\x60*_]{0,3}(?:[ \t]+(?:is[ \t]+)?|[ \t]*[:=][ \t*|>+-]*\r?\n[ \t]*[>*-]?[ \t]*|[ \t]*\r?\n[ \t]*\r?\n[ \t]*)`)

// findNamedValue returns the start and end of the value of a name whose stem is at an offset. The
// end is 0 if the name or the value is not that of a secret.
func findNamedValue(text string, at int, stem string) (start, end int) {
	after := at + len(stem)
	after += len(nameSuffix().FindString(text[after:min(len(text), after+40)]))
	if id := strings.ToLower(text[after:min(len(text), after+3)]); strings.EqualFold(stem, "secret") && strings.HasPrefix(strings.TrimPrefix(id, "_"), "id") {
		after += strings.Index(id, "d") + 1
	}
	if after < len(text) && isAlnum(text[after]) {
		return 0, 0
	}
	before := strings.ToLower(text[max(0, at-24):at])
	sure, ok := judgeName(before, strings.ToLower(stem), text, at)
	if !ok {
		return 0, 0
	}
	rest := text[after:min(len(text), after+tokenReach)]
	gap, enough, strict := findGap(rest, isOption(text, at), strings.Contains(text[max(0, at-60):at], "<"))
	switch {
	case gap == "":
		return findInColumn(text, at, after)
	case gap == ":" && at > 0 && text[at-1] == ':': // part of a longer name
		return 0, 0
	case after == at+len("pass") && strings.EqualFold(stem, "pass") && strings.TrimRight(before, "_-.") == before && (at == 0 || !isAlnum(text[at-1])) && !strings.Contains(gap, "=") && !isOption(text, at):
		return 0, 0 // a test reports that it passed
	}
	switch {
	case !sure:
		enough = isRandom
	case slices.Contains(vagueStems, strings.ToLower(stem)):
	case strict:
		enough = isPassword
	case gap[0] == ' ' || gap[0] == '\t':
		enough = isSpokenPassword
	}
	start = after + len(gap)
	value, skip := readValue(rest[len(gap):])
	switch {
	case enough(value) && !isReference(value):
		return start + skip, start + skip + len(value)
	case strings.Contains(gap, "|"):
		return findInColumn(text, at, after)
	}
	return 0, 0
}

// findGap returns the text between a name and its value, and the test for the value.
func findGap(rest string, option, markup bool) (gap string, enough secretTest, strict bool) {
	next := strings.TrimLeft(rest[:min(len(rest), 40)], " \t\"'`*_)]")
	prose := next != "" && (isAlnum(next[0]) || next[0] >= utf8.RuneSelf) && !markup && !strings.HasPrefix(next, "value=") && !strings.HasPrefix(strings.ToLower(next[:min(len(next), 3)]), "str")
	if !prose { // prose needs no pattern
		gap = assignmentGap().FindString(rest)
	}
	if gap != "" {
		return gap, isLikelySecret, !strings.Contains(gap, "|")
	}
	if n := statedGap(rest); n > 0 {
		return rest[:n], isLikelySecret, true
	}
	if gap = looseGap().FindString(rest); gap == "" {
		return "", nil, false
	}
	if value := rest[len(gap):]; option || value != "" && strings.IndexByte("\"'`", value[0]) >= 0 {
		return gap, isLikelySecret, option
	}
	return gap, isRandom, false
}

// statedGap returns the length of the text between a name and its value in a sentence that states
// the value, or 0 if it does not.
func statedGap(rest string) (size int) {
	line, _, _ := strings.Cut(rest[:min(len(rest), 120)], "\n")
	for i := range 7 {
		word := strings.TrimLeft(line[size:], " \t")
		size = len(line) - len(word)
		if n := strings.IndexAny(word, " \t"); n >= 0 {
			word = word[:n]
		}
		size += len(word)
		name, ends := strings.CutSuffix(word, ":")
		if word == "" || strings.ContainsAny(name, ":=,;") {
			return 0
		}
		if ends && i > 0 || slices.Contains(sayingWords, word) {
			value := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(line[size:], " \t:"), "now "), " \t:")
			return len(line) - len(value)
		}
	}
	return 0
}

var sayingWords = strings.Fields("is was to lautet ist est es é è jest je är er это は")

// judgeName judges a name by the text before its last word: sure is true if the name indicates a
// secret by itself.
func judgeName(before, stem, text string, at int) (sure, ok bool) {
	trimmed := strings.TrimRight(before, "_-. ")
	first := strings.LastIndexFunc(trimmed, func(r rune) bool { return r < 'a' || r > 'z' }) + 1
	qualifier := trimmed[first:]
	if isHarmless(qualifier) {
		return false, false
	}
	apart := at == 0 || !isAlnum(text[at-1]) || text[at] < 'a' && text[at-1] >= 'a'
	switch stem {
	case "pw":
		return true, apart
	case "priv":
		return false, apart
	case "pass", "pwd":
		if at > 0 && isAlnum(text[at-1]) && qualifier != "by" && qualifier != "com" && qualifier != "tres" && qualifier != "sur" {
			return true, true
		}
		return true, apart || isOption(text, at) || len(text) > at+4 && text[at+4]|0x20 == 'w' || stem == "pwd"
	case "key":
		if isKeyQualifier(qualifier) {
			return true, true
		}
		return false, at > 0 && text[at-1] == '_' && qualifier != ""
	case "auth", "_pat":
		return false, apart
	}
	return true, true
}

// vagueStems indicate less than the word for a password does.
var vagueStems = strings.Fields("key token secret auth _pat priv credential")

var secretKeyWords = strings.Fields("api app access account secret private auth encryption signing master admin service client " +
	"shared preshared session deploy license licence integration storage function cookie crypto webhook subscription ingest user server personal bot unseal decryption")

// harmlessWords precede tokens and keys that are public.
var harmlessWords = strings.Fields("public authenticity page next continuation continue cursor csrf xsrf idempotency sync pagination cancellation primary foreign " +
	"cache sort partition publishable object dedup unique index lookup hash message max min num total input output prompt completion no any")

// isHarmless and isKeyQualifier judge the word before the one that indicates a secret.
func isHarmless(qualifier string) bool {
	return slices.ContainsFunc(harmlessWords, func(word string) bool {
		return qualifier == word || len(word) > 3 && strings.HasSuffix(qualifier, word)
	})
}

func isKeyQualifier(qualifier string) bool {
	return slices.ContainsFunc(secretKeyWords, func(word string) bool { return strings.HasSuffix(qualifier, word) })
}

// readValue returns the value at the beginning of a text and the length of what precedes it. The
// value is quoted, or ends at a space or at the next name.
func readValue(text string) (value string, skip int) {
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
	if i := strings.IndexFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 8 {
		value = strings.TrimRight(value[:i], ",.")
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

// nextName matches the end of an unquoted value within a word.
var nextName = lazyPattern(`[;&,|][A-Za-z][0-9A-Za-z_.-]*[=:]|;`)

// referencePrefixes begin values that refer to a secret stored elsewhere, or are checksums.
var referencePrefixes = strings.Fields("GHSA- arn: urn: op:// vault: http:// https:// sha256: sha256- sha384- sha512- sha512: md5: { < ENC[")

// isReference reports whether a value refers to a secret stored elsewhere, or is a placeholder.
func isReference(value string) bool {
	if slices.ContainsFunc(referencePrefixes, func(prefix string) bool { return strings.HasPrefix(value, prefix) }) {
		return true
	}
	if text, ok := decodeBase64(value); ok && (isWellKnown(text) || isWords(text)) {
		return true
	}
	return isWellKnown(value) || isSequence(value) || strings.Contains(value, "...") || isPlaceholder(value, value)
}

// findInColumn returns the start and end of the first secret in a column of a table whose header is
// the name at text[at:after]. The table is in Markdown, or its values are separated by commas,
// semicolons or tabs. The end is 0 if there is none.
func findInColumn(text string, at, after int) (start, end int) {
	line := max(0, at-maxHeader)
	line += strings.LastIndexByte(text[line:at], '\n') + 1
	size := strings.IndexByte(text[after:], '\n')
	if size < 0 {
		return 0, 0
	}
	header := text[line : after+size]
	by := separator(header)
	if by == 0 {
		return 0, 0
	}
	column, cells := strings.Count(header[:at-line], string(by)), strings.Count(header, string(by))
	for next := after + size + 1; next < len(text); {
		row, _, _ := strings.Cut(text[next:], "\n")
		if strings.Count(row, string(by)) != cells {
			return 0, 0
		}
		from := 0
		for range column {
			from += strings.IndexByte(row[from:], by) + 1
		}
		cell, _, _ := strings.Cut(row[from:], string(by))
		value := strings.Trim(cell, " \t\r\"'`*")
		if isLikelySecret(value) && !strings.ContainsAny(value, " \t") && !isReference(value) {
			start = next + from + strings.Index(cell, value)
			return start, start + len(value)
		}
		next += len(row) + 1
	}
	return 0, 0
}

// separator returns the separator of the names in a header, or 0 if it is not one.
func separator(header string) byte {
	for _, by := range []byte("|,;\t") {
		if cells := strings.Split(header, string(by)); len(cells) > 1 && !strings.ContainsAny(header, "=(){}") {
			longest := 0
			for _, cell := range cells {
				longest = max(longest, len(strings.Fields(cell)))
			}
			if longest <= 3 {
				return by
			}
		}
	}
	return 0
}

// isOption reports whether the name that continues at an offset is a command-line option.
func isOption(text string, at int) bool {
	first := strings.LastIndexAny(text[max(0, at-40):at], " \t\n\"'`") + 1
	return strings.HasPrefix(text[max(0, at-40)+first:at], "-")
}
