package transfer

import (
	"cmp"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
)

// recordsLimit is the maximum size in bytes of a file of records.
const recordsLimit = 256 << 20

// source is an opened source: a tree of Markdown files, whose front matter is read according to
// the kind, or a file of records (records.go). It also yields documents that cannot be imported,
// with the reason.
type source struct {
	kind kind
	name string // base name of the directory or file
	tree fs.FS
	file string // the only file to read, empty for the whole tree
}

// Sources returns the kinds of sources that can be imported, sorted.
func Sources() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// kindNamed returns the kind of that name, or an error of the kind Invalid.
func kindNamed(word string) (kind, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == word })
	if at >= 0 {
		return kinds[at], nil
	}
	e := errors.E(errors.Invalid, "no source %s is known", errors.Quote(word))
	if name := others[word]; name != "" {
		return kind{}, e.Hint("import", name+" PATH", word+" is imported as "+name)
	}
	return kind{}, e.Hint("import", "SOURCE PATH", "the sources are "+strings.Join(Sources(), ", "))
}

// openKind opens the documents of a kind in a tree. dir is the name of the tree's directory;
// file is the only file to read, empty for the whole tree. If the tree contains the kind's own
// directory, such as memory, openKind opens that instead. The kind of the error is
// Invalid.
func openKind(k kind, tree fs.FS, dir, file string) (*source, error) {
	s := &source{kind: k, name: dir, tree: tree, file: file}
	if file != "" && s.kind.records == nil {
		return s, nil
	}
	for _, home := range s.kind.homes {
		info, err := lstat(tree, home)
		switch {
		case file != "" || err != nil:
		case s.kind.records != nil && info.Mode().IsRegular():
			s.file = home
		case s.kind.records == nil && info.IsDir():
			below, err := fs.Sub(tree, home)
			if err != nil {
				return nil, badSource(home, "it cannot be read")
			}
			s.tree, s.name = below, path.Base(home)
			return s, nil
		}
	}
	if s.kind.records != nil {
		if s.file == "" {
			return nil, badSource(dir, "it holds no file "+s.kind.homes[0]+": name the file itself")
		}
		s.name = s.file
	}
	return s, nil
}

// lstat describes a path of a tree without following any symbolic link in it.
func lstat(tree fs.FS, name string) (info fs.FileInfo, err error) {
	parts := strings.Split(name, "/")
	for i := range parts {
		info, err = fs.Lstat(tree, strings.Join(parts[:i+1], "/"))
		if err != nil || i+1 < len(parts) && !info.IsDir() {
			return nil, fs.ErrNotExist
		}
	}
	return info, err
}

// Origin returns a name of a document that is unique among all imports: its kind, the name of
// its source, and its path there.
func (s *source) Origin(d document) string { return s.kind.name + ":" + s.name + "/" + d.Path }

