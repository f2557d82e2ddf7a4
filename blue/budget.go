package blue

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

// A reply is bounded: what did not fit is counted and can be
// had with a cursor.
const (
	bytesPerToken = 4
	listTokens    = 2000  // default of lists and searches
	readTokens    = 10000 // default of read, and the hard cap of every reply
	searchLimit   = 10    // default entries of a search
	listLimitRows = 50    // default entries of a list
	maxLimit      = 1000
)

// replyRoom returns the room of a reply in bytes.
func replyRoom(tokens, fallback int) (int, error) {
	switch {
	case tokens == 0:
		tokens = fallback
	case tokens < 0:
		return 0, errors.BadValue("max_tokens", strconv.Itoa(tokens), "a number from 1 to 10000")
	}
	return min(tokens, readTokens) * bytesPerToken, nil
}

func rowLimit(limit, fallback int) (int, error) {
	switch {
	case limit == 0:
		return fallback, nil
	case limit < 0 || limit > maxLimit:
		return 0, errors.BadValue("limit", strconv.Itoa(limit), fmt.Sprintf("a number from 1 to %d", maxLimit))
	}
	return limit, nil
}

// cutBytes cuts a text at n bytes, on a rune, and counts what is left out.
func cutBytes(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], len(text) - n
}

// makeCursor marks a place in the answer to one call: numbers, and a check of the
// words of the call, so that it cannot be used with another one.
func makeCursor(call string, at ...int) string {
	parts := []string{checkWord(call)}
	for _, n := range at {
		parts = append(parts, strconv.Itoa(n))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, " ")))
}

// readCursor reads a cursor of that call with that many numbers; zeros when there is
// none.
func readCursor(text, call string, count int) ([]int, error) {
	at := make([]int, count)
	if text == "" {
		return at, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	parts := strings.Fields(string(raw))
	if err != nil || len(parts) != count+1 || parts[0] != checkWord(call) {
		return nil, errors.BadCursor(text)
	}
	for i := range at {
		if at[i], err = strconv.Atoi(parts[i+1]); err != nil || at[i] < 0 {
			return nil, errors.BadCursor(text)
		}
	}
	return at, nil
}

func checkWord(call string) string {
	sum := sha256.Sum256([]byte(call))
	return hex.EncodeToString(sum[:4])
}

// Plural is a count with the word for what is counted.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
