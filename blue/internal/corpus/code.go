package corpus

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
)

// kindCode is the type of a file of code in the index, which has one row.
const kindCode = result.KindCode

// keyDefines precedes the names that a file of code defines, in lower case, in its keys.
const keyDefines = "def "

// Limits of code.
const (
	dataText        = 16 << 10 // bytes of a file of data that are searched
	partLines       = 60       // lines without a definition that are one part
	headLines       = 10       // lines in which a file says that it was generated
	minifiedRow     = 400      // mean length of the lines of a minified file
	pathTimes       = 3        // times that the words of a path count
	namesTimes      = 2        // times that defined names count in addition
	wordTimes       = 2        // times that a word of a file counts
	codeShare       = 4        // a file of code counts this part of its size in a step, since it takes less of the index
	vocabularyShare = 40       // bytes of a file for each of its different words
	numberBytes     = 5        // of the longest number that can be searched for
	keyReach        = 16 << 10 // bytes before some lines in which the block of a key may begin
	secretReach     = 1 << 10  // bytes before some lines by which a secret may be recognized
)

// loadCode adds a file of code to an update. It returns false if the file cannot be read. Generated
// files rank below all others.
func (s *documentIndex) loadCode(u *index.Update, name string, stamp index.Stamp) bool {
	text, reason, err := readText(s.of.Tree, name)
	if err != nil {
		return false
	}
	lang := languageOf(name)
	row := index.Row{Name: name, Type: kindCode, Title: name, Tags: []string{lang.name}, Stamp: stamp}
	row.Time = time.Unix(0, stamp.ModTime).UTC()
	if reason != "" {
		row = index.Row{Name: name, Type: reason, Stamp: stamp}
		text = ""
	}
	u.Load(name, int64(len(text)/codeShare), func() (index.Document, bool, error) {
		if reason != "" {
			return index.Document{Row: row}, true, nil
		}
		row.Revision, row.Superseded = store.Revision([]byte(text)), isGenerated(name, text)
		var defined []anchor.Definition
		if !lang.data {
			defined = anchor.Split(name, text).Definitions(name)
		}
		row.Extra = encodeDefinitions(defined)
		body, keys := describeCode(name, text, defined)
		return index.Document{Row: row, Body: body, Keys: keys, NoShingles: true}, true, nil
	})
	return true
}

// encodeDefinitions encodes definitions for [decodeDefinitions], each on a line.
func encodeDefinitions(all []anchor.Definition) (b []byte) {
	for _, d := range all {
		b = fmt.Appendf(b, "%d %s %s %s\n", d.Line, d.Kind, d.Name, d.In)
	}
	return b
}

// decodeDefinitions returns definitions in a text with these lines. It reports whether they are
// those of the text.
func decodeDefinitions(b []byte, text string, starts []int) (all []anchor.Definition, ok bool) {
	for line := range strings.Lines(string(b)) {
		d, ok := decodeDefinition(line)
		if !ok || d.Line < 1 || d.Line > len(starts) || !strings.Contains(lineAt(text, starts[d.Line-1]).text, d.Name) {
			return nil, false
		}
		all = append(all, d)
	}
	return all, true
}

func decodeDefinition(line string) (d anchor.Definition, ok bool) {
	fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(fields) != 4 {
		return d, false
	}
	d = anchor.Definition{Kind: fields[1], Name: fields[2], In: fields[3]}
	d.Line, _ = strconv.Atoi(fields[0])
	return d, true
}

// codeBody reads a file of code.
func (s *documentIndex) codeBody(row index.Row) (body, revision string) {
	text, reason, err := readText(s.of.Tree, row.Name)
	if err != nil || reason != "" {
		return "", ""
	}
	stamp, _, err := stampFile(filepath.Join(s.of.Tree, filepath.FromSlash(row.Name)))
	if row.Stamp.Racy = false; err != nil || stamp != row.Stamp {
		return text, ""
	}
	return text, row.Revision
}

// describeCode returns the text by which a file of code is found, in which the words of its path and
// the names that it defines count more, and the keys of these names.
func describeCode(name, text string, defined []anchor.Definition) (body string, keys []string) {
	var b strings.Builder
	for range pathTimes {
		b.WriteString(name + "\n")
	}
	if languageOf(name).data {
		return b.String() + text[:min(len(text), dataText)], nil
	}
	names := map[string]bool{}
	for _, d := range defined {
		for range namesTimes {
			b.WriteString(d.Name + "\n")
		}
		names[strings.ToLower(d.Name)] = true
	}
	for name := range names {
		keys = append(keys, keyDefines+name)
	}
	slices.Sort(keys)
	writeVocabulary(&b, text)
	return b.String(), keys
}

