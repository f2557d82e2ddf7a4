package screen

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// charCounts counts the characters of a value by kind.
type charCounts struct {
	lowers, uppers, digits, symbols int
	turns                           int // changes of kind within words
	words                           int // letters of whole words, between word joiners
}

// countChars counts the characters of a value. Neither a capital letter at the start of a word nor
// a word joiner is a change of kind.
func countChars(value string) (m charCounts) {
	last := byte(0)
	for i := range len(value) {
		kind, c := byte(0), value[i]
		switch {
		case 'a' <= c && c <= 'z':
			kind = 'a'
			m.lowers++
		case 'A' <= c && c <= 'Z':
			kind = 'A'
			m.uppers++
		case isDigit(c):
			kind = '0'
			m.digits++
		case strings.IndexByte(wordJoiners, c) < 0:
			kind = '!'
			m.symbols++
		}
		if last != 0 && kind != 0 && kind != last && (last != 'A' || kind != 'a') {
			m.turns++
		}
		last = kind
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(wordJoiners, r) }) {
		if len(part) >= 3 && (isLowerCase(part[1:]) || strings.ToUpper(part) == part && isLowerCase(strings.ToLower(part))) {
			m.words += len(part)
		}
	}
	return m
}

// wordJoiners are the characters that join words in names, paths and dates.
const wordJoiners = "-_./:=, "

func isLowerCase(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

func (m charCounts) countKinds() (n int) {
	for _, count := range []int{m.lowers, m.uppers, m.digits, m.symbols} {
		n += min(count, 1)
	}
	return n
}

// isLikelySecret reports whether the value of a name that indicates a secret may be one: it has
// eight or more characters, and is not made of words, versions or dates.
func isLikelySecret(value string) bool {
	m := countChars(value)
	switch {
	case len(value) < 8 || m.words*3 >= len(value) || m.lowers+m.uppers < 2 || m.digits+m.symbols == 0 || entropy(value) < 2.5:
		return false
	case len(value) < 16:
		return m.digits > 0 && (m.turns >= 3 || m.countKinds() == 4 || m.countKinds() == 3 && m.symbols > 0 && m.turns >= 2)
	}
	return m.digits > 0 && m.turns >= 3 && m.turns*8 >= len(value) && m.lowers+m.uppers >= 3
}

// isPassword reports whether a value that is set as a password may be one. It requires less than
// [isLikelySecret] if the value has all kinds of characters.
func isPassword(value string) bool {
	m := countChars(value)
	joined := m.symbols > 0 || strings.ContainsAny(value, "-_") || strings.Contains(value, ".") && isDigit(value[len(value)-1])
	return isLikelySecret(value) || len(value) >= 8 && m.digits > 0 && m.lowers > 0 && m.uppers > 0 && joined && !strings.ContainsAny(value, "/(),=")
}

// isSpokenPassword reports whether the text after the word for a password may be one.
func isSpokenPassword(value string) bool {
	m := countChars(value)
	return isRandom(value) || isPassword(value) && (m.symbols > 0 || m.digits > 1)
}

// isRandom reports whether a value looks random regardless of its name.
func isRandom(value string) bool {
	m := countChars(value)
	return len(value) >= 16 && m.words*3 < len(value) && entropy(value) >= 3 &&
		(m.digits >= 2 && m.turns*5 >= len(value) || m.digits > 0 && m.turns*3 >= len(value))
}

// isVaried reports whether the kinds of characters of a token alternate more than in words.
func isVaried(secret string) bool { return countChars(secret).turns*5 >= len(secret) }

// isVendorToken reports whether the text after a prefix made of words is random, and neither a checksum
// nor a sortable id.
func isVendorToken(secret string) bool {
	return isRandom(secret) && !isHexOnly(secret) && !ulid().MatchString(secret)
}

var ulid = lazyPattern(`^01[0-9A-HJKMNP-TV-Z]{24}$`)

// isMixed reports whether a token has letters of both cases and digits.
func isMixed(secret string) bool {
	m := countChars(secret)
	return m.lowers > 0 && m.uppers > 0 && m.digits > 0
}

func isHexOnly(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r > 'f' || !isHex(byte(r)) }) < 0
}

