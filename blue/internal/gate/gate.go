// Package gate decides whether a text answers a prompt so clearly that it is told to an
// agent that did not ask for it.
//
// A text is judged by its best passage. The score grows with the information that the
// passage and the prompt share, and falls with the length of the passage. Information is
// measured in nats: a word that is rare both in everyday technical English and in the
// collection is worth more than a common one. The score grows too with how much likelier the
// prompt's words are in the collection than in everyday English: a prompt that speaks of the
// same matters is meant for it. The threshold grows with the number of texts, since among many
// the best match by chance is better.
package gate

import (
	"cmp"
	"math"
	"slices"

	"blue/blue/internal/words"
)

// The weights of a score and of a threshold. docs/agents.md says how they were fitted.
const (
	sharedWeight   = 2.2 // of the logarithm of the information that passage and prompt share
	coveredWeight  = 0.9 // of the part of the prompt's information that the passage holds
	titleWeight    = 0.5 // of the logarithm of the information that title and prompt share
	nativeWeight   = 0.7 // of how much likelier the prompt's words are here than in everyday English
	shortThreshold = 2.3 // of a text of one passage, when there is one such text
	shortGrowth    = 0.29
	longThreshold  = 3.2 // of a longer text
	longGrowth     = 0.17
	favor          = 0.3 // by which the threshold of a favored text is lower
)

// Bounds of what is judged.
const (
	passageWords = 110  // words of a passage
	passageStep  = 55   // words from the start of one passage to the start of the next
	everydayMass = 60.0 // passages of everyday English that the collection is mixed with
	promptBytes  = 4000 // of a prompt that are read
	leastShared  = 0.1  // nats; avoids the logarithm of zero
	shortPassage = 20.0 // distinct words; a passage of fewer counts as one of so many
	mostNative   = 2.0  // nats; texts after one pattern share many words, which answer nothing
)

// Collection is what the gate needs to know of the texts among which one is judged.
type Collection struct {
	Texts, Long int                   // how many texts, and how many of them are long, see [IsLong]
	MeanWords   float64               // of a text
	Holding     func(key Key) int     // how many texts hold a word
	Stem        func(w string) string // as [words.Stem]
}

// Key names a word of a text: its stem, or the word itself when it has none.
type Key struct {
	Text   string
	IsStem bool
}

// IsLong reports whether a text of such a length, in words, is judged by one passage of several.
func IsLong(length int) bool { return length > words.LongText }

// Prompt is a prompt taken apart.
type Prompt struct {
	words    []promptWord
	byKey    map[string]int  // index in words
	initials map[string]bool // first two bytes of the keys
	from     *Collection
}

type promptWord struct {
	key     string
	whole   bool // not a part or a compound of an identifier, whose absence says nothing
	share   float64
	holding int
}

// Verdict is how well a text answers a prompt.
type Verdict struct {
	Score, Threshold float64
	Native           float64 // part of the score that the prompt has in this collection, whatever the text
	Words            []Word  // that text and prompt share, the weightiest first
}

// Word is a stem and its information in nats.
type Word struct {
	Text  string
	Worth float64
}

// Favor lets a text pass with a lower score.
func (v *Verdict) Favor() { v.Threshold -= favor }

// Passes reports whether the text should be told unasked.
func (v Verdict) Passes() bool { return v.Score >= v.Threshold }

// Parse takes a prompt apart for a collection.
func (c *Collection) Parse(text string) *Prompt {
	p := &Prompt{byKey: map[string]int{}, initials: map[string]bool{}, from: c}
	words.Scan(text[:min(len(text), promptBytes)], 0, func(t words.Token) {
		if t.Form == words.Shingle || t.Form == words.Last {
			return
		}
		stem := c.Stem(t.Text)
		key := cmp.Or(stem, t.Text)
		if _, ok := p.byKey[key]; ok {
			return
		}
		p.byKey[key] = len(p.words)
		p.initials[initial(key)] = true
		p.words = append(p.words, promptWord{key, t.Form == words.Whole, everydayShare(key), c.Holding(Key{key, stem != ""})})
	})
	return p
}

// initial is what a word and its stem have in common.
func initial(word string) string { return word[:min(2, len(word))] }

// find returns the index of the prompt's word that a token stands for, or -1.
func (p *Prompt) find(word string) int {
	if p.initials[initial(word)] {
		if i, ok := p.byKey[cmp.Or(p.from.Stem(word), word)]; ok {
			return i
		}
	}
	return -1
}

// Judge returns how well the best passage of a text answers the prompt. A title belongs to
// every passage.
func (p *Prompt) Judge(title, body string) (best Verdict) {
	best.Score = math.Inf(-1)
	t := p.read(title, body)
	for from := 0; from == 0 || from+passageStep < t.words; from += passageStep {
		held, distinct := t.passage(from)
		if v := p.weigh(held, t.inTitle, float64(max(distinct, 1))); v.Score > best.Score { // a text may have no words
			best = v
		}
	}
	best.Threshold = p.from.threshold(IsLong(t.words))
	return best
}

// threshold is the score from which a text is told.
func (c *Collection) threshold(long bool) float64 {
	if long {
		return longThreshold + longGrowth*math.Log(float64(max(c.Long, 1)))
	}
	return shortThreshold + shortGrowth*math.Log(float64(max(c.Texts-c.Long, 1)))
}

// weigh scores a passage of so many distinct words.
func (p *Prompt) weigh(held, inTitle []bool, distinct float64) (v Verdict) {
	shared, missing, titled, native, whole := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, w := range p.words {
		here, everyday := p.chances(w, held[i], distinct)
		worth := -math.Log(here)
		switch {
		case held[i]:
			shared += worth
			v.Words = append(v.Words, Word{w.key, worth})
			if inTitle[i] {
				titled += worth
			}
		case w.whole:
			missing += worth
		}
		if w.whole {
			native += math.Log(here / everyday)
			whole++
		}
	}
	shared = max(shared, leastShared)
	slices.SortStableFunc(v.Words, func(a, b Word) int { return cmp.Compare(b.Worth, a.Worth) })
	v.Native = nativeWeight * min(native/max(whole, 1), mostNative)
	v.Score = sharedWeight*math.Log(shared) + coveredWeight*shared/(shared+missing) + titleWeight*math.Log1p(titled) + v.Native - math.Log(max(distinct, shortPassage))
	return v
}

// chances are how likely a word stands in a passage of so many distinct words, in the
// collection and in everyday English. What is known of the collection, without the passage
// itself, is mixed with the latter: a small collection says little about a word.
func (p *Prompt) chances(w promptWord, held bool, distinct float64) (here, everyday float64) {
	texts, each := float64(p.from.Texts), 1+max(0, p.from.MeanWords-passageWords)/passageStep
	holding := float64(w.holding)
	if held {
		holding = max(holding-1, 0)
	}
	everyday = 1 - math.Pow(1-w.share, distinct)
	here = (holding*math.Sqrt(each) + everydayMass*everyday) / (texts*each + everydayMass)
	return min(here, 1), everyday
}
