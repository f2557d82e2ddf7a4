package index

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// The gate decides whether a document answers a prompt so clearly that an agent is shown it without
// asking.
//
// A document is judged by its best passage. The score grows with the information that the passage
// and the prompt share, and falls with the length of the passage. Information is measured in nats:
// a word that is rare both in everyday technical English and in the index is worth more than a
// common one. The score also grows with how much likelier the prompt's words are in the index than
// in everyday English: such a prompt is meant for these documents. The threshold grows with the
// number of documents, since among many documents the best match by chance is better.

// Weights of the score and of the threshold. docs/benchmarks.md says what they were fitted on.
const (
	sharedWeight    = 2.2 // of the logarithm of the information that passage and prompt share
	coveredWeight   = 0.9 // of the fraction of the prompt's information that the passage holds
	gateTitleWeight = 0.5 // of the logarithm of the information that title and prompt share
	nativeWeight    = 0.7 // of how much likelier the prompt's words are here than in everyday English
	shortThreshold  = 2.3 // for a text of one passage, in an index with one such text
	shortGrowth     = 0.29
	longThreshold   = 3.2 // for a longer text
	longGrowth      = 0.17
	favor           = 0.3 // subtracted from the threshold of a favored type
	titleFavor      = 5.0 // of the share of the title that the prompt holds, subtracted from that of a titled type
	titleGrowth     = 0.3 // of the logarithm of the number of documents, which makes that less
)

// Limits of what is judged.
const (
	passageWords = 110  // words of a passage
	passageStep  = 55   // words from the start of one passage to the start of the next
	everydayMass = 60.0 // number of passages of everyday English that the documents are mixed with
	promptBytes  = 4000 // of a prompt, the rest is ignored
	leastShared  = 0.1  // nats; avoids the logarithm of zero
	shortPassage = 20.0 // distinct words; a shorter passage counts as one of this length
	leastCode    = 4    // bytes of a word that is code
	mostNative   = 2.0  // nats; texts of one pattern share many words that answer nothing
)

// everydayTable lists the most common stems of everyday technical English in alphabetical order,
// one per line with its occurrences per million words. TestCountEveryday generates it.
//
//go:embed everyday.txt
var everydayTable string

// rareShare is the share of a stem that is not in the table: half of the smallest share in it.
const rareShare = 0.5e-6

// everydayShare returns the share of a stem among all words of everyday technical English.
func everydayShare(stem string) float64 {
	lineAround := func(at int) (word, count string) {
		line, _, _ := strings.Cut(everydayTable[strings.LastIndexByte(everydayTable[:at], '\n')+1:], "\n")
		word, count, _ = strings.Cut(line, " ")
		return word, count
	}
	at := sort.Search(len(everydayTable), func(at int) bool { word, _ := lineAround(at); return word >= stem })
	word, count := lineAround(at)
	n, err := strconv.Atoi(count)
	if word != stem || err != nil {
		return rareShare
	}
	return float64(n) / 1e6
}

// prompt is a parsed prompt, with what the gate knows about the documents of the index.
type prompt struct {
	words    []promptWord
	byKey    map[string]int  // index in words
	initials map[string]bool // first two bytes of the keys
	stems    *words.Stemmer
	code     []string // as codeWords returns it

	docs, long int // number of documents, and of long ones among them
	meanWords  float64
}

type promptWord struct {
	key     string
	whole   bool // neither a part nor a compound of an identifier, whose absence would say nothing
	share   float64
	holding int
}

// Verdict is how well a document answers a prompt.
type Verdict struct {
	Score, Threshold float64
	Native           float64 // part of the score that depends on the prompt and the index, not on the document
	Words            []Word  // shared by document and prompt, the weightiest first
	Complete         bool    // a passage and the title hold all words of the prompt
	Titled           float64 // how much lower the threshold of a titled type is, for the share of its title that the prompt holds
}

// Word is a stem and its information in nats.
type Word struct {
	Text  string
	Worth float64
}

