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
	Review  int    // days, the key review_after
	Propose bool   // the key agents is propose
	warning string // about a key that then has its default
}

// defaultSettings returns what a project without a project.yaml has.
func defaultSettings() settings {
	return settings{Sync: DefaultSync(), Start: DefaultStartBytes, Review: defaultReview}
}

// Days after which a note that cites nothing deserves a look.
const (
	defaultReview = 90
	maxReview     = 3650
)

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
// counts as empty except for its format and the key agents, with a warning that names file and line.
func readSettings(root string) (s settings, warning string) {
	path := filepath.Join(root, Name, projectFile)
	text, err := ReadFile(path, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultSettings(), ""
	}
	if err != nil {
		return defaultSettings(), fmt.Sprintf("%s: %s; the file counts as empty", errors.Visible(path), describeDiskError(err))
	}
	s, problem := parseSettings(string(text))
	if problem != "" {
		empty := defaultSettings()
		empty.Format, empty.Propose = s.Format, s.Propose
		return empty, fmt.Sprintf("%s: %s; the file counts as empty", errors.Visible(path), problem)
	}
	if s.warning != "" {
		s.warning = errors.Visible(path) + ": " + s.warning
	}
	return s, s.warning
}

// parseSettings parses YAML, and ignores keys of other tools. It returns a description of the problem if
// the file is invalid. It finds the format also then, because a later format may look invalid to this
// version.
func parseSettings(text string) (s settings, problem string) {
	var file struct {
		Format, ID, Name, Notes, Sync, Remote, Ref string

		Sources yaml.Node
		Start   string `yaml:"start_bytes"`
		Review  string `yaml:"review_after"`
		Agents  yaml.Node
	}
	err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &file)
	if m := formatLine.FindStringSubmatch(text); m != nil && file.Format == "" {
		file.Format = m[1]
	}
	s = defaultSettings()
	s.Format, s.ID, s.Name, s.Propose = file.Format, file.ID, file.Name, agentsLine.MatchString(text)
	if err != nil {
		problem = strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
		return s, errors.Visible(strings.TrimPrefix(problem, "unmarshal errors: "))
	}
	if s.ID != "" && !IsID(s.ID) {
		return s, "the id is not a word of letters, digits and . _ : @ + -"
	}
	for key, value := range map[string]string{"notes": file.Notes, "sync": file.Sync, "remote": file.Remote, "ref": file.Ref} {
		if fault := s.Sync.setKey(key, value); fault != "" {
			return s, fault
		}
	}
	if s.Shelves, problem = parseShelves(listOf(file.Sources)); problem != "" {
		s.warning = fmt.Sprintf("%s; sources counts as %s", problem, s.Shelves)
	}
	s.setNumber(&s.Start, "start_bytes", file.Start, MaxStartBytes)
	s.setNumber(&s.Review, "review_after", file.Review, maxReview)
	if s.Propose && file.Agents.Value != "propose" {
		s.warning = "agents is not propose; it counts as that"
	}
	return s, ""
}

// setNumber sets a number to the value of a key, if there is one, or leaves it with a warning.
func (s *settings) setNumber(number *int, key, value string, most int) {
	n, err := strconv.Atoi(value)
	switch {
	case value == "":
	case err != nil || n < 0 || n > most:
		s.warning = fmt.Sprintf("%s %s is not a number from 0 to %d; it counts as %d", key, displayName(value), most, *number)
	default:
		*number = n
	}
}

// listOf returns the text of a list, which may be one of YAML.
func listOf(n yaml.Node) string {
	if n.Kind != yaml.SequenceNode {
		return n.Value
	}
	var words []string
	for _, entry := range n.Content {
		words = append(words, entry.Value)
	}
	return strings.Join(words, ", ")
}

// IsID reports whether a text can be the id of a project: a word of letters, digits and . _ : @ + -
// that begins with a letter or digit.
func IsID(id string) bool { return idForm.MatchString(id) }

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
	agentsLine = regexp.MustCompile(`(?m)^["']?agents["']?[ \t]*:`)
	formatLine = regexp.MustCompile(`(?m)^format:[ \t]*(\S+)`)
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
