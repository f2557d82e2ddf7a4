package merge

import (
	"regexp"
	"strings"

	"blue/blue/internal/note"
)

type front struct {
	note  note.Text
	keys  []string
	lines map[string]string // of each key, "" of what stands behind the last one
}

// takeApart parts a front matter into the lines of its keys. One that cannot be parsed is
// parted by the lines that look like the start of a key.
func takeApart(n note.Text) (f front, ok bool) {
	segments, ok := n.Segments()
	if _, closing := n.Frame(); !ok && closing != "" {
		segments, ok = splitKeys(n.Front)
	}
	f = front{note: n, lines: map[string]string{}}
	for _, s := range segments {
		if _, there := f.lines[s.Key]; s.Key != "" && !there {
			f.keys = append(f.keys, s.Key)
		}
		f.lines[s.Key] += s.Lines // of a key that stands twice, both
	}
	return f, ok
}

var keyStart = regexp.MustCompile(`^(?:"([^"\\]+)"|'([^']+)'|([^\s"'#\[\]{}&*!|>%@,?` + "`" + `-].*?))\s*:\s`)

// splitKeys parts a front matter by its lines alone. It is not ok when something else than
// comments stands before the first key.
func splitKeys(text string) (segments []note.Segment, ok bool) {
	loose := "" // comments and blank lines, which belong to the key behind them
	for line := range strings.Lines(text) {
		m := keyStart.FindStringSubmatch(line + "\n")
		switch last := len(segments) - 1; {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			loose += line
			continue
		case m != nil:
			segments = append(segments, note.Segment{Key: m[1] + m[2] + m[3], Lines: loose + line})
		case last < 0:
			return nil, false
		default:
			segments[last].Lines += loose + line
		}
		loose = ""
	}
	return append(segments, note.Segment{Lines: loose}), true
}

// value parses the lines of one key. It is not ok when they cannot be parsed.
func (f front) value(key string) (n note.Text, ok bool) {
	n = note.ParseText("x.md", []byte("---\n"+f.lines[key]+"---\n"))
	if n.Problem != "" { // it may refer to another key
		n = f.note
	}
	return n, n.Problem == ""
}

// splitComments parts the lines of a key from the comments and blank lines above them.
func splitComments(lines string) (comments, key string) {
	at := 0
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			break
		}
		at += len(line)
	}
	return lines[:at], lines[at:]
}
