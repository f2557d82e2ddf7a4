package marker

import (
	"fmt"
	"path"
	"strings"
)

// Shelves says what of a project is searched beside its notes. Its zero value is the
// default: documents and commits, all of them.
type Shelves struct {
	NoDocuments, NoCommits bool
	Globs                  []string // of documents, relative to the root with slashes; none means all
}

// String is the value of the key as project.yaml has it.
func (s Shelves) String() string {
	var words []string
	if !s.NoDocuments {
		words = append(words, "documents")
	}
	if !s.NoCommits {
		words = append(words, "commits")
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// parseShelves reads the value of the key sources: none, or a list of documents and
// commits, the first perhaps with globs in parentheses. With a fault the value is the
// default.
func parseShelves(text string) (s Shelves, fault string) {
	text, ok := unquoteScalar(text)
	if !ok {
		return Shelves{}, "the value of sources is not a list on one line"
	}
	if text == "" {
		return Shelves{}, ""
	}
	s = Shelves{NoDocuments: true, NoCommits: true}
	entries := splitShelves(text)
	for _, entry := range entries {
		name, globs, given := strings.Cut(strings.TrimSpace(entry), "(")
		switch name = strings.TrimSpace(name); {
		case name == "documents":
			s.NoDocuments = false
			if given {
				s.Globs, fault = parseGlobs(globs)
			}
		case given:
			fault = fmt.Sprintf("%q takes nothing in parentheses", displayName(name))
		case name == "commits":
			s.NoCommits = false
		case name == "none" && len(entries) == 1:
		case name == "none":
			fault = "none stands beside other sources"
		default:
			fault = fmt.Sprintf("unknown source %q", displayName(name))
		}
		if fault != "" {
			return Shelves{}, fault
		}
	}
	return s, ""
}

// splitShelves splits a list at the commas that stand outside parentheses.
func splitShelves(text string) (entries []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			entries = append(entries, text[from:i])
			from = i + 1
		}
	}
	return append(entries, text[from:])
}

// maxGlobs is how many globs of documents a project may have.
const maxGlobs = 100

// parseGlobs reads what stands behind the parenthesis that opens.
func parseGlobs(text string) (globs []string, fault string) {
	text, ok := strings.CutSuffix(text, ")")
	if !ok {
		return nil, "the globs of documents lack a closing parenthesis"
	}
	globs = strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' })
	if len(globs) == 0 || len(globs) > maxGlobs {
		return nil, fmt.Sprintf("documents has %d globs, give 1 to %d", len(globs), maxGlobs)
	}
	for _, glob := range globs {
		if !globForm(glob) {
			return nil, fmt.Sprintf("bad glob %q", displayName(glob))
		}
	}
	return globs, ""
}

// globForm reports a glob that is relative to the root, stays below it, and closes what
// it opens.
func globForm(glob string) bool {
	for part := range strings.SplitSeq(glob, "/") {
		_, err := path.Match(part, "")
		if err != nil || part == "" || part == "." || part == ".." || strings.ContainsAny(part, "()") {
			return false
		}
	}
	return true
}
