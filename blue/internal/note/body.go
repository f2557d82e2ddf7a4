package note

import (
	"regexp"
	"strconv"
	"strings"
)

// SetBody replaces the body, with the line ends of the file and one at the end.
func (n *Text) SetBody(body string) {
	body = strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n") + "\n"
	n.PutBody(strings.ReplaceAll(strings.TrimLeft(body, "\n"), "\n", n.eol))
}

// PutBody replaces the body by bytes that stay as they are.
func (n *Text) PutBody(body string) {
	n.Body = body
	if n.tail != "" && !strings.HasSuffix(n.tail, "\n") {
		n.tail += n.eol + n.eol
	}
}

// AppendBody adds text after a blank line; what stands there stays as it is.
func (n *Text) AppendBody(text string) {
	gap := n.eol + n.eol
	switch {
	case strings.HasSuffix(n.Body, gap):
		gap = ""
	case strings.HasSuffix(n.Body, "\n"):
		gap = n.eol
	}
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
	n.Body += gap + strings.ReplaceAll(text, "\n", n.eol)
}

// ReplacePassage puts a text in the place of a passage that stands once in the body, and
// returns how often it stands there: unless that is once, nothing is changed.
func (n *Text) ReplacePassage(from, to string) (times int) {
	if n.eol == "\r\n" && !strings.Contains(from, "\r") {
		from, to = strings.ReplaceAll(from, "\n", "\r\n"), strings.ReplaceAll(strings.ReplaceAll(to, "\r\n", "\n"), "\n", "\r\n")
	}
	if times = strings.Count(n.Body, from); times == 1 {
		n.Body = strings.Replace(n.Body, from, to, 1)
	}
	return times
}

// spelledOut is a hidden character as it is shown.
var spelledOut = regexp.MustCompile(`\\u\{[0-9A-F]+\}`)

// RestoreHidden is the body that a person meant who edited it as [ShowHidden] shows it.
// A line that they left as it was, wherever it stands now, is the line that it was, to
// its line end. Where one was changed, a hidden character still spelled out in it is one
// again: it is refused as every line that is written with one, and never becomes text
// without a word.
func (n *Text) RestoreHidden(edited string) string {
	was := map[string][]string{}
	for line := range strings.Lines(n.Body) {
		text := strings.TrimRight(ShowHidden(line), "\r\n")
		was[text] = append(was[text], line)
	}
	var lines []string
	for line := range strings.Lines(edited) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	kept := make([]string, len(lines))
	for i, line := range lines {
		if left := was[line]; len(left) > 0 {
			kept[i], was[line] = left[0], left[1:]
		}
	}
	hidden := spelledIn(was)
	for i, line := range lines {
		if kept[i] == "" {
			kept[i] = spelledOut.ReplaceAllStringFunc(line, func(s string) string { return restoreHidden(s, hidden) }) + n.eol
		}
		if i < len(lines)-1 && !strings.HasSuffix(kept[i], "\n") {
			kept[i] += n.eol // it was the last line
		}
	}
	return strings.Join(kept, "")
}

// RestoreFile is [Text.RestoreHidden] for the whole file, front matter and all.
func (n *Text) RestoreFile(edited string) Text {
	whole := Text{Body: string(n.Bytes()), eol: n.eol}
	restored := ParseText(".md", []byte(whole.RestoreHidden(edited)))
	restored.id = n.id
	return restored
}

// spelledIn are the spellings of hidden characters in lines, given by how they are shown.
func spelledIn(shown map[string][]string) map[string]bool {
	hidden := map[string]bool{}
	for text, lines := range shown {
		for _, line := range lines {
			if ShowHidden(line) == line {
				continue // what is spelled out there is text
			}
			for _, spelling := range spelledOut.FindAllString(text, -1) {
				hidden[spelling] = true
			}
		}
	}
	return hidden
}

// restoreHidden is the character that a spelling stands for, if it stands for one.
func restoreHidden(spelling string, hidden map[string]bool) string {
	code, err := strconv.ParseInt(strings.Trim(spelling, `\u{}`), 16, 32)
	if err != nil || !hidden[spelling] {
		return spelling
	}
	return string(rune(code))
}
