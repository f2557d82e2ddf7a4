package screen

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The rules without a literal: text that looks random near a word for a secret, the groups of a
// code, and the words of a recovery phrase.

const (
	randomRule = "random-secret"
	codeRule   = "recovery-code"
	phraseRule = "recovery-phrase"
)

// The kinds of bytes, as bits.
const (
	lowerBit = 1 << iota
	upperBit
	digitBit
	joinBit // other characters of tokens and base64
	highBit // part of a non-ASCII character
	spaceBit
	signBit
)

// byteBits has the kind of each byte.
var byteBits = sync.OnceValue(func() *[256]uint8 {
	var bits [256]uint8
	for i := range bits {
		switch c := byte(i); {
		case isDigit(c):
			bits[i] = digitBit
		case isAlnum(c):
			bits[i] = upperBit >> (c >> 5 & 1)
		case isBase64Char(c):
			bits[i] = joinBit
		case c >= utf8.RuneSelf:
			bits[i] = highBit
		case isSpace(c):
			bits[i] = spaceBit
		default:
			bits[i] = signBit
		}
	}
	return &bits
})

// scanRuns adds the findings among the runs of token characters and letters in a view, and the
// words that look like passwords.
func (s *scanner) scanRuns(v view) {
	text, kinds := v.text, byteBits()
	add := func(rule string, start, end int) {
		start, end = v.toText(start, end)
		s.found = append(s.found, span{rule: rule, start: start, end: end})
	}
	var words, groups series
	field, fieldBits := 0, uint8(0)
	for i := 0; i <= len(text); {
		start, bits := i, uint8(0)
		for i < len(text) && kinds[text[i]] < spaceBit {
			bits |= kinds[text[i]]
			i++
		}
		run := text[start:i]
		fieldBits |= bits
		if len(run) >= minRandom && bits&digitBit != 0 {
			if !isChecksum(text[:start]) && isRandomRun(run) && isSecretRun(text, start, i) {
				add(randomRule, start, i)
			}
			if bits&joinBit != 0 && isCode(run) {
				add(codeRule, start, i)
			}
		}
		if run != "" {
			if w := words; !words.addWord(text, start, i, bits) && w.isPhrase(text) {
				add(phraseRule, w.start, w.end)
			}
			if g := groups; !groups.addGroup(text, start, i) && g.count >= 4 && isCode(text[g.start:g.end]) {
				add(codeRule, g.start, g.end)
			}
		}
		const mixed = lowerBit | upperBit | digitBit
		if i == len(text) || kinds[text[i]] == spaceBit {
			if fieldBits&mixed == mixed && i-field >= 8 {
				s.scanField(v, field, i)
			}
			field, fieldBits = i+1, 0
		}
		i++
	}
	if words.isPhrase(text) {
		add(phraseRule, words.start, words.end)
	}
	if groups.count >= 4 && isCode(text[groups.start:groups.end]) {
		add(codeRule, groups.start, groups.end)
	}
}

// isRandomRun reports whether a run is not a name, path or word: its kinds of characters alternate,
// and few of its letters belong to words.
func isRandomRun(run string) bool {
	m, words, lowers := countChars(strings.ReplaceAll(run, "+", "/")), 0, 0
	for i := range len(run) + 1 {
		if i < len(run) && 'a' <= run[i] && run[i] <= 'z' {
			lowers++
			continue
		}
		if lowers > 3 {
			words += lowers
		}
		lowers = 0
	}
	switch {
	case m.digits < 1 || isUUID(run) || m.symbols > 0 || words*2 > len(run) && m.uppers > 0 || len(run) < 64 && (entropy(run) < 3 || isSequence(run)):
		return false
	case isHexDigits(run):
		return len(run) >= 32 && m.lowers+m.uppers >= 6
	case len(run) >= 64:
		return m.lowers >= 6 && m.uppers >= 6
	case m.lowers > 0 && m.uppers > 0:
		return m.turns*4 >= len(run) && m.digits > 1 || words == 0 && m.turns*5 >= len(run)
	}
	return len(run) >= 24 && !strings.Contains(run, "-") && m.digits*10 >= len(run) && m.turns*4 >= len(run)
}

