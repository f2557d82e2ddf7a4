package sessions

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Kinds of what an exchange may settle.
const (
	kindCorrection = "correction"
	kindDecision   = "decision"
	kindCause      = "cause"
	kindFailure    = "failure"
)

// Sizes of a harvest.
const (
	saidMost     = 400 // bytes of a passage
	leastTitle   = 2   // score of the norms and decisions of a sentence that makes a title
	titleMost    = 90  // bytes of a suggested title
	leastFailure = 20  // bytes of the text of a failure by which it is recognized again
	remedyWithin = 4   // exchanges behind a failure in which its remedy is looked for
	taskSize     = 400 // bytes of what the person said, beyond which it is a task with its details
	troubleAgo   = 5   // exchanges before a cause in which there was trouble
)

// settled is an exchange that settles something.
type settled struct {
	Exchange
	kind, why      string
	said, answered string // sentences that settle it
	title          string
	score          float64
}

// Harvest returns what exchanges have settled, the surest first. Those of a session follow each
// other in order. It prefers to miss a settlement rather than to name an exchange that settles
// nothing.
func Harvest(exchanges iter.Seq[Exchange]) []result.Settlement {
	var all []settled
	failures := map[string]*failing{}
	var session []Exchange
	finish := func() {
		for at := range session {
			all = append(all, judge(session, at)...)
		}
		collectFailures(failures, session)
		session = nil
	}
	for e := range exchanges {
		if len(session) > 0 && session[0].Session != e.Session {
			finish()
		}
		session = append(session, e)
	}
	finish()
	for _, f := range failures {
		if s, ok := f.settled(); ok {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b settled) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time),
			cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.kind, b.kind), cmp.Compare(a.title, b.title))
	})
	var listed []result.Settlement
	var best []settled
	for _, s := range all {
		if !slices.ContainsFunc(best, s.repeats) {
			best = append(best, s)
			listed = append(listed, s.show())
		}
	}
	return listed
}

// IsExchange reports whether a text has the form of the name of an exchange.
func IsExchange(name string) bool {
	session, number, _ := strings.Cut(name, "#")
	client, id, _ := strings.Cut(session, "/")
	_, err := strconv.Atoi(number)
	return client != "" && id != "" && err == nil && !strings.ContainsFunc(name, unicode.IsControl)
}

// repeats reports whether another settlement is that of the same exchange or its neighbour.
func (s settled) repeats(other settled) bool {
	distance := s.Number - other.Number
	return s.Client == other.Client && s.Session == other.Session && -1 <= distance && distance <= 1
}

// show returns a settlement as replies show it, with the command that writes a note of it.
func (s settled) show() result.Settlement {
	shown := result.Settlement{
		ID: note.ShowLabel(s.Name(), result.PathShown), Client: s.Client, Date: s.Time.Format(time.DateOnly),
		Kind: s.kind, Why: s.why,
		Said: note.ShowLabel(note.OneLine(s.said), saidMost), Answered: note.ShowLabel(note.OneLine(s.answered), saidMost),
		Type: note.TypeDecision, Title: titleOf(s.title),
	}
	if s.kind == kindCause || s.kind == kindFailure {
		shown.Type = note.TypeRemedy
	}
	body := strings.TrimSpace(shown.Said + " " + shown.Answered)
	shown.Write = "blue write --type " + shown.Type +
		" --title " + result.QuoteForShell(shown.Title) + " --body " + result.QuoteForShell(body)
	return shown
}

// titleOf returns a sentence as a title, without words that only lead to it.
func titleOf(sentence string) string {
	title := strings.TrimRight(note.OneLine(sentence), ".:;,! ")
	for {
		word, rest, _ := strings.Cut(title, " ")
		word = strings.ToLower(word)
		plain, isOpener := strings.CutSuffix(word, ",")
		isOpener = isOpener && slices.Contains(openers, plain)
		if rest == "" || !isOpener && !slices.Contains(fillers, strings.TrimRight(word, ",:.!")) {
			break
		}
		title = rest
	}
	first, size := utf8.DecodeRuneInString(title)
	return note.ShowLabel(string(unicode.ToUpper(first))+title[size:], titleMost)
}

// judge returns what an exchange of a session settles by what is said in it.
func judge(session []Exchange, at int) (all []settled) {
	e := session[at]
	said, answer := strings.Join(e.texts(Person), "\n"), strings.Join(e.texts(Agent), "\n")
	best, second, opened := settled{Exchange: e}, 0.0, false
	for n, sentence := range sentences(said) {
		w := wordsOf(sentence)
		against, norm, chosen := 0.0, rate(w, norms), rate(w, decisions)
		if n == 0 && begins(w, openers) {
			against = rateOpener
			opened = true
		}
		if len(said) > taskSize && !opened {
			norm = 0 // of a task
		}
		score := against + norm + chosen - rate(w, doubts) - rate(w, troubles)
		switch {
		case norm+chosen == 0:
			continue // it says nothing of the kind
		case strings.HasSuffix(sentence, "?"):
			score -= 4
		case strings.Count(w, " ") < 5:
			score--
		}
		if best.title == "" || norm+chosen >= leastTitle && len(sentence) > len(best.title) {
			best.title = sentence
		}
		if score <= best.score {
			second = max(second, score)
			continue
		}
		second = max(best.score, 0)
		best.score, best.kind = score, kindDecision
		if against > 0 || norm > chosen {
			best.kind = kindCorrection
		}
	}
	best.score += second / 2
	if begins(wordsOf(answer), assents) {
		best.score += 0.5
	}
	if best.kind != "" && best.score >= leastSettled {
		best.why = "it was decided"
		if best.kind == kindCorrection {
			best.why = "the person corrected the agent"
		}
		best.said, best.answered = said, answer
		all = append(all, best)
	}
	if s, ok := judgeCause(session, at, answer); ok {
		all = append(all, s)
	}
	return all
}

