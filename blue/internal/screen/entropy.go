package screen

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode"
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
	return isRandom(value) || isStrong(value) || isPassword(value) && (m.symbols > 0 || m.digits > 1)
}

// isRandom reports whether a value looks random regardless of its name.
func isRandom(value string) bool {
	m := countChars(value)
	return len(value) >= 16 && m.words*3 < len(value) && entropy(value) >= 3 &&
		(m.digits >= 2 && m.turns*5 >= len(value) || m.digits > 0 && m.turns*3 >= len(value))
}

// isVaried reports whether the kinds of characters of a token alternate more than in words.
func isVaried(secret string) bool { return countChars(secret).turns*5 >= len(secret) }

// isVendorToken reports whether the text after a prefix made of words is random and not a checksum.
func isVendorToken(secret string) bool { return isRandom(secret) && !isHexOnly(secret) }

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

// isRecoveryPhrase reports whether a text may be a phrase of BIP 39, judged by the number and kind
// of its words: prose of that length has function words.
func isRecoveryPhrase(text string) bool {
	seen, count := map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if seen[word]++; seen[word] > 3 || slices.Contains(joiningWords, word) {
			return false
		}
		count++
	}
	return count >= 12
}

// joiningWords are function words that are not in the word list of BIP 39.
var joiningWords = strings.Fields("the and for are was not but from has had its your which their them our via been were each such would could does did those these into")

// isGroups reports whether the first groups of four letters are not words of a sentence.
func isGroups(text string) bool {
	groups := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' })
	return !slices.ContainsFunc(groups[:min(len(groups), 4)], func(group string) bool { return slices.Contains(shortWords, group) })
}

var shortWords = strings.Fields("this that have been must with from they will your when were what them then than some into such only also over most made make just like " +
	"does each used uses user need more page here sent once code name only same time very long kept sets")

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

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }

func isHashChar(c byte) bool { return isHex(c|0x20) || c == ':' }

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func isURLSafe(c byte) bool { return isWord(c) || c == '-' }

func isSchemeChar(c byte) bool { return isAlnum(c) || c == '+' || c == '.' || c == '-' }

func isHostChar(c byte) bool { return isAlnum(c) || c == '.' || c == '-' || c == '*' }

func isAzureChar(c byte) bool { return isURLSafe(c) || c == '.' || c == '~' }

func isBase64Char(c byte) bool { return isURLSafe(c) || c == '+' || c == '/' }

func isPrintable(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' })
}

var standardAlphabet = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 decodes base64 with or without padding.
func decodeBase64(value string) (text string, ok bool) {
	data, err := base64.RawStdEncoding.DecodeString(standardAlphabet.Replace(strings.TrimRight(value, "=")))
	return string(data), err == nil && len(data) > 0 && isPrintable(data)
}