// isUUID reports whether a run has hyphens and is otherwise hexadecimal.
func isUUID(run string) bool {
	return strings.Contains(run, "-") && isHexOnly(strings.ReplaceAll(strings.ToLower(run), "-", ""))
}

func isHexDigits(run string) bool {
	run = strings.ToLower(run)
	return len(run) > 2 && (isHexOnly(run) || isHexOnly(run[2:])) // 0x and the like
}

// isSecretRun reports whether a random run is a separate value near a word for a secret.
func isSecretRun(text string, start, end int) bool {
	from := start
	for from > 0 && start-from < 200 && !isSpace(text[from-1]) {
		from--
	}
	before, run := text[from:start], text[start:end]
	if !isBounded(text, start, end) || strings.Contains(before, "://") || strings.Contains(before, "base64,") ||
		strings.HasPrefix(run, "AAAA") || isPlaceholder(text[from:end], run) || len(run) < 64 && isReference(run) {
		return false
	}
	if _, ok := decodeBase64(run); ok { // its content is scanned in a view of its own
		return false
	}
	return hasContext(text, start, end, secretWords, isHexDigits(run))
}

// isChecksum reports whether a text ends with the name of a checksum.
func isChecksum(before string) bool {
	if !strings.HasSuffix(before, ":") {
		return false
	}
	before = strings.ToLower(before[max(0, len(before)-8):])
	return slices.ContainsFunc([]string{"sha1:", "sha256:", "sha384:", "sha512:", "md5:", "h1:"}, func(name string) bool { return strings.HasSuffix(before, name) })
}

// isBounded reports whether characters that end or quote a value are on both sides of it.
func isBounded(text string, start, end int) bool {
	if rest := strings.TrimLeft(text[end:min(len(text), end+5)], "\\rn\n"); strings.HasPrefix(rest, "...") { // truncated
		return false
	}
	const both = " \t\r\n\"'`|,;:=*"
	if start > 0 && strings.IndexByte(both+"([{>", text[start-1]) < 0 {
		return false
	}
	rest := strings.TrimLeft(text[end:min(len(text), end+4)], "=!?+$#%^&~*-")
	return rest == "" || strings.IndexByte(both+")]}<\\", rest[0]) >= 0 || rest[0] == '.' && (len(rest) == 1 || !isAlnum(rest[1]))
}

// secretWords indicate that a value near them is a secret, openWords that it is public.
var secretWords = strings.Fields("passw passphrase passcode pwd pgpass secret token credential creds private priv key login mfa 2fa totp otp mnemonic wallet seed signer accounts recovery backup psk bearer macaroon securestring keytab keystore sessid session_id sessionid cookie signing " +
	"kennwort zugangsdaten geheim schlüssel contraseña contrasena clave senha wachtwoord passe hasło heslo lösenord пароль 密码 パスワード")

var openWords = strings.Fields("accessor handle ciphertext publi pubkey pub sha sha1 sha256 sha512 md5 hash digest checksum commit fingerprint certificate cert signature nonce etag integrity uuid uid " +
	"request trace transaction tx block image revision version sig h1: ssh-rsa ssh-ed25519 thumbprint checksums rev build id ref")

// hasContext reports whether the nearest of the secretWords and openWords before a value indicates
// a secret, or, if there is none, a word after it that names it. A value alone on its line is also
// judged by the words on the lines before.
func hasContext(text string, start, end int, secretWords []string, hex bool) bool {
	after, _, _ := strings.Cut(text[end:min(len(text), end+60)], "\n")
	alone, from := strings.Trim(after, "\r=`\"',;:)]} \t") == "", start
	for lines := 0; from > 0 && start-from < 240; from-- {
		if text[from-1] == '\n' {
			if !alone || strings.ContainsAny(strings.Trim(text[from:start], " \t\r\n>*`\"'-"), " \t") {
				break // other words are on the line
			}
			if lines++; lines > 3 {
				break
			}
		}
	}
	if own := ownName().FindString(text[from:start]); own != "" { // no other name counts
		return nearestWord(own, secretWords, hex) > 0
	}
	if says := nearestWord(text[from:start], secretWords, hex); says != 0 {
		return says > 0
	}
	return saidAfter().MatchString(after) && nearestWord(after, secretWords, hex) > 0
}