// writeVocabulary writes a text without long numbers, and without the words that it has repeated
// often before: these make the index large and hardly count for the score.
func writeVocabulary(b *strings.Builder, text string) {
	counts := make(map[string]int, len(text)/vocabularyShare)
	from := 0 // what is not written yet
	for at := 0; at < len(text); {
		if !isWordByte(text[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(text) && isWordByte(text[end]) {
			end++
		}
		word := text[at:end]
		counts[word]++
		isNumber := '0' <= word[0] && word[0] <= '9'
		if counts[word] > wordTimes || isNumber && len(word) > numberBytes {
			b.WriteString(text[from:at])
			b.WriteByte(' ')
			from = end
		}
		at = end
	}
	b.WriteString(text[from:])
}

// isWordByte reports whether a byte may be part of an identifier.
func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// generatedNames match the names of files that tools have written.
var generatedNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\.min\.(js|css)|\.pb\.(go|cc|h)|_pb2(_grpc)?\.pyi?|\.g\.dart|\.freezed\.dart|\.generated\.[a-z]+|\.designer\.cs|^package-lock\.json|^pnpm-lock\.yaml|^composer\.lock|-lock\.json)$`)
})

// generatedMarks match what tools write at the beginning of a file.
var generatedMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`code generated .*do not edit|@generated\b|auto-?generated (file|by|from)|(this|file) (file |is |was |has been )*(auto)?(matically )?-?generated`)
})

// isGenerated reports whether a tool has written a file of code.
func isGenerated(name, text string) bool {
	if generatedNames().MatchString(path.Base(name)) {
		return true
	}
	head, rows := 0, 0
	for head < len(text) && rows < headLines {
		head = lineAt(text, head).end
		rows++
	}
	if rows > 0 && head/rows > minifiedRow {
		return true
	}
	start := strings.ToLower(text[:head])
	return strings.Contains(start, "generated") && generatedMarks().MatchString(start)
}

// codeFile is a file of code, cut into parts: its definitions, each with the comment above it, and
// what stands between them.
type codeFile struct {
	name, text string
	starts     []int // offsets of the lines
	defined    []anchor.Definition
	parts      []codePart
}

// codePart is a part of a file of code: lines counted from 0, the second not included.
type codePart struct {
	from, to int
	defined  int // index of the definition, -1 for none
}

// cutCode cuts a file of code into its parts.
func cutCode(row index.Row, text string) *codeFile {
	c := &codeFile{name: row.Name, text: text}
	for at := 0; at < len(text); {
		c.starts = append(c.starts, at)
		size := strings.IndexByte(text[at:], '\n') + 1
		if size == 0 {
			break
		}
		at += size
	}
	ok := true
	if c.defined, ok = decodeDefinitions(row.Extra, text, c.starts); !ok { // it has changed since
		c.defined = anchor.Split(row.Name, text).Definitions(row.Name)
	}
	from, defined := 0, -1
	for i, d := range c.defined {
		to, least := d.Line-1, from
		if i > 0 {
			least = c.defined[i-1].Line // that line is no comment, though it may look like one
		}
		for to > least && isAboveDefinition(c.line(to-1)) {
			to--
		}
		c.addParts(from, to, defined)
		from, defined = to, i
	}
	c.addParts(from, len(c.starts), defined)
	return c
}

// addParts adds the part of a definition, or several if there is none.
func (c *codeFile) addParts(from, to, defined int) {
	for defined < 0 && to-from > partLines {
		c.parts = append(c.parts, codePart{from, from + partLines, defined})
		from += partLines
	}
	if from < to {
		c.parts = append(c.parts, codePart{from, to, defined})
	}
}

// definition returns the definition of a part, nil if there is none.
func (c *codeFile) definition(p codePart) *anchor.Definition {
	if p.defined < 0 {
		return nil
	}
	return &c.defined[p.defined]
}

// line returns a line without the space around it.
func (c *codeFile) line(at int) string { return strings.TrimSpace(lineAt(c.text, c.starts[at]).text) }

// end returns the offset of the end of the lines before one.
func (c *codeFile) end(before int) int {
	if before < len(c.starts) {
		return c.starts[before]
	}
	return len(c.text)
}

// lineOf returns the line of an offset.
func (c *codeFile) lineOf(offset int) int {
	at, found := slices.BinarySearch(c.starts, offset)
	if !found {
		at--
	}
	return at
}

// isAboveDefinition reports whether a line is a comment or an attribute.
func isAboveDefinition(line string) bool {
	for _, start := range [...]string{"//", "#", "*", "/*", "@", "--", ";;", "'''", `"""`} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// weighed returns the parts as the index weighs them.
func (c *codeFile) weighed() []index.Part {
	all := make([]index.Part, len(c.parts))
	for i, p := range c.parts {
		all[i].Start = c.starts[p.from]
		if d := c.definition(p); d != nil {
			at := d.Line - 1
			all[i].Name, all[i].BehindName = c.starts[at], c.end(at+1)
		}
	}
	return all
}

// MaskLines returns the lines of a text from the offset of one to that of another, with a remark in
// place of each that looks like a secret. A secret may be recognized by what stands before it, and a
// key by the first line of its block.
func MaskLines(text string, from, to int) []string {
	before := text[max(0, from-keyReach):from]
	begin := max(0, from-secretReach)
	if at := strings.LastIndex(before, "BEGIN "); at >= 0 {
		begin = min(begin, from-len(before)+at)
	}
	begin = strings.LastIndexByte(text[:begin], '\n') + 1
	return screen.Mask(text[begin:to])[strings.Count(text[begin:from], "\n"):]
}
