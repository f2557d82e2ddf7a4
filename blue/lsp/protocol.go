package lsp

import (
	"strings"
	"unicode/utf16"

	"blue/blue"
	"blue/marker"
)

// message holds the parameters of all messages that the server reads, as far as it uses them.
// Documents are synchronized as a whole.
type message struct {
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
	} `json:"capabilities"`
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	Position position `json:"position"`
}

type position struct {
	Line      int `json:"line"` // from 0, like columns
	Character int `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

const (
	isWarning = 2 // severity of a diagnostic
	isHint    = 4
)

// columns converts between bytes of a line and the columns of the client: UTF-16, or else UTF-8.
type columns struct{ utf8 bool }

// width returns the number of columns of a text.
func (c columns) width(text string) (n int) {
	if c.utf8 {
		return len(text)
	}
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// offset returns the byte offset of a position in a text. A position behind the end of a line or of
// the text means that end.
func (c columns) offset(text string, at position) int {
	start := 0
	for range at.Line {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return len(text)
		}
		start += end + 1
	}
	line, _, _ := strings.Cut(text[start:], "\n")
	line = strings.TrimSuffix(line, "\r")
	for i, r := range line {
		if at.Character <= 0 {
			return start + i
		}
		at.Character -= c.width(string(r))
	}
	return start + len(line)
}

// between returns the range between two byte offsets in a text.
func (c columns) between(text string, first, last int) textRange {
	at := func(offset int) position {
		start := strings.LastIndexByte(text[:offset], '\n') + 1
		return position{strings.Count(text[:start], "\n"), c.width(text[start:offset])}
	}
	return textRange{at(first), at(last)}
}

// line returns the range of a line, counted from 1, without the space around it. 0 means the first.
func (c columns) line(text string, number int) textRange {
	first := c.offset(text, position{Line: max(number-1, 0)})
	line, _, _ := strings.Cut(text[first:], "\n")
	line = strings.TrimRight(line, " \t\r")
	return c.between(text, first+len(line)-len(strings.TrimLeft(line, " \t")), first+len(line))
}

// locations returns where spots of the core are.
func (c columns) locations(spots []blue.Spot) (all []location) {
	for _, s := range spots {
		first := position{s.Line, c.width(s.Before)}
		last := position{s.Line, first.Character + c.width(s.Within)}
		all = append(all, location{marker.FileURI(s.File), textRange{first, last}})
	}
	return all
}