// Level is 2 for a document that holds all words of the prompt, 1 for another that passes, else 0.
func (v Verdict) Level() int {
	switch {
	case v.Complete:
		return 2
	case v.Passes():
		return 1
	}
	return 0
}

// Passes reports whether the document should be shown unasked.
func (v Verdict) Passes() bool { return v.Score >= v.Threshold }

// parsePrompt parses a prompt and looks up its words.
func (v *snapshot) parsePrompt(text string, stems *words.Stemmer) *prompt {
	p := &prompt{byKey: map[string]int{}, initials: map[string]bool{}, stems: stems, code: codeWords(text[:min(len(text), promptBytes)]), docs: v.docs, meanWords: v.meanLength}
	for _, l := range v.segments {
		p.long += l.Long
	}
	eachKey(text, stems, func(key, term string, form words.Form) {
		if _, ok := p.byKey[key]; ok {
			return
		}
		p.byKey[key] = len(p.words)
		p.initials[initial(key)] = true
		holding, _ := v.holding(term)
		p.words = append(p.words, promptWord{key, form == words.Whole, everydayShare(key), holding})
	})
	return p
}

// eachKey yields the words of a prompt by their stems, with the terms that the index has for these.
func eachKey(text string, stems *words.Stemmer, yield func(key, term string, form words.Form)) {
	words.Scan(text[:min(len(text), promptBytes)], 0, func(t words.Word) {
		if t.Form == words.Shingle || t.Form == words.Last {
			return
		}
		key, term := t.Text, segment.WordTerm+t.Text
		if stem := stems.Stem(t.Text); stem != "" {
			key, term = stem, segment.StemTerm+stem
		}
		yield(key, term, t.Form)
	})
}

// initial returns the beginning that a word and its stem have in common.
func initial(word string) string { return word[:min(2, len(word))] }

// find returns the index of the prompt's word that matches a token, or -1.
func (p *prompt) find(word string) int {
	if p.initials[initial(word)] {
		if i, ok := p.byKey[cmp.Or(p.stems.Stem(word), word)]; ok {
			return i
		}
	}
	return -1
}

// judge returns the verdict on the passage of a text that answers the prompt best. The title
// belongs to every passage.
func (p *prompt) judge(title, body string) (best Verdict) {
	best.Score = math.Inf(-1)
	t, code := p.read(title, body), codeWords(title)
	code = slices.DeleteFunc(code, func(word string) bool { return !slices.Contains(p.code, word) })
	for from := 0; from == 0 || from+passageStep < t.words; from += passageStep {
		held, distinct := t.passage(from)
		if v := p.weigh(held, t.inTitle, code, float64(max(distinct, 1))); v.Score > best.Score { // a text may have no words
			best = v
		}
	}
	best.Threshold = p.threshold(t.words > words.LongText)
	best.Titled = max(titleFavor*t.titleHeld/max(t.titleWorth, 1)-titleGrowth*math.Log(float64(max(p.docs, 1))), 0)
	return best
}

// threshold returns the least score at which a text is shown.
func (p *prompt) threshold(long bool) float64 {
	if long {
		return longThreshold + longGrowth*math.Log(float64(max(p.long, 1)))
	}
	return shortThreshold + shortGrowth*math.Log(float64(max(p.docs-p.long, 1)))
}

// codeWords returns the words of a text that are code of which [words.Scan] loses what matters:
// params={}, --no-cache, run().
func codeWords(text string) (code []string) {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, "`'\".,;:?!")
		isCode := strings.ContainsAny(word, "={}$") || strings.HasSuffix(word, "()") || strings.HasPrefix(word, "--")
		if isCode && len(word) >= leastCode && !slices.Contains(code, word) {
			code = append(code, word)
		}
	}
	return code
}

