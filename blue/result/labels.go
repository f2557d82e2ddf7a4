package result

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/errors"
)

// ShowLabels returns as many words as fit into room bytes, each safe to show and at most n
// characters long. It returns the number of the others as more.
func ShowLabels(words []string, n, room int) (shown []string, more int) {
	shown = keepFitting(ShowWords(words, n), room, wordSize, &more)
	return shown, more
}

// listSome returns the shown words of a list, and adds how many more there are.
func listSome(shown []string, more int) []string {
	if more > 0 {
		shown = append(slices.Clip(shown), fmt.Sprintf("and %d more", more))
	}
	return shown
}

func wordSize(word string) int { return len(word) }

// ShowWords returns words as a reply shows them, each of at most n characters.
func ShowWords(words []string, n int) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = note.ShowLabel(word, n)
	}
	return out
}

// ShowMarked makes a text with marks safe to show, and moves the marks with what they mark.
func ShowMarked(text string, marks [][2]int) (string, [][2]int) {
	whole := note.ShowHidden(text)
	if whole == text {
		return text, marks
	}
	moved := make([][2]int, len(marks))
	for i, m := range marks {
		moved[i] = [2]int{len(note.ShowHidden(text[:m[0]])), len(note.ShowHidden(text[:m[1]]))}
	}
	return whole, moved
}

// keepFitting returns the first entries of a list that fit into room bytes, and adds the number of the
// others to more.
func keepFitting[E any](list []E, room int, size func(E) int, more *int) []E {
	for i, entry := range list {
		if room -= size(entry); room < 0 {
			*more += len(list) - i
			return list[:i]
		}
	}
	return list
}

// plainWord matches an id that a shell and the command line of Blue take without quotes.
var plainWord = regexp.MustCompile(`^[\pL\pN._/][\pL\pM\pN._/-]*$`)

// ShellWord quotes the id of a note, which may be any file name, for a shell.
func ShellWord(id string) string {
	if plainWord.MatchString(id) {
		return id
	}
	if strings.HasPrefix(id, "-") {
		id = "notes/" + id
	}
	return "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
}

// nameShown is the maximum number of characters shown of the name of a project or a branch.
const nameShown = 40

// CutName shortens the name of a project or a branch, which may be any text of a repository.
func CutName(name string) string {
	return errors.Clip(PlainTags(note.ShowLabel(note.OneLine(name), nameShown)), nameShown)
}

// ShowName returns [CutName] in quotes.
func ShowName(name string) string { return `"` + CutName(name) + `"` }

// plainLetters are the characters of names that need no quotes.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// NameProject returns the name of a project as replies show it: a word as it is, anything else in
// quotes and short, because it may read like an order.
func NameProject(name string) string {
	if len(name) <= nameShown && name != "" && strings.Trim(name, plainLetters) == "" {
		return name
	}
	return ShowName(name)
}

// tag matches the beginning of an element in a markup in which a client may wrap a context.
var tag = regexp.MustCompile(`<([/!?A-Za-z])`)

// PlainText escapes the beginnings of tags and what [errors.Disarm] does, so that no text can end
// the wrapping of a client.
func PlainText(text string) string {
	return tag.ReplaceAllString(errors.Disarm(text), `\u{3C}$1`)
}

// PlainTags is [PlainText] for a text in quotes: it replaces double quotes.
func PlainTags(text string) string { return strings.ReplaceAll(PlainText(text), `"`, "'") }

// CutBytes cuts a text after at most n bytes, between runes, and returns the number of bytes
// left out.
func CutBytes(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], len(text) - n
}

// Plural returns a count with the word for what is counted.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// ParseSince parses a day, a time, or an age such as 7d, 12h or 30m.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}, nil
	}
	if t := note.ParseTime(text); !t.IsZero() {
		return t, nil
	}
	for unit, hours := range map[string]time.Duration{"d": 24, "w": 7 * 24} {
		count, ok := strings.CutSuffix(text, unit)
		if age, err := time.ParseDuration(count + "h"); ok && err == nil && age >= 0 {
			return now.Add(-age * hours), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	return time.Time{}, errors.BadValue("since", text, "a day (2026-01-31), a time (RFC 3339) or an age (7d, 12h)")
}

// FormatAge returns how long ago a time was, in the largest suitable unit.
func FormatAge(then, now time.Time) string {
	d := max(now.Sub(then), 0)
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * 24 * time.Hour, "year"}, {30 * 24 * time.Hour, "month"}, {24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / unit.size); n > 0 {
			return Plural(n, unit.name)
		}
	}
	return "now"
}

// FormatTime formats a time for replies.
func FormatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
