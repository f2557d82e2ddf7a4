package corpus

import (
	"path"
	"slices"
	"strings"
)

// glob is a pattern for paths: its parts stand between slashes, and ** is any number of
// parts, none included.
type glob []string

// parseGlob reads a pattern that is relative to a directory.
func parseGlob(text string) glob {
	parts := strings.Split(text, "/")
	if last := len(parts) - 1; parts[last] == "**" {
		parts = append(parts, "*") // everything inside, not the directory itself
	}
	return parts
}

// matches reports whether the pattern fits a path, in time at most proportional to the
// product of their lengths.
func (g glob) matches(name []string) bool {
	at, again, from := 0, -1, 0 // again: the part after the last **, tried from that part of the name on
	for i := 0; i < len(name); {
		switch {
		case at < len(g) && g[at] == "**":
			at++
			again, from = at, i
		case at < len(g) && matchPart(g[at], name[i]):
			at++
			i++
		case again >= 0:
			from++
			at, i = again, from
		default:
			return false
		}
	}
	return !slices.ContainsFunc(g[at:], func(part string) bool { return part != "**" })
}

// reaches reports whether the pattern may fit something inside a directory.
func (g glob) reaches(dir []string) bool {
	for i, part := range dir {
		if i >= len(g) {
			return false
		}
		if g[i] == "**" {
			return true
		}
		if !matchPart(g[i], part) {
			return false
		}
	}
	return len(g) > len(dir)
}

func matchPart(pattern, name string) bool {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == name
	}
	if end, ok := strings.CutPrefix(pattern, "*"); ok && !strings.ContainsAny(end, `*?[\`) {
		return strings.HasSuffix(name, end)
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
	return ok && err == nil
}
