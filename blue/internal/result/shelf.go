package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shelf is what lies beside the notes of one kind, documents or commits.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there is nothing, or not yet everything
	Reading string         `json:"-"`                  // how far it has been read, when that is the reason
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
	if left := DescribeLeft(s.LeftOut); left != "" {
		text += " (left out: " + left + ")"
	}
	return text
}

// Counted says how many of what there are, with commas between thousands.
func (s Shelf) Counted(what string) string {
	return strings.Replace(Plural(s.Count, what), strconv.Itoa(s.Count), FormatCount(int64(s.Count)), 1)
}

// DescribeLeft says how much is left out for which reason.
func DescribeLeft(byReason map[string]int) string {
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		left = append(left, fmt.Sprintf("%d %s", byReason[reason], reason))
	}
	return strings.Join(left, ", ")
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
