package merge

import (
	"strings"

	"blue/blue/internal/note"
)

type front struct {
	note  note.Text
	keys  []string
	lines map[string]string // of each key, "" of what stands behind the last one
}

func takeApart(n note.Text) (f front, ok bool) {
	segments, ok := n.Segments()
	f = front{note: n, lines: map[string]string{}}
	for _, s := range segments {
		f.lines[s.Key] = s.Lines
		if s.Key != "" {
			f.keys = append(f.keys, s.Key)
		}
	}
	return f, ok
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