// entropy returns the entropy of a value in bits per character.
func entropy(value string) (bits float64) {
	var counts [256]int
	for i := range len(value) {
		counts[value[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(value))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// isSequence reports whether a value is a typed example: most of its characters follow the previous
// one, or the one before that (abc123, a1b2c3).
func isSequence(value string) bool {
	for step := 1; step <= 2; step++ {
		follow := 0
		for i := step; i < len(value); i++ {
			if value[i] == value[i-step]+1 || value[i] == value[i-step] || value[i-step] == '9' && value[i] == '0' {
				follow++
			}
		}
		if follow*2 >= len(value)-step {
			return true
		}
	}
	return false
}

// isPackedSecret reports whether the value of a Kubernetes Secret is not a well-known password.
func isPackedSecret(value string) bool {
	text, ok := decodeBase64(value)
	return ok && len(text) >= 6 && !isWellKnown(text)
}

// isBasicAuth reports whether a value is a user and a password in base64.
func isBasicAuth(value string) bool {
	text, ok := decodeBase64(value)
	_, password, colon := strings.Cut(text, ":")
	return ok && colon && len(password) >= 6 && !isWellKnown(password)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' }

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func isURLSafe(c byte) bool { return isWord(c) || c == '-' }

func isBase64Char(c byte) bool { return isURLSafe(c) || c == '+' || c == '/' }

func isPrintable(data []byte) bool {
	return utf8.Valid(data) && !slices.ContainsFunc(data, func(c byte) bool { return (c < ' ' || c == 0x7f) && c != '\n' && c != '\r' && c != '\t' })
}

// isPlaceholder reports whether a match only stands for a secret: it is an example from a vendor's
// documentation, a row of crosses, a variable, or plain words. The parameter secret is the part of
// the match that would be kept secret.
func isPlaceholder(match, secret string) bool {
	known := isWords(secret)
	if _, rest, isURL := strings.Cut(match, "://"); isURL {
		user, _, _ := strings.Cut(rest, ":")
		known = isWellKnown(secret) || strings.EqualFold(secret, user)
	}
	isVariable := strings.HasPrefix(secret, "$") || strings.HasPrefix(secret, "%") && (len(secret) < 4 || strings.HasSuffix(secret, "%")) ||
		strings.HasPrefix(secret, "[") || strings.HasSuffix(secret, "]")
	rest := strings.ReplaceAll(secret, secret[:1], "")
	isRepetition := rest == "" || strings.ReplaceAll(rest, rest[:1], "") == "" // of at most two distinct characters
	if known || isVariable || isRepetition {
		return true
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(placeholderWords, func(word string) bool { return strings.Contains(lower, word) }) ||
		slices.ContainsFunc(documentedExamples, func(example string) bool { return strings.Contains(match, example) })
}

// placeholderWords are words within a token that show that it is not a secret. In random characters
// each occurs in less than one of ten thousand tokens.
var placeholderWords = []string{"xxxx", "example", "placeholder", "redacted", "random", "your", "changeme", "dummy", "****", "....", "…"}

// documentedExamples are parts of examples in vendors' documentation. They are split so that no
// scanner takes this file for a leak.
var documentedExamples = []string{
	"16C7e42F292c6912" + "E7710c838347Ae178B4a",             // GitHub: authorizing OAuth apps
	"AIzaSyDaGmWKa4JsXZ" + "-HjGw7ISLn_3namBGewQe",          // Google: API keys
	"Eby8vdM02xNOcqFlqUwJ" + "PLlmEtlCDXJ1OUzFT50uSRZ6",     // Azure: storage emulator
	"MTk4NjIyNDgzNDcx" + "OTI1MjQ4.Cl2FMQ.",                 // Discord: authentication
	"3ax6xnjp29jd6fds" + "4gc373sgvjxteol0",                 // Mailgun: API reference
	"ngeVfQFYQlKU0ufo8x5d1A." + "TwL2iGABf9DHoTf",           // SendGrid: authorization
	"1234567890ab1cde" + "2f3ab456c7d89efa",                 // Databricks: authentication
	"QWxhZGRpbjpvcGVu" + "IHNlc2FtZQ",                       // RFC 7617: Aladdin
	"eyJzdWIiOiIxMjM0NTY3ODkw" + "IiwibmFtZSI6IkpvaG4gRG9l", // jwt.io: John Doe
	"eyJpc3MiOiJqb2UiLA0K" + "ICJleHAiOjEzMDA4MTkzODAs",     // RFC 7515, RFC 7519: joe
}

// isWords reports whether the secret is made of words: it has no digit, and either consists of
// joined words in one case or is so long that a random one would have digits.
func isWords(secret string) bool {
	m := countChars(secret)
	isJoined := m.uppers+m.lowers < len(secret)
	return m.digits == 0 && (len(secret) >= 50 || isJoined && (m.uppers == 0 || m.lowers == 0))
}

// isWellKnown reports whether a password is of the kind used in manuals: too short to protect
// anything, or words such as "password" with or without a number.
func isWellKnown(password string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, password)
	if letters == "" {
		return len(password) < 8
	}
	for _, word := range manualWords {
		letters = strings.ReplaceAll(letters, word, "")
	}
	return len(password) < 5 || letters == ""
}

// manualWords are the words of which manuals make passwords.
var manualWords = []string{
	"password", "passwort", "passwd", "passw", "pass", "pwd", "pw", "secret", "token", "apikey", "key", "credential",
	"username", "user", "admin", "root", "dev", "app", "minio", "proxy", "guest", "test", "foo", "bar", "baz", "demo", "super", "sample", "some", "my", "the", "new", "old", "strong", "here", "personal", "private", "access", "auth",
	"postgres", "mysql", "mongo", "redis", "rabbit", "db", "database", "public",
	"example", "change", "replace", "insert", "enter", "value", "string", "goes", "real", "fake", "mock", "default", "local", "staging", "qwerty", "letmein", "welcome",
}