// Documents yields every document in a fixed order. An error ends the sequence and means that
// the source as a whole cannot be read.
func (s *source) Documents() iter.Seq2[document, error] {
	if s.kind.records == nil {
		return s.eachFile
	}
	return func(yield func(document, error) bool) {
		all, err := s.readRecords()
		if err != nil {
			yield(document{}, badSource(s.name, err.Error()))
			return
		}
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// readRecords reads the only file of the source.
func (s *source) readRecords() ([]document, error) {
	info, err := lstat(s.tree, s.file)
	switch {
	case err != nil:
		return nil, errors.New(whyUnreadable(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > recordsLimit:
		return nil, errors.New("it is larger than 256 MiB")
	}
	data, err := fs.ReadFile(s.tree, s.file)
	if err != nil {
		return nil, errors.New(whyUnreadable(err))
	}
	return s.kind.records(data)
}

// kind describes where a tool keeps its notes and how their front matter is read. The title of
// a Markdown file is its name, unless fill finds a better one.
type kind struct {
	name    string
	homes   []string                                    // its directories, or files of records
	fill    func(d *document, h note.Front, dir string) // for Markdown; dir begins with the name of the source
	records func(data []byte) ([]document, error)       // for a file of records

	keepBytes bool // of the line ends, and a byte order mark
}

var kinds = []kind{
	{name: "markdown", fill: fillMarkdown},
	{name: "claude-code", homes: []string{"memory"}, fill: fillClaude},
	{name: "memory-jsonl", homes: []string{"memory.jsonl", "memory.json"}, records: readGraph},
	{name: "bundle", fill: fillBundle, keepBytes: true},
}

// others are names by which people ask for a kind.
var others = map[string]string{
	"adr": "markdown", "obsidian": "markdown", "basic-memory": "markdown", "serena": "markdown", "memory-bank": "markdown", "backlog": "markdown",
	"server-memory": "memory-jsonl", "okf": "bundle",
}

// decisionHomes are the customary directories of decision records.
var decisionHomes = []string{"adr", "adrs", "decision", "decisions", "decision-records", "architecture-decisions"}

// fillMarkdown reads a Markdown file with or without front matter: of a folder, a vault, decision
// records, a memory or tasks. It knows the usual keys for other names, tags, dates and statuses.
func fillMarkdown(d *document, h note.Front, dir string) {
	for _, key := range []string{"permalink", "title", "id", "name"} {
		if name := h.Word(key); name != "" {
			d.Names = append(d.Names, name)
		}
	}
	d.Names = append(append(d.Names, h.Words("aliases")...), h.Words("alias")...)
	d.Tags = append(h.Words("tag"), h.Words("labels")...)
	d.Hashtags = h.Word("permalink") != "" // basic-memory ends lines with tags
	d.Created = h.Word("date", "created_at", "created-at", "created_date")
	for above := range strings.SplitSeq(strings.ToLower(dir), "/") {
		if slices.Contains(decisionHomes, above) && fileNumber().MatchString(fileStem(d.Path)) {
			d.Type = "decision"
		}
	}
	if d.Type == "decision" {
		fillRecord(d, h)
	}
}

// atName matches a key whose value begins with @, which YAML refuses and tools read all the same:
// assignee: @ann.
var atName = lazyPattern(`(?m)^(\s*[\w-]+:[ \t]+)(@.*?)[ \t]*$`)

// quoteNames quotes the values in front matter that begin with @.
func quoteNames(text string) string {
	end := strings.Index(text, "\n---")
	if !strings.HasPrefix(text, "---\n") || end < 0 {
		return text
	}
	return atName().ReplaceAllStringFunc(text[:end], func(line string) string {
		m := atName().FindStringSubmatch(line)
		return m[1] + strconv.Quote(m[2])
	}) + text[end:]
}

// fillClaude reads a file of Claude Code's auto memory: MEMORY.md, which lists the others, or a
// file with one fact. Facts about the person are private.
func fillClaude(d *document, h note.Front, _ string) {
	if name := h.Word("name"); name != "" {
		d.Names, d.Title = append(d.Names, name), name
	}
	d.Type = cmp.Or(h.Mapping("metadata").Word("type"), "note")
	if d.Path == "MEMORY.md" {
		d.Type = "reference"
	}
	d.Private = d.Type == "user" || h.Word("type") == "user"
}

// fillBundle reads a concept of a bundle in the Open Knowledge Format, up to version 0.2. A
// concept at the top keeps its name, so that Blue's own bundles survive a round trip.
func fillBundle(d *document, h note.Front, _ string) {
	d.Modified, d.Bundle = time.Time{}, true
	switch strings.ToLower(path.Base(d.Path)) {
	case "index.md":
		d.Reason = "a listing of the bundle, not a concept"
	case "log.md":
		d.Reason = "an update log of the bundle, not a concept"
	}
	if !strings.Contains(d.Path, "/") {
		d.ID = fileStem(d.Path)
		if id, ok := strings.CutPrefix(d.ID, "note-"); ok && isReserved(id) {
			d.ID = id
		}
	}
	d.Created = cmp.Or(h.Mapping("generated").Word("at"), h.Word("timestamp"))
}

// hashtag matches a tag in running text. Digits alone are the number of an issue, not a tag.
var hashtag = lazyPattern(`(?m)(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)`)

// findHashtags returns the distinct tags in a text.
func findHashtags(text string) (tags []string) {
	for _, m := range hashtag().FindAllStringSubmatch(text, -1) {
		if !slices.Contains(tags, m[1]) {
			tags = append(tags, m[1])
		}
	}
	return tags
}

// Decision records give their status in several forms: MADR in its front matter, MADR 2 and
// log4brains in a list below the title, and records in Nygard's format under the heading
// Status, with one line for each record that they replace or that replaces them.

var (
	recordFact    = lazyPattern(`(?im)^[ \t]*[*-]?[ \t]*\**(status|date)\**[ \t]*:\**[ \t]*(.+)$`)
	recordStatus  = lazyPattern(`(?im)^#{1,6}[ \t]*status[ \t#]*\n+[ \t]*([^#\s].*)$`)
	recordReplace = lazyPattern(`(?im)^[^\n]*?\b(super[sc]edes|super[sc]eded[ \t]+by)\b[ \t:\]]*(.+)$`)
	recordLink    = lazyPattern(`\]\(<?([^()<>\s#]+)[^()]*\)|\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]`)
	recordNumber  = lazyPattern(`(?i)^\[?(?:adr[-_ #]?|#)0*(\d{1,8})\b`)
	fileNumber    = lazyPattern(`(?i)^(?:(?:adr|decision)[-_ ]?)?0*(\d{1,8})(?:[-_. ]|$)`)
)

// factsEnd is how many bytes at the beginning of a record are searched for its status and date.
// The rest is prose.
const factsEnd = 2000

// fillRecord reads the status, date and relations of a decision record.
func fillRecord(d *document, h note.Front) {
	text := d.Text[:min(len(d.Text), factsEnd)]
	d.Status = h.Word("status")
	for _, m := range recordFact().FindAllStringSubmatch(text, -1) {
		switch strings.ToLower(m[1]) {
		case "status":
			d.Status = firstFilled(d.Status, m[2])
		case "date":
			d.Created = firstFilled(d.Created, m[2])
		}
	}
	if m := recordStatus().FindStringSubmatch(text); m != nil {
		d.Status = firstFilled(d.Status, m[1])
	}
	if m := fileNumber().FindStringSubmatch(fileStem(d.Path)); m != nil {
		d.Names = append(d.Names, recordName(m[1]))
	}
	for _, m := range recordReplace().FindAllStringSubmatch(d.Text, -1) {
		list := &d.Supersedes
		if strings.HasSuffix(strings.ToLower(m[1]), "by") {
			list = &d.SupersededBy
		}
		*list = append(*list, recordRefs(m[2])...)
	}
}

// firstFilled returns the first of two texts that is not empty.
func firstFilled(was, text string) string {
	return cmp.Or(was, strings.Trim(text, " \t*_"))
}

// recordRefs returns the records that a line refers to: by links, or else by number.
func recordRefs(line string) (refs []string) {
	for _, m := range recordLink().FindAllStringSubmatch(line, -1) {
		refs = append(refs, m[1]+m[2])
	}
	if m := recordNumber().FindStringSubmatch(line); m != nil && len(refs) == 0 {
		refs = append(refs, recordName(m[1]))
	}
	return refs
}

func recordName(number string) string { return "adr-" + number }

// eachFile yields the Markdown files of the tree. It skips hidden directories and node_modules,
// and follows no symbolic links.
func (s *source) eachFile(yield func(document, error) bool) {
	if s.file != "" {
		yield(s.readDocument(s.file, nil), nil)
		return
	}
	_, err := fs.Lstat(s.tree, ".obsidian")
	vault := err == nil
	err = fs.WalkDir(s.tree, ".", func(name string, entry fs.DirEntry, err error) error {
		d := document{Path: name}
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			d.Reason = whyUnreadable(err)
		case entry.IsDir() && name != "." && (isHidden(name) || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || isHidden(name):
			return nil
		default:
			d = s.readDocument(name, entry)
			d.Hashtags = d.Hashtags || vault
		}
		if !yield(d, nil) {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		yield(document{}, badSource(s.name, whyUnreadable(err)))
	}
}

func isHidden(name string) bool { return strings.HasPrefix(path.Base(name), ".") }

// readDocument returns the document of one file. The entry is nil for the file that the user
// named.
func (s *source) readDocument(name string, entry fs.DirEntry) document {
	d := document{Path: name}
	switch {
	case entry != nil && entry.Type()&fs.ModeSymlink != 0:
		d.Reason = "a symbolic link, which is not followed"
	case entry != nil && !entry.Type().IsRegular():
		d.Reason = "not a regular file"
	case !isMarkdown(name):
		d.Reason = "not a Markdown file"
	default:
		d.Reason = d.loadText(s.tree)
	}
	if d.Reason != "" {
		d.Text = ""
		return d
	}
	d.Title, d.Names = fileStem(name), []string{fileStem(name)}
	if d.IsIndex() {
		d.Title = path.Base(path.Join("/", s.name, path.Dir(name)))
	}
	if !s.kind.keepBytes {
		d.Text = quoteNames(useLineFeeds(strings.TrimPrefix(d.Text, "\uFEFF")))
	}
	s.kind.fill(&d, note.ParseFront(d.Text), path.Join(s.name, path.Dir(name)))
	if d.Reason != "" {
		d.Text = ""
	}
	return d
}

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// badSource returns the error for a source that cannot be imported; nothing was imported.
func badSource(path, reason string) *errors.Error {
	return errors.E(errors.Invalid, "%s cannot be imported: %s", errors.Quote(path), reason).
		Hint("import", "--help", "see what each source is")
}
