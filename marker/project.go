package marker

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

const projectFile = "project.yaml"

// settings has the keys of project.yaml that Blue knows. People may write the file, and other tools
// may add keys of their own.
type settings struct {
	Format, ID, Name string

	Shelves Shelves
	Sync    Sync
	Start   int    // bytes, the key start_bytes
	warning string // about sources or start_bytes, which then has its default
}

// Bytes of the notes that are told whole at the start of a session.
const (
	DefaultStartBytes = 6000
	MaxStartBytes     = 8000
)

// nameFault returns why a text cannot be the name of a project, or "". A name is shown in every
// reply, and may come from a foreign repository.
func nameFault(name string) string {
	if n := utf8.RuneCountInString(name); n > maxNameLength {
		return fmt.Sprintf("it has %d characters, at most %d are allowed", n, maxNameLength)
	}
	if errors.Visible(name) != name {
		return "it holds line ends, or characters that nobody would see"
	}
	return ""
}

// displayName returns a name in the form that replies show.
func displayName(name string) string { return errors.Clip(errors.Visible(name), maxNameLength) }

// isUnknownFormat reports whether a later version of Blue created the project.
func (s settings) isUnknownFormat() bool { return s.Format != "" && s.Format != "1" }

// readSettings reads the project.yaml of the marker in root. A file that is unreadable or invalid
// counts as empty except for its format, with a warning that names file and line.
func readSettings(root string) (s settings, warning string) {
	path := filepath.Join(root, Name, projectFile)
	text, err := ReadFile(path, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{Sync: DefaultSync(), Start: DefaultStartBytes}, ""
	}
	if err != nil {
		return settings{Sync: DefaultSync(), Start: DefaultStartBytes}, fmt.Sprintf("%s: %s; the file counts as empty", errors.Visible(path), describeDiskError(err))
	}
	s, line, problem := parseSettings(string(text))
	if problem != "" {
		return settings{Format: s.Format, Sync: DefaultSync(), Start: DefaultStartBytes}, fmt.Sprintf("%s:%d: %s; the file counts as empty", errors.Visible(path), line, problem)
	}
	if s.warning != "" {
		s.warning = errors.Visible(path) + ":" + s.warning
	}
	return s, s.warning
}

