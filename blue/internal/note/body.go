package note

import (
	"regexp"
	"strconv"
	"strings"
)

// SetBody replaces the body. It converts line ends to those of the file and ends the body with one.
func (n *Text) SetBody(body string) {
	body = strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n") + "\n"
	n.PutBody(strings.ReplaceAll(strings.TrimLeft(body, "\n"), "\n", n.eol))
}

// PutBody replaces the body verbatim.
func (n *Text) PutBody(body string) {
	n.Body = body
	if n.tail != "" && !strings.HasSuffix(n.tail, "\n") {
		n.tail += n.eol + n.eol
	}
}

// AppendBody appends text after a blank line and leaves the existing body unchanged.
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

// ReplacePassage replaces a passage of the body and returns how often the passage occurs. Unless it
// occurs exactly once, the body is not changed.
func (n *Text) ReplacePassage(from, to string) (times int) {
	if n.eol == "\r\n" && !strings.Contains(from, "\r") {
		from, to = strings.ReplaceAll(from, "\n", "\r\n"), strings.ReplaceAll(strings.ReplaceAll(to, "\r\n", "\n"), "\n", "\r\n")
	}
	if times = strings.Count(n.Body, from); times == 1 {
		n.Body = strings.Replace(n.Body, from, to, 1)
	}
	return times
}

// spelledOut matches an escaped hidden character.
var spelledOut = regexp.MustCompile(`\\u\{[0-9A-F]+\}`)

// RestoreHidden reverts the escapes of [ShowHidden] in a body that a person has edited. Unchanged
// lines, wherever they stand now, get their original bytes back, including the line end. In changed
// lines, escapes become hidden characters again, so that the usual check for them refuses the text.
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
			kept[i] += n.eol // the last line had no line end
		}
	}
	return strings.Join(kept, "")
}

// RestoreFile is [Text.RestoreHidden] for the whole file.
func (n *Text) RestoreFile(edited string) Text {
	whole := Text{Body: string(n.Bytes()), eol: n.eol}
	restored := ParseText(".md", []byte(whole.RestoreHidden(edited)))
	restored.id = n.id
	return restored
}

// spelledIn returns the escapes of hidden characters that lines contain.
func spelledIn(shown map[string][]string) map[string]bool {
	hidden := map[string]bool{}
	for text, lines := range shown {
		for _, line := range lines {
			if ShowHidden(line) == line {
				continue // the original text has this escape literally
			}
			for _, spelling := range spelledOut.FindAllString(text, -1) {
				hidden[spelling] = true
			}
		}
	}
	return hidden
}

// restoreHidden returns the character that an escape stands for, if any.
func restoreHidden(spelling string, hidden map[string]bool) string {
	code, err := strconv.ParseInt(strings.Trim(spelling, `\u{}`), 16, 32)
	if err != nil || !hidden[spelling] {
		return spelling
	}
	return string(rune(code))
}
