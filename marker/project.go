package marker

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"blue/errors"
	"blue/marker/mount"
)

const (
	projectFile    = "project.yaml"
	maxProjectFile = 64 << 10 // bytes
)

// settings are the keys of project.yaml that Blue knows. A person may write the
// file, other tools may keep keys of their own in it.
type settings struct {
	Format, ID, Name, Worktree string

	Shelves Shelves
	Sync    Sync
	warning string // about the sources, which then are the default
}

// maxNameLength is how many characters the name of a project may have.
const maxNameLength = 80

// nameFault says why a text cannot be the name of a project, empty when it can. A
// name stands in every reply, and comes with a repository.
func nameFault(name string) string {
	if n := utf8.RuneCountInString(name); n > maxNameLength {
		return fmt.Sprintf("it has %d characters, at most %d are allowed", n, maxNameLength)
	}
	if errors.Visible(name) != name {
		return "it holds line ends, or characters that nobody would see"
	}
	return ""
}

// displayName returns a name as replies show it.
func displayName(name string) string { return errors.Clip(errors.Visible(name), maxNameLength) }

// isUnknownFormat reports whether a later Blue made the project.
func (s settings) isUnknownFormat() bool { return s.Format != "" && s.Format != "1" }

// readSettings reads the project.yaml of the marker in root. One that cannot be
// read, or is invalid, counts as empty but for its format, with a warning that
// names file and line.
func readSettings(root string) (s settings, warning string) {
	path := filepath.Join(root, Name, projectFile)
	text, err := mount.ReadFile(path, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{Sync: DefaultSync()}, ""
	}
	if err != nil {
		return settings{Sync: DefaultSync()}, fmt.Sprintf("%s: %s; the file counts as empty", errors.Visible(path), describeDiskError(err))
	}
	s, line, problem := parseSettings(string(text))
	if problem != "" {
		return settings{Format: s.Format, Sync: DefaultSync()}, fmt.Sprintf("%s:%d: %s; the file counts as empty", errors.Visible(path), line, problem)
	}
	if s.warning != "" {
		s.warning = errors.Visible(path) + ":" + s.warning
	}
	return s, s.warning
}

// parseSettings reads flat YAML. Lines that are indented, or items of a list,
// belong to keys of others and are passed over. The format is found even when
// another line is at fault: a later format may well look invalid here.
func parseSettings(text string) (s settings, line int, problem string) {
	s.Sync = DefaultSync()
	fields := map[string]*string{"format": &s.Format, "id": &s.ID, "name": &s.Name, "worktree": &s.Worktree}
	seen := map[string]bool{}
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		key, value, fault := parseLine(strings.TrimRight(text, "\r\n"))
		field := fields[key]
		switch {
		case field == nil && key != "sources" && !isSyncKey(key):
		case seen[key]:
			fault = "the key " + key + " stands there twice"
		case key == "sources":
			seen[key] = true
			if s.Shelves, fault = parseShelves(value); fault != "" {
				s.warning, fault = fmt.Sprintf("%d: %s; sources counts as %s", number, fault, s.Shelves), ""
			}
		case isSyncKey(key):
			seen[key] = true
			if value, fault = parseScalar(key, value); fault == "" {
				fault = s.Sync.setKey(key, value)
			}
		default:
			seen[key] = true
			*field, fault = parseScalar(key, value)
		}
		if fault != "" && problem == "" {
			line, problem = number, fault
		}
	}
	return s, line, problem
}

// parseLine returns key and value of one line. A line without a key of its own has an empty one.
func parseLine(line string) (key, value, fault string) {
	if !utf8.ValidString(line) {
		return "", "", "not valid UTF-8"
	}
	if isForeignLine(line) {
		return "", "", ""
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || key == "" || strings.IndexByte("\f\r[]{}", key[0]) >= 0 || value != "" && !isBlank(value[0]) {
		return "", "", "not a line of the form key: value"
	}
	return strings.Trim(strings.TrimRight(key, " \t"), `"'`), strings.TrimSpace(value), ""
}

// isForeignLine reports whether a line has no key of its own: empty or indented lines,
// comments, items of a list, ends of documents, directives.
func isForeignLine(line string) bool {
	if line == "" || isBlank(line[0]) || line[0] == '#' || line[0] == '%' {
		return true
	}
	first, _, _ := strings.Cut(line, " ")
	return first == "-" || first == "---" || line == "..."
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// IsID reports whether a text can be the id of a project: a word of letters, digits and
// . _ : @ + - that begins with one of the first two.
func IsID(id string) bool {
	word := func(r rune) bool { return isLetter(r) || '0' <= r && r <= '9' }
	odd := func(r rune) bool { return !word(r) && !strings.ContainsRune("._:@+-", r) }
	return id != "" && len(id) <= 128 && word(rune(id[0])) && !strings.ContainsFunc(id, odd)
}

func parseScalar(key, text string) (value, fault string) {
	value, ok := unquoteScalar(text)
	switch {
	case !ok && key == "format":
		return text, ""
	case !ok:
		return "", "the value of " + key + " is not plain text"
	case key == "id" && value != "" && !IsID(value):
		return "", "the id is not a word of letters, digits and . _ : @ + -"
	case key == "worktree" && value != "" && value != "own" && value != "main":
		return "", "worktree is neither own nor main"
	}
	return value, ""
}

// unquoteScalar reads a YAML scalar that stands on one line.
func unquoteScalar(text string) (value string, ok bool) {
	switch {
	case strings.HasPrefix(text, `"`):
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil || !endsScalar(text[len(quoted):]) {
			return "", false
		}
		value, err = strconv.Unquote(quoted)
		return value, err == nil
	case strings.HasPrefix(text, "'"):
		return unquoteSingle(text[1:])
	case text != "" && strings.ContainsRune("[]{}&*!|>%@`?,", rune(text[0])):
		return "", false
	}
	text = trimComment(text)
	if text == "~" || text == "null" {
		return "", true
	}
	return text, !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":")
}

// unquoteSingle reads what follows a single quote, in which two of them stand for one.
func unquoteSingle(text string) (value string, ok bool) {
	for {
		part, rest, ok := strings.Cut(text, "'")
		if value += part; !ok {
			return "", false
		}
		if text, ok = strings.CutPrefix(rest, "'"); !ok {
			return value, endsScalar(rest)
		}
		value += "'"
	}
}

// endsScalar reports whether nothing but a comment follows a quoted value.
func endsScalar(rest string) bool { return strings.TrimSpace(trimComment(rest)) == "" }

// trimComment cuts off a comment, which begins at the start of the text or behind a blank.
func trimComment(text string) string {
	for at := range len(text) {
		if text[at] == '#' && (at == 0 || isBlank(text[at-1])) {
			return strings.TrimRight(text[:at], " \t")
		}
	}
	return text
}
