package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"blue/errors"
)

// Bounds of a reply. What does not fit is counted and can be had with a cursor.
const (
	bytesPerToken = 4
	ListTokens    = 2000  // default of lists and searches
	ReadTokens    = 10000 // default of read, and the maximum of every reply
	TailRoom      = 1000  // bytes of a list other than the notes of a reply
	TagRoom       = 500   // bytes of the tags of a note in a list
	PathShown     = 300   // characters of a path
	maxLimit      = 1000
)

// Room returns the number of bytes in a reply of at most that many tokens.
func Room(tokens int) (int, error) {
	if tokens < 0 {
		return 0, errors.BadValue("max_tokens", strconv.Itoa(tokens), "a number from 1 to 10000")
	}
	return min(tokens, ReadTokens) * bytesPerToken, nil
}

// MakeCursor encodes a position in the answer to a call, with a checksum of the words of that
// call.
func MakeCursor(call string, at ...int) string {
	parts := []string{checkWord(call)}
	for _, n := range at {
		parts = append(parts, strconv.Itoa(n))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, " ")))
}

// ReadCursor decodes the numbers of a cursor of that call. It returns zeros if the cursor is
// empty.
func ReadCursor(text, call string, count int) ([]int, error) {
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

// Window is the part of a list that one reply shows.
type Window struct {
	From, Limit int
	call        string
	room        int // bytes
}

// Room returns the number of bytes left.
func (w *Window) Room() int { return w.room }

// OpenWindow checks the limit, the tokens and the cursor of a call. The cursor is valid only
// for a call with the same words. With whole, for people and programs, only the limit bounds
// the window; a negative limit means none.
func OpenWindow(call, cursor string, limit, tokens int, whole bool) (w Window, err error) {
	w.call, w.Limit, w.room = call, limit, math.MaxInt
	if !whole || tokens != 0 {
		if limit < 0 || limit > maxLimit {
			return w, errors.BadValue("limit", strconv.Itoa(limit), fmt.Sprintf("a number from 1 to %d", maxLimit))
		}
		if w.room, err = Room(cmp.Or(tokens, ListTokens)); err != nil {
			return w, err
		}
	} else if limit < 0 {
		w.Limit = math.MaxInt32 // large, but a position can be added to it
	}
	at, err := ReadCursor(cursor, call, 1)
	if err == nil {
		w.From = at[0]
	}
	return w, err
}

// MakeRoom takes the bytes of an entry from the room, and reports whether there was any room
// left before.
func (w *Window) MakeRoom(size int) bool {
	left := w.room > 0
	w.room -= size + 60 // names and braces
	return left
}

// CountRest returns how many entries follow the shown ones, and the cursor to them.
func (w *Window) CountRest(shown, total int) (more int, next string) {
	if more = total - w.From - shown; more <= 0 {
		return 0, ""
	}
	return more, MakeCursor(w.call, w.From+shown)
}