// saidAfter matches the text between a secret and the word after it that names it.
var saidAfter = lazyPattern(`^["'\x60*=]{0,3}[ \t]*(?:is|as|[(|#/<])[ \t]*`)

// ownName matches the name directly before its value in JSON or in an assignment.
var ownName = lazyPattern(`(?:["'][0-9A-Za-z_. -]{1,40}["']\s*:\s*["']?|[0-9A-Za-z_.-]{1,40}(?:=["']?|:\s*["']))$`)

// nearestWord returns 1 if the last such word in a text indicates a secret, -1 if it indicates a
// public value, and 0 if there is none.
func nearestWord(text string, secretWords []string, hex bool) (says int) {
	lower, best := strings.ToLower(text), -1
	if len(lower) != len(text) { // some letters have a different size in lower case
		text = lower
	}
	isKeyName := func(i, end int) bool { // the letters end a name, and are not part of base64
		return (text[i+1] == 'e') == (text[i+2] == 'y') && (end == len(text) || text[end] == 's' || !isWord(text[end]) || isDigit(text[end]))
	}
	for _, word := range secretWords {
		i := strings.LastIndex(lower, word)
		end := i + len(word)
		if i < 0 || end <= best || len(word) < 5 && !isWholeWord(lower, i, end) && (word != "key" || !isKeyName(i, end)) {
			continue
		}
		if len(word) < 5 && base64Before(lower[:i])+base64After(lower[end:]) >= maxData { // part of a key
			continue
		}
		name := strings.TrimRight(lower[:i], "_-. ")
		name = name[strings.LastIndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })+1:]
		best, says = end, 1
		if isHarmless(name) || hex && (word == "key" && !isKeyQualifier(name) || len(text)-end > 3 && !strings.ContainsAny(text[end:], ":=|\n")) {
			says = -1
		}
	}
	for _, word := range openWords {
		if i := strings.LastIndex(lower, word); i >= 0 && i+len(word) >= best && (len(word) > 5 || isWholeWord(lower, i, i+len(word))) {
			best, says = i+len(word), -1
		}
	}
	return says
}

func isWholeWord(text string, start, end int) bool {
	return (start == 0 || !isAlnum(text[start-1])) && (end == len(text) || !isAlnum(text[end]))
}

// scanField adds the pieces of a word that look like passwords, near a word for a password or user.
func (s *scanner) scanField(v view, from, end int) {
	if end-from > 100 || strings.Contains(v.text[from:end], "://") {
		return
	}
	for from < end {
		piece := v.text[from:end]
		if n := strings.IndexAny(piece, fieldBreaks); n >= 0 {
			piece = piece[:n]
		}
		at, stop := from, from+len(piece)
		from = stop + 1
		if stop == end {
			piece = strings.TrimRight(piece, ".!?")
			stop = at + len(piece)
		}
		if len(piece) >= 8 && !isReference(piece) && (isStrong(piece) && isBounded(v.text, at, stop) && hasContext(v.text, at, stop, passwordWords(), false) || isPassword(piece) && isArgument(v.text, at, stop)) {
			at, stop = v.toText(at, stop)
			s.found = append(s.found, span{rule: randomRule, start: at, end: stop})
		}
	}
}

const fieldBreaks = "/\\()[]{}<>\"'`|;,=:@"

// isStrong reports whether a word looks like a generated password.
func isStrong(value string) bool {
	if len(value) < 8 || len(value) > 40 {
		return false
	}
	if _, packed := decodeBase64(value); packed || strings.Contains(value, "%2") || strings.Contains(value, "%3") { // part of a URL
		return false
	}
	m, symbols := countChars(value), strings.ContainsAny(value[1:], "!%^*?~#$&+")
	return m.digits > 0 && m.lowers > 0 && m.uppers > 0 && m.words*3 < len(value) && (m.turns >= 4 && m.turns*3 >= len(value) || symbols && m.turns >= 3) && !isUUID(value) && !isHexDigits(value)
}

// passwordWords indicate that a value near them may be a password.
var passwordWords = sync.OnceValue(func() []string {
	return append(strings.Split("pass,log in,admin,root,user,auth,zugang,sqlplus", ","), secretWords...)
})