// parseSettings parses flat YAML. It ignores indented lines and list items, which belong to keys of
// other tools. It finds the format even if another line is invalid, because a later format may look
// invalid to this version.
func parseSettings(text string) (s settings, line int, problem string) {
	s.Sync, s.Start = DefaultSync(), DefaultStartBytes
	fields := map[string]*string{"format": &s.Format, "id": &s.ID, "name": &s.Name}
	seen := map[string]bool{}
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		key, value, fault := parseLine(strings.TrimRight(text, "\r\n"))
		field := fields[key]
		switch {
		case field == nil && key != "sources" && key != "start_bytes" && !isSyncKey(key):
		case seen[key]:
			fault = "the key " + key + " stands there twice"
		case key == "sources":
			seen[key] = true
			if s.Shelves, fault = parseShelves(value); fault != "" {
				s.warning, fault = fmt.Sprintf("%d: %s; sources counts as %s", number, fault, s.Shelves), ""
			}
		case key == "start_bytes":
			seen[key] = true
			if s.Start, fault = parseStart(value); fault != "" {
				s.warning, fault = fmt.Sprintf("%d: %s; it counts as %d", number, fault, s.Start), ""
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

// parseLine returns key and value of one line. The key is empty for empty and indented lines,
// comments, list items, document ends and directives.
func parseLine(line string) (key, value, fault string) {
	first, _, _ := strings.Cut(line, " ")
	switch {
	case !utf8.ValidString(line):
		return "", "", "not valid UTF-8"
	case line == "" || strings.IndexByte(" \t#%", line[0]) >= 0 || first == "-" || first == "---" || line == "...":
		return "", "", ""
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || key == "" || strings.IndexByte("\f\r[]{}", key[0]) >= 0 || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", "not a line of the form key: value"
	}
	return strings.Trim(strings.TrimRight(key, " \t"), `"'`), strings.TrimSpace(value), ""
}

// IsID reports whether a text can be the id of a project: a word of letters, digits and . _ : @ + -
// that begins with a letter or digit.
func IsID(id string) bool { return idForm.MatchString(id) }

func parseScalar(key, text string) (value, fault string) {
	value, ok := unquoteScalar(text)
	switch {
	case !ok && key == "format":
		return text, ""
	case !ok:
		return "", "the value of " + key + " is not plain text"
	case key == "id" && value != "" && !IsID(value):
		return "", "the id is not a word of letters, digits and . _ : @ + -"
	}
	return value, ""
}

// unquoteScalar parses a one-line YAML scalar.
func unquoteScalar(text string) (value string, ok bool) {
	if m := simpleScalar.FindStringSubmatch(text); m != nil && text != "null" {
		return m[1] + m[2], true
	}
	var line struct{ Value yaml.Node }
	err := yaml.Unmarshal([]byte("value: "+text), &line)
	n := line.Value
	isQuoted := n.Style == yaml.DoubleQuotedStyle || n.Style == yaml.SingleQuotedStyle
	if err != nil || n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode || n.Anchor != "" || n.Style != 0 && !isQuoted {
		return "", false
	}
	if !isQuoted && (n.Value == "~" || n.Value == "null") {
		return "", true
	}
	return n.Value, true
}

// Sync has the settings in project.yaml for synchronizing the notes of a project.
type Sync struct {
	Mode    Mode   // the key notes
	Remote  string // name of the git remote
	Ref     string // ref on the remote
	Session bool   // sync: session, so hooks of clients sync too
}

// Mode is the way in which the notes of a project get to other machines.
type Mode string

// Modes.
const (
	WithCode Mode = ""         // in the commits of the code
	Notebook Mode = "notebook" // by blue sync, from a directory that is in no commit
)

// DefaultSync returns the settings for a project.yaml without these keys.
func DefaultSync() Sync { return Sync{Remote: "origin", Ref: "refs/blue/notes"} }

var (
	// simpleScalar matches the values that Blue writes, which every call reads: YAML leaves them as they are.
	simpleScalar = regexp.MustCompile(`^(?:([A-Za-z0-9][A-Za-z0-9._-]*)|"([ !#-\[\]-~]*)")$`)

	idForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$`)
	remoteForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	refForm    = regexp.MustCompile(`^refs/(blue|heads)(/[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*)+$`)
)

// IsSyncRef reports whether notes may be synchronized through a ref: one below refs/blue or a
// branch, with a name that git accepts and cannot mistake for an option.
func IsSyncRef(ref string) bool {
	return len(ref) <= 200 && refForm.MatchString(ref) && !strings.HasSuffix(ref, ".lock") && !strings.HasPrefix(ref, "refs/blue/remotes/")
}

// setKey sets a key. It returns a description of the fault if the value is invalid.
func (c *Sync) setKey(key, value string) (fault string) {
	switch {
	case value == "":
	case key == "notes" && Mode(value) == Notebook:
		c.Mode = Mode(value)
	case key == "sync" && (value == "session" || value == "manual"):
		c.Session = value == "session"
	case key == "remote" && remoteForm.MatchString(value):
		c.Remote = value
	case key == "ref" && IsSyncRef(value):
		c.Ref = value
	default:
		return map[string]string{"notes": "notes is not notebook", "sync": "sync is neither manual nor session",
			"remote": "remote is not the name of one", "ref": "ref is neither below refs/blue/ nor below refs/heads/"}[key]
	}
	return ""
}

func isSyncKey(key string) bool {
	return key == "notes" || key == "sync" || key == "remote" || key == "ref"
}

// IDOf returns the id in the project.yaml of a directory. It returns "" if there is none or the
// file is from a later version.
func IDOf(root string) string {
	if s, _ := readSettings(root); !s.isUnknownFormat() {
		return s.ID
	}
	return ""
}

// Shelves selects what is searched in a project in addition to its notes. The zero value is the
// default: all documents and commits.
type Shelves struct {
	NoDocuments, NoCommits bool
	Globs                  []string // of documents, relative to the root with slashes; none means all
}

// String returns the value of the key sources in project.yaml, without globs.
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

// parseShelves parses the value of the key sources: none, or a list of documents and commits, where
// documents may have globs in parentheses. If there is a fault, it returns the default.
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

// parseStart parses the value of the key start_bytes. If there is a fault, it returns the default.
func parseStart(text string) (bytes int, fault string) {
	value, ok := unquoteScalar(text)
	if ok && value == "" {
		return DefaultStartBytes, ""
	}
	bytes, err := strconv.Atoi(value)
	if !ok || err != nil || bytes < 0 || bytes > MaxStartBytes {
		return DefaultStartBytes, fmt.Sprintf("start_bytes %s is not a number from 0 to %d", displayName(text), MaxStartBytes)
	}
	return bytes, ""
}

// splitShelves splits a list at the commas outside of parentheses.
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

// parseGlobs parses the text after the opening parenthesis.
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
		for part := range strings.SplitSeq(glob, "/") { // must be relative to the root and below it
			_, err := path.Match(part, "")
			if err != nil || part == "" || part == "." || part == ".." || strings.ContainsAny(part, "()") {
				return nil, fmt.Sprintf("bad glob %q", displayName(glob))
			}
		}
	}
	return globs, ""
}