// judgeCause returns the cause that an answer tells, if something was wrong and was cured.
func judgeCause(session []Exchange, at int, answer string) (s settled, ok bool) {
	s = settled{Exchange: session[at], kind: kindCause, why: "it tells the cause of a problem"}
	parts := sentences(answer)
	for _, sentence := range parts {
		w := wordsOf(sentence)
		if score := rate(w, causes) - rate(w, doubts); score > s.score && !strings.HasSuffix(sentence, "?") {
			s.score, s.title, s.answered = score, sentence, sentence
		}
	}
	if s.score == 0 {
		return s, false
	}
	s.score += min(rate(wordsOf(answer), cures), 2)
	trouble := false
	for _, e := range session[max(0, at-troubleAgo) : at+1] {
		trouble = trouble || len(e.texts(Failure)) > 0 || rate(wordsOf(strings.Join(e.texts(Person), "\n")), troubles) > 0
	}
	if trouble {
		s.score++
	}
	s.said, s.answered = strings.Join(s.texts(Person), " "), answer
	return s, s.score >= leastCause
}

// failing is a failure that several exchanges have had.
type failing struct {
	text  string
	times int
	cured []settled // exchanges that tell what helped
}

// collectFailures adds the failures of a session, and what helped against them.
func collectFailures(all map[string]*failing, session []Exchange) {
	last := map[string]int{} // where a failure was seen last
	for at, e := range session {
		for _, text := range e.texts(Failure) {
			key := failureKey(text)
			if len(key) < leastFailure {
				continue
			}
			f := all[key]
			if f == nil {
				f = &failing{text: text}
				all[key] = f
			}
			if seen, ok := last[key]; !ok || seen != at {
				f.times++
			}
			last[key] = at
		}
	}
	for key, from := range last {
		for at := from; at < min(len(session), from+remedyWithin); at++ {
			e := session[at]
			said, answer := strings.Join(e.texts(Person), "\n"), strings.Join(e.texts(Agent), "\n")
			if w := wordsOf(said + "\n" + answer); rate(w, cures) > rate(w, failed) {
				all[key].cured = append(all[key].cured, settled{Exchange: e, said: said, answered: answer})
				break
			}
		}
	}
}

// settled returns the failure with the latest remedy.
func (f failing) settled() (s settled, ok bool) {
	if f.times < 2 || len(f.cured) == 0 {
		return s, false
	}
	s = slices.MaxFunc(f.cured, func(a, b settled) int { return a.Time.Compare(b.Time) })
	line := firstLine(f.text)
	s.kind, s.why, s.title = kindFailure, fmt.Sprintf("it failed %d times, then this helped", f.times), line
	s.said = line + " — " + s.said
	s.score = leastSettled + 1 + min(float64(f.times), 4)/2
	return s, true
}

// failureKey returns the text of a failure without what differs from time to time.
func failureKey(text string) string {
	var b strings.Builder
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if strings.Trim(word, "0123456789abcdefx-_:.,@/()[]") != "" { // else a number, a time, an address or an id
			b.WriteString(strings.Trim(strings.Map(withoutDigits, word), ":,.") + " ")
		}
		if b.Len() > 300 {
			break
		}
	}
	return b.String()
}

// withoutDigits maps digits to none, for [strings.Map].
func withoutDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}

func (e Exchange) texts(speaker string) (all []string) {
	for _, t := range e.Turns {
		if t.Speaker == speaker {
			all = append(all, t.Text)
		}
	}
	return all
}

// sentences splits a text.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		start := 0
		for i := 0; i < len(line); i++ {
			if strings.IndexByte(".!?", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\n') {
				all = append(all, strings.TrimSpace(line[start:i+1]))
				start = i + 1
			}
		}
		if rest := strings.TrimSpace(line[start:]); rest != "" {
			all = append(all, rest)
		}
	}
	return all
}

// wordsOf returns the words of a text in lower case, each between spaces, so that a phrase is found
// as a substring.
func wordsOf(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	return " " + strings.Join(words, " ") + " "
}

// rate returns the sum of the weights of the phrases that words have.
func rate(words string, phrases map[string]float64) (sum float64) {
	for phrase, weight := range phrases {
		if strings.Contains(words, " "+phrase+" ") {
			sum += weight
		}
	}
	return sum
}

// begins reports whether words begin with one of some phrases.
func begins(words string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.HasPrefix(words, " "+phrase+" ") })
}