// isArgument reports whether a word is the argument of a password option, or follows the name of a
// user in a connection string.
func isArgument(text string, start, end int) bool {
	if start > 1 && end < len(text) && text[start-1] == '/' && text[end] == '@' && isAlnum(text[start-2]) {
		return true
	}
	before := strings.TrimRight(text[max(0, start-6):start], " \"'=")
	n := len(before)
	return n > 2 && n < 6 && strings.IndexByte("aApPwX", before[n-1]) >= 0 && before[n-2] == '-' && isSpace(before[n-3])
}

// series is a sequence of runs of one kind.
type series struct{ start, end, count, size int }

// addWord adds a run to a series of words of 3 to 11 bytes, all lower-case or non-ASCII letters,
// which may be numbered, quoted or on separate lines. It reports whether the series continues.
func (w *series) addWord(text string, start, end int, bits uint8) bool {
	size, gap := end-start, text[w.end:start]
	near := w.count > 0 && (gap == " " || len(gap) <= 12 && strings.Trim(gap, " \t\r\n,\"'>|*`[]0123456789.)-") == "" && (hasDigit(gap) || !strings.ContainsAny(gap, ".)")))
	switch {
	case near && size > 0 && size < 3 && (bits == digitBit || text[start:end] == "-"):
		return true
	case near && size > 2 && size < 12 && bits&^(lowerBit|highBit) == 0:
		w.end, w.count = end, w.count+1
		return true
	}
	*w = series{}
	if size > 2 && size < 12 && bits&^(lowerBit|highBit) == 0 {
		*w = series{start: start, end: end, count: 1}
	}
	return false
}

// isPhrase reports whether a series of words is a recovery phrase or a passphrase.
func (w series) isPhrase(text string) bool {
	if w.count < 4 {
		return false
	}
	words, before := text[w.start:w.end], text[max(0, w.start-300):w.start]
	if w.count >= 12 {
		before = strings.ToLower(before + words[:40])
		return isRecoveryPhrase(words) && slices.ContainsFunc(phraseWords, func(word string) bool { return strings.Contains(before, word) })
	}
	line := strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], " \t\"'`*")
	return (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "=") || strings.HasSuffix(line, " is")) && strings.Contains(strings.ToLower(line), "passphrase") &&
		!slices.ContainsFunc(strings.Fields(words), func(word string) bool {
			return slices.Contains(joiningWords, word) || slices.Contains(shortWords, word)
		})
}

var phraseWords = strings.Fields("mnemonic seed phrase wallet recovery share shard words semilla cartera palabras portafoglio portefeuille wiederherstellung wörter monedero graine")

// addGroup adds a run to a series of groups of four to six characters separated by single spaces.
// It reports whether the series continues.
func (g *series) addGroup(text string, start, end int) bool {
	size := end - start
	if g.count > 0 && size == g.size && start == g.end+1 && text[g.end] == ' ' {
		g.end, g.count = end, g.count+1
		return true
	}
	*g = series{}
	if size >= 4 && size <= 6 {
		*g = series{start, end, 1, size}
	}
	return false
}

// isCode reports whether a text consists of groups of equal size like those of a recovery code or a
// key. Groups that all begin with the same letter are numbered words.
func isCode(text string) bool {
	groups := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' })
	mixed, turns, alike := 0, 0, 0
	for _, group := range groups {
		if len(group) != len(groups[0]) || len(group) < 4 {
			return false
		}
		if group[0] == groups[0][0] {
			alike++
		}
		m := countChars(group)
		turns = max(turns, m.turns)
		if m.digits > 0 && m.lowers+m.uppers > 0 && (m.lowers == 0 || m.uppers == 0 || len(group) < 6) {
			mixed++
		}
	}
	digits := strings.Trim(text, "0123456789-") == "" && len(groups) == 8 && len(groups[0]) == 6 // BitLocker
	return digits || len(groups) >= 4 && len(text) >= 20 && mixed*2 >= len(groups) && turns > 1 && alike < len(groups) && !isHexOnly(strings.ToLower(strings.Join(groups, ""))) && !isSequence(text)
}