// weigh scores a passage with that number of distinct words and the code that title and prompt share.
func (p *prompt) weigh(held, inTitle []bool, code []string, distinct float64) (v Verdict) {
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
	for _, word := range code {
		here, _ := p.chances(promptWord{share: rareShare}, true, distinct)
		v.Words = append(v.Words, Word{word, -math.Log(here)})
		shared, titled = shared-math.Log(here), titled-math.Log(here)
	}
	shared = max(shared, leastShared)
	slices.SortStableFunc(v.Words, func(a, b Word) int { return cmp.Compare(b.Worth, a.Worth) })
	v.Complete = len(v.Words) > 0 && missing == 0
	v.Native = nativeWeight * min(native/max(whole, 1), mostNative)
	v.Score = sharedWeight*math.Log(shared) + coveredWeight*shared/(shared+missing) + gateTitleWeight*math.Log1p(titled) + v.Native - math.Log(max(distinct, shortPassage))
	return v
}

// chances returns the probability that a word occurs in a passage with that number of distinct
// words, in the index and in everyday English. The estimate for the index excludes the passage
// itself and is smoothed with everyday English, because a small index says little about a word.
func (p *prompt) chances(w promptWord, held bool, distinct float64) (here, everyday float64) {
	docs, each := float64(p.docs), 1+max(0, p.meanWords-passageWords)/passageStep
	holding := float64(w.holding)
	if held {
		holding = max(holding-1, 0)
	}
	everyday = everydayChance(w.share, distinct)
	here = (holding*math.Sqrt(each) + everydayMass*everyday) / (docs*each + everydayMass)
	return min(here, 1), everyday
}

// everydayChance returns the probability that a word of that share occurs in a passage of everyday
// English with that number of distinct words.
func everydayChance(share, distinct float64) float64 { return 1 - math.Pow(1-share, distinct) }

// judgedText is a text split into tokens for a prompt.
type judgedText struct {
	tokens                []judgedToken
	words                 int     // of the body
	inTitle               []bool  // by word of the prompt
	titled                int     // distinct words of the title
	titleWorth, titleHeld float64 // in everyday English: of the title, and of what the prompt holds of it
	seen                  []int   // by number of a distinct word: the last passage that had it
	passed                int     // passages so far
	held                  []bool  // by word of the prompt, for the current passage
	next                  int     // token that begins the next passage
}

type judgedToken struct {
	position int
	number   int // of the distinct word
	asked    int // word of the prompt, or -1
}

func (p *prompt) read(title, body string) *judgedText {
	t := &judgedText{inTitle: make([]bool, len(p.words)), held: make([]bool, len(p.words))}
	numbers := map[string]int{}
	number := func(word string) int {
		n, ok := numbers[word]
		if !ok {
			n = len(numbers)
			numbers[word] = n
		}
		return n
	}
	scanner := words.Scanner{NoShingles: true, Yield: func(w words.Word) {
		number(w.Text)
		i := p.find(w.Text)
		if i < 0 && w.Form != words.Whole {
			return
		}
		worth := -math.Log(everydayChance(everydayShare(cmp.Or(p.stems.Stem(w.Text), w.Text)), shortPassage))
		if t.titleWorth += worth; i >= 0 {
			t.inTitle[i] = true
			t.titleHeld += worth
		}
	}}
	scanner.Scan(title)
	t.titled = len(numbers)
	scanner = words.Scanner{NoShingles: true, Yield: func(w words.Word) {
		t.tokens = append(t.tokens, judgedToken{w.Position, number(w.Text), p.find(w.Text)})
	}}
	scanner.Scan(body)
	t.words, t.seen = scanner.Position, make([]int, len(numbers))
	return t
}

// passage returns which words of the prompt occur in the title or in the passage that starts at a
// word, and the number of distinct words. Calls must be in ascending order of from.
func (t *judgedText) passage(from int) (held []bool, distinct int) {
	copy(t.held, t.inTitle)
	t.passed++
	distinct = t.titled
	for t.next < len(t.tokens) && t.tokens[t.next].position < from {
		t.next++
	}
	for _, w := range t.tokens[t.next:] {
		if w.position >= from+passageWords {
			break
		}
		if w.number >= t.titled && t.seen[w.number] != t.passed {
			t.seen[w.number] = t.passed
			distinct++
		}
		if w.asked >= 0 {
			t.held[w.asked] = true
		}
	}
	return t.held, distinct
}
