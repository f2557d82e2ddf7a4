// Package anchor finds parts of texts: the definitions and blocks that a name means, in any
// language, and lines that have moved.
package anchor

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Limits.
const (
	// LineLimit is the maximum number of lines of a file that can be cited in part.
	LineLimit = 50_000

	linesTried  = 5_000  // lines containing a name that are tested for its definition
	linesListed = 20_000 // lines searched for similar names
	namesListed = 1_000  // names that a text may define
	nameLimit   = 200    // bytes of a name
	headLines   = 30     // lines of the head of a function
	blocksTried = 50     // definitions of a qualifier that are searched for a name
	lineShown   = 400    // bytes of a line that are searched for definitions
)

// Span is a range of whole lines, counted from 1; the zero Span is empty.
type Span struct{ First, Last int }

// String returns the lines of the span, such as "10-42".
func (s Span) String() string { return strconv.Itoa(s.First) + "-" + strconv.Itoa(s.Last) }

// linesForm matches the lines in a reference: L10-L42, L10-42 or L10. It is compiled on first use.
var linesForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^L?([1-9][0-9]{0,8})(?:-L?([1-9][0-9]{0,8}))?$`)
})

// ParseLines parses the lines in a reference; ok is false for anything else, which is a name.
func ParseLines(ref string) (s Span, ok bool) {
	found := linesForm().FindStringSubmatch(ref)
	if found == nil {
		return s, false
	}
	s.First, _ = strconv.Atoi(found[1])
	if s.Last = s.First; found[2] != "" {
		s.Last, _ = strconv.Atoi(found[2])
	}
	return s, s.First <= s.Last
}

// Lines is a text split into lines without line ends. [Lines.Find] finds parts by name, in any
// language, and [Lines.Seek] finds lines that have moved by content. Their time depends only on the
// size of the text.
type Lines struct {
	lines    []string
	markdown bool // only headings define names
}

// Split splits the text of a file into lines. The name of the file determines whether it is
// Markdown.
func Split(file, text string) Lines {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r") // git may convert line ends elsewhere
	}
	if text == "" {
		lines = nil
	}
	file = strings.ToLower(file)
	return Lines{lines, strings.HasSuffix(file, ".md") || strings.HasSuffix(file, ".markdown")}
}

// Len returns the number of lines.
func (t Lines) Len() int { return len(t.lines) }

// Text returns the lines before a span and those of the span.
func (t Lines) Text(s Span) (before, text string) {
	if s.First > 1 {
		before = strings.Join(t.lines[:s.First-1], "\n") + "\n"
	}
	return before, strings.Join(t.lines[s.First-1:s.Last], "\n")
}

// shown returns the beginning of a line without surrounding space.
func (t Lines) shown(at int) string {
	line := t.lines[at]
	return strings.TrimSpace(line[:min(len(line), lineShown)])
}

// namesIn returns the names in a line.
func namesIn(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && r != '$' && r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// Hash returns the hash of a span as 16 hexadecimal digits, or "" if the text does not have all of
// its lines. It is a polynomial over the hashes of the lines, so that [Lines.Seek] can use it as a
// rolling hash.
func (t Lines) Hash(s Span) string {
	if s.First < 1 || s.First > s.Last || s.Last > len(t.lines) {
		return ""
	}
	sum := uint64(0)
	for _, line := range t.lines[s.First-1 : s.Last] {
		sum = push(sum, hashLine(line))
	}
	return fmt.Sprintf("%016x", sum)
}

// Seek returns the span with a given hash and the size of a former span that is nearest to the
// latter.
func (t Lines) Seek(hash string, was Span) (now Span, ok bool) {
	size := was.Last - was.First + 1
	want, err := strconv.ParseUint(hash, 16, 64)
	if err != nil || size < 1 || was.First < 1 || size > len(t.lines) {
		return now, false
	}
	hashes := make([]uint64, len(t.lines))
	leaving := uint64(1) // the factor of a line when it leaves the window
	for i, line := range t.lines {
		hashes[i] = hashLine(line)
		if i < size {
			leaving = multiply(leaving, base)
		}
	}
	nearest, sum := len(t.lines)+was.First, uint64(0)
	for i, line := range hashes {
		if sum = push(sum, line); i >= size {
			sum = reduce(sum + prime - multiply(hashes[i-size], leaving))
		}
		first := i - size + 2
		if far := max(first-was.First, was.First-first); sum == want && first >= 1 && far < nearest {
			now, nearest = Span{first, first + size - 1}, far
		}
	}
	return now, now.First > 0
}

// Arithmetic is modulo a Mersenne prime, which allows reducing a product by shifts.
const (
	prime = 1<<61 - 1
	base  = 0x0f1e2d3c4b5a6978 % prime
)

func push(sum, line uint64) uint64 { return reduce(multiply(sum, base) + line) }

func reduce(n uint64) uint64 {
	if n = n&prime + n>>61; n >= prime {
		n -= prime
	}
	return n
}

func multiply(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return reduce(low&prime + (high<<3 | low>>61))
}

// hashLine returns FNV-1a with an additional mixing step, less than the prime and never 0.
func hashLine(line string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(line) {
		h = (h ^ uint64(line[i])) * 1099511628211
	}
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return (h^h>>32)%(prime-1) + 1
}
