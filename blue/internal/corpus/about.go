package corpus

import (
	"net/url"
	"path"
	"strings"
	"unicode"
)

// statusLines is how many lines of a document are looked through for its status.
const statusLines = 60

// statusOf returns the first word of what a document says of its status, in small letters: in its
// front matter, on a line of its own, or below a heading. Most say nothing.
func statusOf(text string) string {
	below, n := false, 0
	for line := range strings.Lines(text) {
		if n++; n > statusLines {
			return ""
		}
		line = strings.ToLower(strings.Trim(line, "#*_->|=~ \t\r\n"))
		if below && line != "" && !strings.HasPrefix(line, "<!") {
			return firstWord(line)
		}
		rest, ok := strings.CutPrefix(line, "status")
		switch rest = strings.TrimLeft(rest, "*_ \t"); {
		case !ok:
		case rest == "" || rest == ":":
			below = true
		case rest[0] == ':' || rest[0] == '|':
			return firstWord(strings.TrimLeft(rest, ":|*_\"' \t"))
		}
	}
	return ""
}

func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// linksMost is how many links of a document count.
const linksMost = 200

// linksOf returns the paths, from the root, of the documents to which the links of one in Markdown
// lead, each once.
func linksOf(name, text string) (to []string) {
	seen := map[string]bool{name: true}
	for len(to) < linksMost {
		_, rest, ok := strings.Cut(text, "](")
		if !ok {
			break
		}
		text = rest
		end := strings.IndexAny(rest, ")# \t\n")
		if end <= 0 || strings.Contains(rest[:end], ":") {
			continue
		}
		target, err := url.PathUnescape(strings.Trim(rest[:end], "<>"))
		if err != nil {
			continue
		}
		if below, ok := strings.CutPrefix(target, "/"); ok {
			target = path.Clean(below)
		} else {
			target = path.Join(path.Dir(name), target)
		}
		if isDocument(target) && !strings.HasPrefix(target, "../") && !seen[target] {
			seen[target] = true
			to = append(to, target)
		}
	}
	return to
}
