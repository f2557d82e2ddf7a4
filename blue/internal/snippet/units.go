package snippet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is a piece of a body that is shown whole: a sentence, an item of a list, a row of a
// table, a line of code.
type unit struct {
	start, end  int
	heading     string // that it lies below, with its signs; empty below the title
	above       [2]int // where that heading stands, if right above it
	isCode      bool
	isTask      bool    // an item of a checklist
	isBehindGap bool    // a unit before it is left out
	isLeading   bool    // it only introduces what follows: ends with a colon, opens a block, or heads a table
	matches     []match // also those of the heading right above it
	distinct    []match // the first of each word
}

// match is a word of a body that the query asks for.
type match struct {
	start, end int
	queryTerm
}

// queryTerm is what the query gives for a word, what it is worth to show it, and its number.
type queryTerm struct {
	weight float64
	worth  float64
	number int
}

// splitter splits a body into units. What only decorates is in none of them.
type splitter struct {
	body      string
	units     []unit
	heading   string
	above     [2]int // where it stands, until a unit follows
	paragraph int    // where the open one begins, -1 for none
	inCode    bool   // between two fences
	inComment bool
	all       bool // decoration is text
}

// splitUnits splits a body into units, reusing the memory of a former slice. If all is true,
// comments, tables of contents and link definitions are units too.
func splitUnits(units []unit, body string, all bool) []unit {
	s := &splitter{body: body, units: units[:0], paragraph: -1, all: all}
	for at := 0; at < len(body); {
		size := strings.IndexByte(body[at:], '\n') + 1
		if size == 0 {
			size = len(body) - at
		}
		s.readLine(at, at+size)
		at += size
	}
	if s.endParagraph(len(body)); len(s.units) == 0 { // headings alone
		start := 0
		if strings.HasPrefix(body, "# ") {
			start = strings.IndexByte(body+"\n", '\n')
		}
		s.addUnit(start, len(body))
	}
	return s.units
}

func (s *splitter) readLine(start, end int) {
	line := strings.TrimSpace(s.body[start:end])
	switch {
	case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
		s.endParagraph(start)
		s.inCode = !s.inCode
	case s.inCode:
		s.addUnit(start, end)
	case !s.all && (s.inComment || strings.HasPrefix(line, "<!--")):
		s.endParagraph(start)
		s.inComment = !strings.Contains(line, "-->")
	case isRule(line) || !s.all && IsDecoration(line):
		s.endParagraph(start)
	case strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
		s.endParagraph(start)
		s.heading, s.above = line, [2]int{start, end}
		if strings.HasPrefix(line, "# ") {
			s.heading, s.above = "", [2]int{}
		}
	case strings.HasPrefix(line, "|"):
		s.endParagraph(start)
		s.addUnit(start, end)
	case s.paragraph < 0 || isListItem(line):
		s.endParagraph(start)
		s.paragraph = start
	}
}

// endParagraph adds the sentences of the open paragraph.
func (s *splitter) endParagraph(end int) {
	start := s.paragraph
	if s.paragraph = -1; start < 0 {
		return
	}
	for start < end {
		size := sentenceEnd(s.body[start:end])
		s.addUnit(start, start+size)
		start += size
	}
}

// addUnit adds a unit without the space around it.
func (s *splitter) addUnit(start, end int) {
	text := strings.TrimRightFunc(s.body[start:end], unicode.IsSpace)
	end = start + len(text)
	start = end - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	if start < end {
		leads := strings.IndexByte(":{[(", s.body[end-1]) >= 0 || s.body[start] == '|' && (len(s.units) == 0 || s.body[s.units[len(s.units)-1].start] != '|')
		s.units = append(s.units, unit{start: start, end: end, heading: s.heading, above: s.above, isCode: s.inCode, isTask: isTask(s.body[start:end]), isLeading: leads})
		s.above = [2]int{}
	}
}

// isListItem reports a line that begins an item, or a line of a quotation.
func isListItem(line string) bool {
	if '0' <= line[0] && line[0] <= '9' {
		rest := strings.TrimLeft(line, "0123456789")
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return len(line) > 1 && strings.IndexByte("-*+>", line[0]) >= 0 && line[1] == ' '
}

// isRule reports a line of signs alone, and an empty one.
func isRule(line string) bool { return strings.Trim(line, "-=*_|: ") == "" }

// isTask reports an item of a checklist.
func isTask(text string) bool {
	return len(text) > 5 && strings.IndexByte("-*+", text[0]) >= 0 && text[1:3] == " [" && text[4] == ']'
}

// IsDecoration reports a line of a text that says nothing by itself: an entry of a table of
// contents, and where a link leads.
func IsDecoration(line string) bool { return isContentsEntry(line) || isLinkDefinition(line) }

// isContentsEntry reports a line of a table of contents: a link into the note itself.
func isContentsEntry(line string) bool {
	return strings.HasSuffix(line, ")") && strings.Contains(line, "](#") && strings.HasPrefix(strings.TrimLeft(line, "-*+0123456789. "), "[")
}

// isLinkDefinition reports a line that says where a link leads whose text stands elsewhere.
func isLinkDefinition(line string) bool {
	at := strings.Index(line, "]: ")
	return at > 1 && line[0] == '[' && line[1] != '^' && !strings.Contains(strings.TrimSpace(line[at+3:]), " ")
}

// sentenceEnd is where the first sentence of a text ends: behind a stop that space and no
// small letter follow, or behind a stop of a script without spaces.
func sentenceEnd(text string) int {
	for at := nextStop(text, 0); at < len(text); at = nextStop(text, at+1) {
		switch text[at] {
		case 0xE3, 0xEF: // the first byte of a wide stop
			if wide, size := utf8.DecodeRuneInString(text[at:]); strings.ContainsRune("。！？", wide) {
				return at + size
			}
		case '.', '!', '?':
			end := at + 1
			for end < len(text) && strings.IndexByte("\"')*_`", text[end]) >= 0 {
				end++
			}
			after := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
			next, _ := utf8.DecodeRuneInString(after)
			if len(after) < len(text)-end && !unicode.IsLower(next) && !isAbbreviation(text[:at]) {
				return end
			}
		}
	}
	return len(text)
}

// nextStop is where the next sign stands with which a sentence may end, or the first byte
// of one.
func nextStop(text string, from int) int {
	end := len(text)
	for _, stop := range [...]byte{'.', '!', '?', 0xE3, 0xEF} {
		if i := strings.IndexByte(text[from:end], stop); i >= 0 {
			end = from + i
		}
	}
	return end
}

// isAbbreviation reports a single letter or figure before a stop: e.g., 1., J.
func isAbbreviation(before string) bool {
	n := len(before)
	bounds := func(c byte) bool { return strings.IndexByte(" \n.(", c) >= 0 }
	return n < 2 || bounds(before[n-1]) || bounds(before[n-2])
}
