package screen

import (
	"iter"
	"strings"
)

// leastChain is the length from which joined words can hold a secret; those without
// a digit hold none.
const leastChain = 20

// chains yields the words that stand around line ends, joined: a token that was
// split over lines is whole in one of them. A line that is one word leads on to the
// next. What quotes or indents a line is left out.
func chains(v view) iter.Seq[view] {
	return func(yield func(view) bool) {
		var chain [][2]int // where the words stand
		text, line := v.text, 0
		for {
			size := strings.IndexByte(text[line:], '\n')
			if size < 0 {
				break
			}
			end, begin := lineEnd(text, line, line+size), lineStart(text, line+size+1)
			if n := len(chain); n == 0 || chain[n-1][1] != end {
				if !yieldChain(v, chain, yield) {
					return
				}
				chain = append(chain[:0], [2]int{wordStart(text, line, end), end})
			}
			line += size + 1
			chain = append(chain, [2]int{begin, wordEnd(text, begin)})
		}
		yieldChain(v, chain, yield)
	}
}

// yieldChain yields a chain when it is long enough.
func yieldChain(v view, chain [][2]int, yield func(view) bool) bool {
	size, digits := 0, false
	for _, at := range chain {
		size += at[1] - at[0]
		digits = digits || strings.ContainsAny(v.text[at[0]:at[1]], "0123456789")
	}
	if size < leastChain || !digits {
		return true
	}
	var p pieces
	var joins []int
	for _, at := range chain {
		if p.text.Len() > 0 && at[0] < at[1] {
			joins = append(joins, p.text.Len())
		}
		p.add(v.text[at[0]:at[1]], at[0])
	}
	return len(joins) == 0 || yield(p.view(joins, v.back))
}

// lineEnd is where the text of a line ends, without what leads on to the next line
// or allows the secret on it.
func lineEnd(text string, start, end int) int {
	for {
		line := strings.TrimRight(text[start:end], " \t\r\\\"'`")
		if strings.HasSuffix(line, "-->") {
			line = line[:max(0, strings.LastIndex(line, "<!--"))]
		}
		if n := len(line); n > 1 && line[n-1] == '+' && strings.IndexByte(" \"'`", line[n-2]) >= 0 {
			line = line[:n-1]
		}
		if start+len(line) == end {
			return end
		}
		end = start + len(line)
	}
}

// lineStart is where the text of a line begins, without what indents or quotes it.
func lineStart(text string, at int) int {
	if at < len(text) && text[at] == '+' { // in a difference
		at++
	}
	for at < len(text) && strings.IndexByte(" \t>#*|\"'`", text[at]) >= 0 {
		at++
	}
	return at
}

func wordStart(text string, line, end int) int {
	for end > line && joinable(text[end-1]) {
		end--
	}
	return end
}

func wordEnd(text string, start int) int {
	for start < len(text) && joinable(text[start]) {
		start++
	}
	return start
}

func joinable(c byte) bool { return word(c) || strings.IndexByte("-+/=.%:@$~!", c) >= 0 }
