package screen

import (
	"slices"
	"strings"
)

// series is a series of runs of one kind.
type series struct{ start, end, count, size int }

// addWord adds a run to a series of words of three to nine small letters, which may be
// numbered, quoted or on lines of their own. It reports whether the series goes on.
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

// addGroup adds a run to a series of groups of four to six characters with a space between.
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

// isCode reports whether groups of one size are those of a recovery code or a key. Those that
// all begin with one letter are numbered words.
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
	digits := strings.Trim(text, "0123456789-") == "" && len(groups) == 8 && len(groups[0]) == 6 // of BitLocker
	return digits || len(groups) >= 4 && len(text) >= 20 && mixed*2 >= len(groups) && turns > 1 && alike < len(groups) && !isHexOnly(strings.ToLower(strings.Join(groups, ""))) && !isSequence(text)
}
