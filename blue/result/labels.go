package result

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

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
