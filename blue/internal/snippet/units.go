package snippet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is a part of a body that is shown as a whole: a sentence, a list item, a table row, a line
// of code.
type unit struct {
	start, end  int
	heading     string // heading above it, with its markup; empty below the title
	above       [2]int // offsets of that heading if it is directly above
	isCode      bool
	isTask      bool    // an item of a checklist
	isBehindGap bool    // units before it have been left out
	isLeading   bool    // only introduces the next unit: ends with a colon, opens a block, or is the head of a table
	matches     []match // including those in the heading directly above
}

// match is an occurrence of a word of the query in a body.
type match struct {
	start, end int
	isFirst    bool // of its word in the unit
	queryTerm
}

// queryTerm is a term's weight in the query, its value in a passage, and its number.
type queryTerm struct {
	weight float64
	worth  float64
	number int
}

// splitter splits a body into units. Decoration is not part of any unit.
type splitter struct {
	body      string
	units     []unit
	heading   string
	above     [2]int // offsets of the heading, until a unit follows
	paragraph int    // start of the open paragraph, -1 for none
	inCode    bool   // between two fences
	inComment bool
	all       bool // treat decoration as text
}

// splitUnits splits a body into units and reuses the memory of a former slice. If all is true,
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
	if s.endParagraph(len(body)); len(s.units) == 0 { // only headings
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

// endParagraph adds the sentences of the open paragraph as units.
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

// addUnit adds a unit, without the space around it.
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

// isListItem reports whether a line begins a list item or is part of a quotation.
func isListItem(line string) bool {
	if '0' <= line[0] && line[0] <= '9' {
		rest := strings.TrimLeft(line, "0123456789")
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return len(line) > 1 && strings.IndexByte("-*+>", line[0]) >= 0 && line[1] == ' '
}

// isRule reports whether a line is empty or consists of punctuation only.
func isRule(line string) bool { return strings.Trim(line, "-=*_|: ") == "" }

// isTask reports whether a text is an item of a checklist.
func isTask(text string) bool {
	return len(text) > 5 && strings.IndexByte("-*+", text[0]) >= 0 && text[1:3] == " [" && text[4] == ']'
}

// IsDecoration reports whether a line has no content of its own: it is an entry of a table of
// contents or a link definition.
func IsDecoration(line string) bool { return isContentsEntry(line) || isLinkDefinition(line) }

// isContentsEntry reports whether a line is an entry of a table of contents: a link into the note
// itself.
func isContentsEntry(line string) bool {
	return strings.HasSuffix(line, ")") && strings.Contains(line, "](#") && strings.HasPrefix(strings.TrimLeft(line, "-*+0123456789. "), "[")
}

// isLinkDefinition reports whether a line defines the target of a reference link.
func isLinkDefinition(line string) bool {
	if !strings.HasPrefix(line, "[") {
		return false
	}
	at := strings.Index(line, "]: ")
	return at > 1 && line[1] != '^' && !strings.Contains(strings.TrimSpace(line[at+3:]), " ")
}

// sentenceEnd returns the end of the first sentence of a text: after punctuation that is followed
// by space and not by a lower-case letter, or after the punctuation of a script without spaces.
func sentenceEnd(text string) int {
	for at := nextStop(text, 0); at < len(text); at = nextStop(text, at+1) {
		switch text[at] {
		case 0xE3, 0xEF: // first byte of a full-width stop
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

// nextStop returns the offset of the next character that may end a sentence, or of the first byte
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

// isAbbreviation reports whether the stop follows a single letter or digit: e.g., 1., J.
func isAbbreviation(before string) bool {
	n := len(before)
	bounds := func(c byte) bool { return strings.IndexByte(" \n.(", c) >= 0 }
	return n < 2 || bounds(before[n-1]) || bounds(before[n-2])
}
