package reply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shelf is what lies beside the notes of one kind, documents or commits.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there is nothing, or not yet everything
}

// Describe says it on one line.
func (s Shelf) Describe() string {
	text := FormatCount(int64(s.Count))
	if s.Count == 0 && s.Reason != "" {
		text = "none"
	}
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		left = append(left, fmt.Sprintf("%d %s", s.LeftOut[reason], reason))
	}
	if len(left) > 0 {
		text += " (left out: " + strings.Join(left, ", ") + ")"
	}
	return text
}

// DescribeReading says how far files are read; the total is 0 as long as it is not known.
func DescribeReading(what string, done, total int64) string {
	if total == 0 {
		return "reading " + what + ", ask again"
	}
	return fmt.Sprintf("reading %s: %s of %s, ask again", what, FormatCount(done), FormatCount(total))
}

// FormatCount writes a number with commas between thousands.
func FormatCount(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", FormatCount(n/1000), n%1000)
}
