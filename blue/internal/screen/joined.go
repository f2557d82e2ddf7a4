package screen

import (
	"iter"
	"strings"
)

// minJoined is the length from which joined words can hold a secret; words without a digit
// hold none.
const minJoined = 20

// joinedLines yields the words that stand around line ends, joined: a token that was
// split over lines is whole in one of these views. A line that is one word is joined with
// both of its neighbours. What quotes or indents a line is left out.
func joinedLines(v view) iter.Seq[view] {
	return func(yield func(view) bool) {
		var words [][2]int // where the words stand
		text, line := v.text, 0
		for {
			size := strings.IndexByte(text[line:], '\n')
			if size < 0 {
				break
			}
			end, begin := lineEnd(text, line, line+size), lineStart(text, line+size+1)
			if n := len(words); n == 0 || words[n-1][1] != end {
				if !yieldJoined(v, words, yield) {
					return
				}
				words = append(words[:0], [2]int{wordStart(text, line, end), end})
			}
			line += size + 1
			words = append(words, [2]int{begin, wordEnd(text, begin)})
		}
		yieldJoined(v, words, yield)
	}
}

// yieldJoined yields the joined words when they are long enough to hold a secret.
func yieldJoined(v view, words [][2]int, yield func(view) bool) bool {
	size, digits := 0, false
	for _, at := range words {
		size += at[1] - at[0]
		digits = digits || strings.ContainsAny(v.text[at[0]:at[1]], "0123456789")
	}
	if size < minJoined || !digits {
		return true
	}
	var p viewBuilder
	var joins []int
	for _, at := range words {
		if p.text.Len() > 0 && at[0] < at[1] {
			joins = append(joins, p.text.Len())
		}
		p.addPiece(v.text[at[0]:at[1]], at[0])
	}
	return len(joins) == 0 || yield(p.build(joins, v.toText))
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
	for end > line && isJoinable(text[end-1]) {
		end--
	}
	return end
}

func wordEnd(text string, start int) int {
	for start < len(text) && isJoinable(text[start]) {
		start++
	}
	return start
}

func isJoinable(c byte) bool { return isWord(c) || strings.IndexByte("-+/=.%:@$~!", c) >= 0 }
