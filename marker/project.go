package marker

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

const (
	projectFile    = "project.yaml"
	maxProjectFile = 64 << 10 // bytes
)

// settings are the keys of project.yaml that Blue knows. A person may write the
// file, other tools may keep keys of their own in it.
type settings struct {
	Format, ID, Name, Worktree string
}

// MaxName is how many characters the name of a project may have.
const MaxName = 80

// NameFault says why a text cannot be the name of a project, empty when it can. A
// name stands in every reply, and comes with a repository.
func NameFault(name string) string {
	if n := utf8.RuneCountInString(name); n > MaxName {
		return fmt.Sprintf("it has %d characters, at most %d are allowed", n, MaxName)
	}
	if errors.Visible(name) != name {
		return "it holds line ends, or characters that nobody would see"
	}
	return ""
}

// shownName is a name as replies show it.
func shownName(name string) string { return errors.Clip(errors.Visible(name), MaxName) }

// later reports a format that this Blue does not know.
func (s settings) later() bool { return s.Format != "" && s.Format != "1" }

// readSettings reads the project.yaml of the marker in root. One that cannot be
// read, or is invalid, counts as empty but for its format, with a warning that
// names file and line.
func readSettings(root string) (s settings, warning string) {
	path := filepath.Join(root, Name, projectFile)
	text, err := readSmall(path, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, ""
	}
	if err != nil {
		return settings{}, fmt.Sprintf("%s: %s; the file counts as empty", errors.Visible(path), why(err))
	}
	s, line, problem := parseSettings(string(text))
	if problem != "" {
		return settings{Format: s.Format}, fmt.Sprintf("%s:%d: %s; the file counts as empty", errors.Visible(path), line, problem)
	}
	return s, ""
}

// parseSettings reads flat YAML. Lines that are indented, or items of a list,
// belong to keys of others and are passed over. The format is found even when
// another line is at fault: a later format may well look invalid here.
func parseSettings(text string) (s settings, line int, problem string) {
	fields := map[string]*string{"format": &s.Format, "id": &s.ID, "name": &s.Name, "worktree": &s.Worktree}
	seen := map[string]bool{}
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		key, value, fault := entry(strings.TrimRight(text, "\r\n"))
		field := fields[key]
		switch {
		case field == nil:
		case seen[key]:
			fault = "the key " + key + " stands there twice"
		default:
			seen[key] = true
			*field, fault = scalar(key, value)
		}
		if fault != "" && problem == "" {
			line, problem = number, fault
		}
	}
	return s, line, problem
}

// entry takes one line apart. Lines without a key of their own have an empty one.
func entry(line string) (key, value, fault string) {
	if !utf8.ValidString(line) {
		return "", "", "not valid UTF-8"
	}
	if foreign(line) {
		return "", "", ""
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || key == "" || strings.IndexByte("\f\r[]{}", key[0]) >= 0 || value != "" && !blank(value[0]) {
		return "", "", "not a line of the form key: value"
	}
	return strings.Trim(strings.TrimRight(key, " \t"), `"'`), strings.TrimSpace(value), ""
}

// foreign reports lines without a key of their own: empty or indented ones, comments,
// items of a list, ends of documents, directives.
func foreign(line string) bool {
	if line == "" || blank(line[0]) || line[0] == '#' || line[0] == '%' {
		return true
	}
	first, _, _ := strings.Cut(line, " ")
	return first == "-" || first == "---" || line == "..."
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// idForm reports a word of letters, digits and . _ : @ + - that begins with one of the
// first two.
func idForm(id string) bool {
	word := func(r rune) bool { return isLetter(r) || '0' <= r && r <= '9' }
	odd := func(r rune) bool { return !word(r) && !strings.ContainsRune("._:@+-", r) }
	return id != "" && len(id) <= 128 && word(rune(id[0])) && !strings.ContainsFunc(id, odd)
}

// scalar reads the value of a known key and checks it.
func scalar(key, text string) (value, fault string) {
	value, ok := unquote(text)
	switch {
	case !ok && key == "format":
		return text, ""
	case !ok:
		return "", "the value of " + key + " is not plain text"
	case key == "id" && value != "" && !idForm(value):
		return "", "the id is not a word of letters, digits and . _ : @ + -"
	case key == "worktree" && value != "" && value != "own" && value != "main":
		return "", "worktree is neither own nor main"
	}
	return value, ""
}

// unquote reads a YAML scalar that stands on one line.
func unquote(text string) (value string, ok bool) {
	switch {
	case strings.HasPrefix(text, `"`):
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil || !ends(text[len(quoted):]) {
			return "", false
		}
		value, err = strconv.Unquote(quoted)
		return value, err == nil
	case strings.HasPrefix(text, "'"):
		return single(text[1:])
	case text != "" && strings.ContainsRune("[]{}&*!|>%@`?,", rune(text[0])):
		return "", false
	}
	text = uncommented(text)
	if text == "~" || text == "null" {
		return "", true
	}
	return text, !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":")
}

// single reads what follows a single quote, in which two of them stand for one.
func single(text string) (value string, ok bool) {
	for {
		part, rest, ok := strings.Cut(text, "'")
		if value += part; !ok {
			return "", false
		}
		if text, ok = strings.CutPrefix(rest, "'"); !ok {
			return value, ends(rest)
		}
		value += "'"
	}
}

// ends reports whether nothing but a comment follows.
func ends(rest string) bool { return strings.TrimSpace(uncommented(rest)) == "" }

// uncommented cuts off a comment, which begins with the text or behind a blank.
func uncommented(text string) string {
	for at := range len(text) {
		if text[at] == '#' && (at == 0 || blank(text[at-1])) {
			return strings.TrimRight(text[:at], " \t")
		}
	}
	return text
}
