package anchor

import (
	"math"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/words"
)

// Code is the code of a file, line by line, with its words. It finds out which of its lines a note
// speaks of.
type Code struct {
	hashes  []uint64         // of the lines without comments and white space, 0 for an empty one
	filled  int              // lines that are not empty
	holding map[string][]int // the lines that hold a word, by its stem
	stems   words.Stemmer
}

// A line is near a note if the words that both hold weigh enough, and nearly as much as those of any other
// line. A word weighs -ln of the share of lines that hold it.
const (
	nearLeast = 6.0 // nats, of all of them
	nearSmall = 1.5 // the same in a small file, times the logarithm of its lines
	nearWorth = 2.0 // nats, of a word that several lines hold: one line in seven
	nearShare = 0.9 // of the weight of the heaviest line
)

// NewCode returns the code of a file whose lines are stripped of comments and white space.
func NewCode(lines []string) *Code {
	c := &Code{hashes: make([]uint64, len(lines)), holding: map[string][]int{}}
	for i, line := range lines {
		if line != "" {
			c.filled++
			c.hashes[i] = hashLine(line)
		}
		words.Scan(line, 0, func(w words.Word) {
			if w.Form == words.Shingle || w.Form == words.Last {
				return
			}
			key := c.stemOf(w.Text)
			if held := c.holding[key]; len(held) == 0 || held[len(held)-1] != i {
				c.holding[key] = append(held, i)
			}
		})
	}
	return c
}

func (c *Code) stemOf(word string) string {
	if stem := c.stems.Stem(word); stem != "" {
		return stem
	}
	return word
}

// Near returns which lines of a span, of all for an empty one, a note that says this speaks of.
func (c *Code) Near(said string, s Span) []bool {
	weights, seen := make([]float64, len(c.hashes)), map[string]bool{}
	all := float64(c.filled + 1)
	words.Scan(said, 0, func(w words.Word) {
		key := c.stemOf(w.Text)
		if w.Form != words.Whole && w.Form != words.Compound || words.IsStopWord(w.Text) || len(w.Text) < 2 || seen[key] {
			return
		}
		seen[key] = true
		holding := c.holding[key]
		if worth := -math.Log((float64(len(holding)) + 0.5) / all); worth >= nearWorth || len(holding) == 1 {
			for _, line := range holding {
				weights[line] += worth
			}
		}
	})
	from, end := c.places(s)
	weights = weights[from:end]
	least, near := min(nearLeast, nearSmall*math.Log(all)), make([]bool, len(weights))
	for _, weight := range weights {
		least = max(least, nearShare*weight)
	}
	for i, weight := range weights {
		near[i] = weight >= least
	}
	return near
}

// places returns the places of a span in the lines, of all for an empty one.
func (c *Code) places(s Span) (from, end int) {
	if s.First == 0 {
		return 0, len(c.hashes)
	}
	return min(s.First-1, len(c.hashes)), min(s.Last, len(c.hashes))
}

// A sketch stands for lines of code in a few hundred letters, so that one can tell later how many of
// them have changed, and whether one of those that a note speaks of has, without a copy. Its first
// letter is the number of times that the mean size of a group of lines was doubled. Then comes a letter
// for each group, six bits of its hash. A group ends behind a line whose hash is divisible by the mean
// size, so that a change moves the ends of no other group. A dot follows, and three letters for each
// line that is near the note; without a dot every line is.
const (
	sketchGroups = 128
	sketchNear   = 24 // lines
	nearLetters  = 3
	alphabet     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
)

// Sketch returns the sketch of a span, of all lines if it is empty, for a note that says this. If said is
// empty, every line is near.
func (c *Code) Sketch(s Span, said string) string {
	from, end := c.places(s)
	hashes := c.hashes[from:end]
	doubled, groups := 0, groupLines(hashes, 1)
	for len(groups) > sketchGroups && doubled < 32 {
		doubled++
		groups = groupLines(hashes, 1<<doubled)
	}
	sketch := alphabet[doubled : doubled+1]
	for _, g := range groups {
		sketch += g.letter
	}
	if said == "" {
		return sketch
	}
	sketch += "."
	words := 0
	for i, near := range c.Near(said, s) {
		if near && words < sketchNear {
			sketch += nearWord(hashes[i])
			words++
		}
	}
	return sketch
}

func nearWord(hash uint64) string {
	hash >>= 8
	return string([]byte{alphabet[hash&63], alphabet[hash>>6&63], alphabet[hash>>12&63]})
}

// group is a run of lines that one letter stands for.
type group struct {
	letter string
	lines  []int // their places
}

func groupLines(hashes []uint64, size uint64) (groups []group) {
	hash, open := uint64(0), group{}
	end := func() {
		if len(open.lines) > 0 {
			open.letter = string(alphabet[hash>>8&63])
			groups = append(groups, open)
		}
		hash, open = 0, group{}
	}
	for i, each := range hashes {
		if each == 0 {
			continue
		}
		hash, open.lines = push(hash, each), append(open.lines, i)
		if each%size == 0 {
			end()
		}
	}
	end()
	return groups
}

// Change says how lines differ from those of a sketch.
type Change struct {
	Lines, Of int  // lines that were changed, added or removed, of how many; an estimate for more than 128 lines
	Near      bool // one of them is near the note
	Aimed     bool // a line of the sketch was near the note
}

// ChangeSince compares a span, all lines if it is empty, with the sketch of former ones, for a note that
// says this. It returns false if the sketch is none.
func (code *Code) ChangeSince(sketch string, s Span, said string) (c Change, ok bool) {
	former, words, partly := strings.Cut(sketch, ".")
	if former == "" || strings.Trim(former+words, alphabet) != "" || strings.IndexByte(alphabet, former[0]) > 32 || len(words)%nearLetters != 0 {
		return c, false
	}
	from, end := code.places(s)
	hashes := code.hashes[from:end]
	size := 1 << strings.IndexByte(alphabet, former[0])
	groups := groupLines(hashes, uint64(size))
	var now []string
	for _, g := range groups {
		now = append(now, g.letter)
		c.Of += len(g.lines)
	}
	gone, kept := 0, map[int]bool{}
	for _, at := range note.MatchLines(strings.Split(former[1:], ""), now) {
		if kept[at] = true; at < 0 {
			gone++
		}
	}
	var isNew []int
	for i, g := range groups {
		if !kept[i] {
			isNew = append(isNew, g.lines...)
		}
	}
	c.Lines = max(len(isNew), size*gone)
	c.Of = max(c.Of, c.Lines)
	c.Aimed = words != ""
	if !partly {
		c.Near = c.Lines > 0
		return c, true
	}
	was := map[string]bool{}
	for ; words != ""; words = words[nearLetters:] {
		was[words[:nearLetters]] = true
	}
	near := code.Near(said, s)
	c.Near = slices.ContainsFunc(isNew, func(i int) bool { return near[i] && !was[nearWord(hashes[i])] })
	for _, hash := range hashes {
		delete(was, nearWord(hash))
	}
	c.Near = c.Near || len(was) > 0
	return c, true
}
