package cli

import (
	"bytes"
	"unicode/utf8"
)

// Keys of a terminal. A key that types a character is that character, and one with Ctrl is the
// control character.
const (
	keyUnknown rune = -1 - iota
	keyUp
	keyDown
	keyPageUp
	keyPageDown

	keyEnter     = '\r'
	keyEscape    = '\x1b'
	keyBackspace = '\x7f'
	ctrl         = '@' // 'C'-ctrl is Ctrl-C
)

// sequenceKeys maps escape sequences to keys, without their first two bytes.
var sequenceKeys = map[string]rune{"A": keyUp, "B": keyDown, "5~": keyPageUp, "6~": keyPageDown}

// decodeKey returns the first key of data and its number of bytes, or 0 if bytes are missing. If
// final is true, no more will come: Escape alone is the key, and other incomplete bytes are none.
func decodeKey(data []byte, final bool) (key rune, size int) {
	if len(data) == 0 || !final && !utf8.FullRune(data) {
		return 0, 0
	}
	key, size = utf8.DecodeRune(data)
	switch {
	case key == '\b':
		return keyBackspace, size
	case key == utf8.RuneError, 0x80 <= key && key < 0xa0:
		return keyUnknown, size
	case key != keyEscape, len(data) > 1 && data[1] == keyEscape, len(data) == 1 && final:
		return key, size
	case len(data) > 1 && data[1] != '[' && data[1] != 'O': // a key with Alt
		_, size = utf8.DecodeRune(data[1:])
		return keyUnknown, 1 + size
	}
	isEnd := func(r rune) bool { return r >= '@' }
	switch end := bytes.IndexFunc(data[min(2, len(data)):], isEnd); {
	case end >= 0:
		if key, size = sequenceKeys[string(data[2:end+3])], end+3; key == 0 {
			key = keyUnknown
		}
		return key, size
	case final:
		return keyUnknown, len(data)
	}
	return 0, 0
}
