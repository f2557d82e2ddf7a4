package gate

import "blue/blue/internal/words"

// text is a text taken apart for a prompt.
type text struct {
	tokens  []token
	words   int    // of the body
	inTitle []bool // by word of the prompt
	titled  int    // distinct words of the title
	seen    []int  // by number of a distinct word: the passage that had it last
	passed  int    // passages so far
	held    []bool // by word of the prompt, of the present passage
	next    int    // token that begins the next passage
}

type token struct {
	position int
	number   int // of the distinct word
	asked    int // word of the prompt, or -1
}

func (p *Prompt) read(title, body string) *text {
	t := &text{inTitle: make([]bool, len(p.words)), held: make([]bool, len(p.words))}
	numbers := map[string]int{}
	number := func(word string) int {
		n, ok := numbers[word]
		if !ok {
			n = len(numbers)
			numbers[word] = n
		}
		return n
	}
	scanner := words.Scanner{NoShingles: true, Yield: func(w words.Token) {
		number(w.Text)
		if i := p.find(w.Text); i >= 0 {
			t.inTitle[i] = true
		}
	}}
	scanner.Scan(title)
	t.titled = len(numbers)
	scanner = words.Scanner{NoShingles: true, Yield: func(w words.Token) {
		t.tokens = append(t.tokens, token{w.Position, number(w.Text), p.find(w.Text)})
	}}
	scanner.Scan(body)
	t.words, t.seen = scanner.Position, make([]int, len(numbers))
	return t
}

// passage returns which words of the prompt the passage from a word on holds, with the
// title, and how many distinct words. Passages are asked for in order.
func (t *text) passage(from int) (held []bool, distinct int) {
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
