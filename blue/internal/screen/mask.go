package screen

import (
	"slices"
	"strings"
)

// leftOut begins the remark in place of lines that look like a secret.
const leftOut = "(line left out: it looks like a secret, "

// Mask returns the lines of a text, with a remark in place of each that looks like a secret.
func Mask(text string) []string {
	lines := strings.Split(text, "\n")
	for _, f := range Secrets(text) {
		for n := f.Line; n <= min(f.Last, len(lines)); n++ {
			lines[n-1] = leftOut + f.Rule + ")"
		}
	}
	return lines
}

// Join joins lines that [Mask] has returned, with one remark for adjacent lines that were replaced.
func Join(lines []string) string {
	return strings.Join(slices.CompactFunc(slices.Clone(lines), func(a, b string) bool { return a == b && strings.HasPrefix(a, leftOut) }), "\n")
}
