package screen

import (
	"encoding/base64"
	"math"
	"strings"
)

// mixture is what a value is made of.
type mixture struct {
	lowers, uppers, digits, symbols int
	turns                           int // changes of kind within a word
	words                           int // letters that are whole words, between what joins words
}

// mixtureOf counts the characters of a value by kind. A capital letter at the start
// of a word is no change, nor is what joins words.
func mixtureOf(value string) (m mixture) {
	last := byte(0)
	for i := range len(value) {
		kind := kindOf(value[i])
		switch kind {
		case 'a':
			m.lowers++
		case 'A':
			m.uppers++
		case '0':
			m.digits++
		case '!':
			m.symbols++
		}
		if last != 0 && kind != 0 && kind != last && (last != 'A' || kind != 'a') {
			m.turns++
		}
		last = kind
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(joints, r) }) {
		if len(part) >= 3 && (lowerCase(part[1:]) || strings.ToUpper(part) == part && lowerCase(strings.ToLower(part))) {
			m.words += len(part)
		}
	}
	return m
}

// joints are the characters that join words to a name, a path or a date.
const joints = "-_./:=, "

func lowerCase(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

func kindOf(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return 'a'
	case 'A' <= c && c <= 'Z':
		return 'A'
	case digit(c):
		return '0'
	case strings.IndexByte(joints, c) >= 0:
		return 0
	}
	return '!'
}

func (m mixture) kinds() (n int) {
	for _, count := range []int{m.lowers, m.uppers, m.digits, m.symbols} {
		n += min(count, 1)
	}
	return n
}

// likely reports whether the value of a name that says secret may be one: eight
// characters or more, and not the words, versions and dates that people write.
func likely(value string) bool {
	m := mixtureOf(value)
	switch {
	case len(value) < 8 || m.words*3 >= len(value) || m.lowers+m.uppers < 2 || m.digits+m.symbols == 0 || entropy(value) < 2.5:
		return false
	case len(value) < 16:
		return m.digits > 0 && (m.turns >= 3 || m.kinds() == 4 || m.kinds() == 3 && m.symbols > 0 && m.turns >= 2)
	}
	return m.digits > 0 && m.turns >= 3 && m.turns*8 >= len(value) && m.lowers+m.uppers >= 3
}

// random reports whether a value is chance by its looks alone.
func random(value string) bool {
	m := mixtureOf(value)
	return len(value) >= 16 && m.words*3 < len(value) && entropy(value) >= 3 &&
		(m.digits >= 2 && m.turns*5 >= len(value) || m.digits > 0 && m.turns*3 >= len(value))
}

// varied reports whether a token is no word: its kinds of characters take turns.
func varied(secret string) bool { return mixtureOf(secret).turns*5 >= len(secret) }

// mixed reports whether a token has letters of both cases and digits.
func mixed(secret string) bool {
	m := mixtureOf(secret)
	return m.lowers > 0 && m.uppers > 0 && m.digits > 0
}

// checksum reports whether a value has only digits that are hexadecimal.
func checksum(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r > 'f' || !hex(byte(r)) }) < 0
}

// entropy is the number of bits in a character, by how often each occurs.
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

// counted reports whether a value is what fingers type for an example: most of its
// characters follow the one before, or the one before that (abc123, a1b2c3).
func counted(value string) bool {
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

// packedSecret reports whether the value of a Kubernetes Secret is more than words.
func packedSecret(value string) bool {
	text, ok := unpack64(value)
	return ok && len(text) >= 6 && !wellKnown(text)
}

// basicSecret reports whether a value is a user and a password in base64.
func basicSecret(value string) bool {
	text, ok := unpack64(value)
	_, password, colon := strings.Cut(text, ":")
	return ok && colon && len(password) >= 6 && !wellKnown(password)
}

// unpack64 decodes base64 with or without padding.
func unpack64(value string) (text string, ok bool) {
	data, err := base64.RawStdEncoding.DecodeString(toStandard.Replace(strings.TrimRight(value, "=")))
	return string(data), err == nil && len(data) > 0 && printable(data)
}
