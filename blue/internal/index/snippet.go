package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	snippetBytes = 240     // about three lines
	snippetScan  = 1 << 16 // bytes of a body that are looked through
	ellipsis     = "…"
)

// match is a word of a body that the query asks for.
type match struct {
	start, end int
	key        string
	weight     float64
}

// snippet returns the stretch of a body that holds most of the query's weight,
// each word of it counted once, and where in it the words stand.
func (q *plan) snippet(body string) (text string, marks [][2]int) {
	body = body[:border(body, snippetScan)]
	found := q.matches(body)
	from, to := 0, 0
	if len(found) > 0 {
		from, to = densest(found)
	}
	return show(body, from, to, found)
}

// matches returns the words of a text that the query asks for, in order.
func (q *plan) matches(text string) (found []match) {
	weights := map[string]float64{}
	initials := map[string]bool{} // of stems; a stem begins as its words do
	for _, t := range q.terms {
		weights[t.key] = t.text
		if t.key[:1] == stemTerm {
			initials[t.key[1:min(3, len(t.key))]] = true
		}
	}
	take := func(t token, at int) {
		m := match{at + t.start, at + t.end, wordTerm + t.text, 0}
		if m.weight = weights[m.key]; m.weight == 0 && t.form <= piece && len(t.text) > 2 && initials[t.text[:2]] {
			m.key = stemTerm + q.stems.stem(t.text)
			m.weight = weights[m.key]
		}
		switch n := len(found); {
		case m.weight == 0 || t.form == couple:
		case n > 0 && m.start <= found[n-1].start: // the same word in another form, or a chain of words seen
			if m.start == found[n-1].start && m.weight > found[n-1].weight {
				found[n-1] = m
			}
		default:
			found = append(found, m)
		}
	}
	wanted := beginnings(q.terms)
	for at := 0; at < len(text); {
		size := strings.IndexAny(text[at:], " \t\r\n") + 1
		if size == 0 {
			size = len(text) - at
		}
		if word := text[at : at+size]; wanted.in(word) {
			scan(word, 0, func(t token) { take(t, at) })
		}
		at += size
	}
	return found
}

// densest returns the stretch of at most snippetBytes, from the start of a match
// to the end of one, whose distinct words weigh most; of equals the first.
func densest(found []match) (from, to int) {
	in := map[string]int{}
	sum, most, first := 0.0, 0.0, 0
	for _, m := range found {
		if in[m.key]++; in[m.key] == 1 {
			sum += m.weight
		}
		for m.end-found[first].start > snippetBytes && found[first].start < m.start {
			out := found[first]
			if in[out.key]--; in[out.key] == 0 {
				sum -= out.weight
			}
			first++
		}
		if sum > most*(1+1e-9) {
			most, from, to = sum, found[first].start, m.end
		}
	}
	return from, to
}

// show widens a stretch to snippetBytes, on the borders of words, and writes it in
// one line.
func show(body string, from, to int, found []match) (string, [][2]int) {
	room := max(snippetBytes-(to-from), 0)
	start := wordStart(body, border(body, max(from-room/3, 0)), from)
	end := border(body, start+max(snippetBytes, to-start))
	end = wordEnd(body, start, end)
	var b strings.Builder
	var marks [][2]int
	if strings.TrimSpace(body[:start]) != "" {
		b.WriteString(ellipsis)
	}
	at := start
	for _, m := range found {
		if m.start < at || m.end > end {
			continue
		}
		squeeze(&b, body[at:m.start])
		mark := b.Len()
		squeeze(&b, body[m.start:m.end])
		marks = append(marks, [2]int{mark, b.Len()})
		at = m.end
	}
	squeeze(&b, body[at:end])
	if strings.TrimSpace(body[end:]) != "" {
		b.WriteString(ellipsis)
	}
	return b.String(), marks
}

// squeeze appends a text with each run of spaces and control characters as one
// space, none at the beginning of a snippet.
func squeeze(b *strings.Builder, text string) {
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if s := b.String(); s == "" || s[len(s)-1] == ' ' || s == ellipsis {
				continue
			}
			r = ' '
		}
		b.WriteRune(r)
	}
}

// border returns the border of a rune at or before an offset.
func border(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// wordStart moves forward to where a word begins, at most to the limit.
func wordStart(text string, at, limit int) int {
	if at == 0 {
		return 0
	}
	if i := strings.IndexAny(text[at:limit], " \t\n\r"); i >= 0 {
		return at + i + 1
	}
	return at
}

// wordEnd moves back to where a word ends, unless the only one is long.
func wordEnd(text string, start, at int) int {
	if at == len(text) {
		return at
	}
	if i := strings.LastIndexAny(text[start:at], " \t\n\r"); i > (at-start)/2 {
		return start + i
	}
	return at
}
