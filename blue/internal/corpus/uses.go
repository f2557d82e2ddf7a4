package corpus

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

const (
	usesMost   = 300 // files that hold a name, which are read for its uses
	linesMost  = 20  // numbers of lines shown of a file
	usesQuoted = 3   // lines quoted of a file
)

// usage looks for the uses of a name.
type usage struct {
	codeQuery
	name    string
	module  string   // path of the Go module at the top; "" if there is none
	homes   []string // directories of Go packages that define the name
	methods bool     // a type in Go has a method of that name
}

// searchUses finds the places that mention a name outside of its definition, of comments and strings.
func (s Corpus) searchUses(ctx context.Context, of *documentIndex, x *index.Index, q codeQuery, limit int) (found Results, err error) {
	u := usage{codeQuery: q, name: q.uses}
	if at := strings.LastIndexAny(q.uses, ".:#"); at >= 0 {
		u.in, u.name = strings.Trim(q.uses[:at], ".:#"), q.uses[at+1:]
	}
	text, _, _ := readText(s.Tree, "go.mod")
	_, rest, _ := strings.Cut("\n"+text, "\nmodule ")
	u.module = lineAt(rest+"\n", 0).text
	u.findHomes(x.Keyed(keyDefines + strings.ToLower(u.name)))
	holding := index.Query{Text: `"` + u.name + `"`, Filter: q.filter(x, index.Filter{}), Limit: usesMost}
	answer, err := x.Search(ctx, holding)
	if err != nil {
		return found, err
	}
	places, byImports, byName := 0, false, false
	for _, hit := range answer.Hits {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		body, _ := of.codeBody(hit.Row)
		file := cutCode(hit.Row, body)
		lines, all := u.linesIn(file)
		if all == 0 {
			continue
		}
		places += all
		isGo := path.Ext(hit.Name) == ".go"
		byImports, byName = byImports || isGo, byName || !isGo
		found.Hits = append(found.Hits, showUses(file, lines, all))
	}
	slices.SortStableFunc(found.Hits, func(a, b result.ShelfHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	found.Searched, found.Total = x.Types()[kindCode], len(found.Hits)
	found.Hits = found.Hits[:min(limit, len(found.Hits))]
	if places == 0 {
		return found, nil
	}
	found.Uses = fmt.Sprintf("%s of %s in %s", result.Plural(places, "use"), note.ShowWord(q.uses), result.Plural(found.Total, "file"))
	if byImports {
		found.Uses += "; in Go by names and imports"
	}
	if byName {
		found.Uses += "; in other languages by names outside of comments and strings"
	}
	if answer.Total > len(answer.Hits) {
		found.Uses += fmt.Sprintf("; of %d files that hold it the first %d were read", answer.Total, len(answer.Hits))
	}
	return found, nil
}

// findHomes finds where Go defines the name.
func (u *usage) findHomes(rows []index.Row) {
	for _, row := range rows {
		for line := range strings.Lines(string(row.Extra)) {
			d, ok := decodeDefinition(line)
			if !ok || d.Name != u.name || path.Ext(row.Name) != ".go" {
				continue
			}
			if d.In == "" {
				if dir := path.Dir(row.Name); u.in == "" || u.in == path.Base(dir) {
					u.homes = append(u.homes, dir)
				}
			} else if u.in == "" || u.in == d.In {
				u.methods = true
			}
		}
	}
}

// linesIn returns the lines, counted from 1, in which a file uses the name, and the number of uses.
func (u *usage) linesIn(c *codeFile) (lines []int, all int) {
	defined := map[int]bool{}
	for _, d := range c.defined {
		defined[d.Line] = defined[d.Line] || d.Name == u.name
	}
	imports := importsOf(c)
	eachName(c.text, languageOf(c.name), func(at, end int) {
		if c.text[at:end] != u.name {
			return
		}
		line := c.lineOf(at) + 1
		if defined[line] {
			defined[line] = false // its other mentions are uses
			return
		}
		if path.Ext(c.name) == ".go" && !u.isMeant(c, at, imports) {
			return
		}
		if all++; len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	})
	return lines, all
}

// isMeant reports whether a name in a Go file may be the one that is looked for: one of its own
// package, of a package that it imports, or a method.
func (u *usage) isMeant(c *codeFile, at int, imports map[string]string) bool {
	if at == 0 || c.text[at-1] != '.' {
		return slices.Contains(u.homes, path.Dir(c.name)) || len(u.homes) == 0 && !u.methods && u.in == ""
	}
	from := at - 1
	for from > 0 && isWordByte(c.text[from-1]) {
		from--
	}
	before := c.text[from : at-1]
	imported, ok := imports[before]
	switch {
	case !ok:
		return u.methods || len(u.homes) == 0 && (u.in == "" || u.in == before)
	case len(u.homes) == 0:
		return !u.methods && (u.in == "" || u.in == before)
	}
	return slices.ContainsFunc(u.homes, func(dir string) bool {
		if u.module != "" {
			return imported == path.Join(u.module, dir)
		}
		return strings.HasSuffix(imported, "/"+dir) || strings.HasSuffix("/"+dir, "/"+imported)
	})
}

// goImport matches an import of Go: its name, which may be missing, and its path.
var goImport = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:import)?[ \t]+([\w.]+ )?"([^"\n]+)"`)
})

// importsOf returns the paths of the packages that a Go file imports, by their names in the file.
func importsOf(c *codeFile) map[string]string {
	imports := map[string]string{}
	if path.Ext(c.name) != ".go" {
		return imports
	}
	for _, found := range goImport().FindAllStringSubmatch(c.text, -1) {
		name := path.Base(found[2])
		if version := strings.TrimLeft(name, "v0123456789"); version == "" {
			name = path.Base(path.Dir(found[2]))
		}
		imports[cmp.Or(strings.TrimSpace(found[1]), name)] = found[2]
	}
	return imports
}

// showUses returns the uses in a file as a reply shows them.
func showUses(c *codeFile, lines []int, all int) result.ShelfHit {
	b := result.ShelfHit{Kind: kindCode, Path: c.name, Score: float64(all), Used: lines[:min(len(lines), linesMost)]}
	b.First, b.Last = lines[0], lines[len(lines)-1]
	b.Ref = note.ShowLabel(fmt.Sprintf("%s#L%d", c.name, lines[0]), result.PathShown)
	numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(b.Used), " ", ", "), "[]")
	word := "lines"
	if len(lines) == 1 {
		word = "line"
	}
	b.Title = fmt.Sprintf("%s: %s %s", result.Plural(all, "use"), word, numbers)
	if len(lines) > len(b.Used) {
		b.Title += " and more"
	}
	var quoted []string
	for _, line := range lines[:min(len(lines), usesQuoted)] {
		shown := MaskLines(c.text, c.starts[line-1], c.end(line))
		quoted = append(quoted, note.ShowLabel(strings.TrimSpace(shown[0]), titleShown))
	}
	b.Snippet = strings.Join(quoted, " … ")
	return b
}

// eachName calls a function with the names in a text that are not in comments or strings.
func eachName(text string, l *language, each func(at, end int)) {
	unclosed := map[byte]int{} // quotes that are not closed on a line, with its end
	for at := 0; at < len(text); {
		if at < unclosed[text[at]] {
			at++
			continue
		}
		end := skipQuoted(text, at, l)
		if end == at && (text[at] == '"' || text[at] == '\'') {
			unclosed[text[at]] = at + endOf(text[at:], "\n")
		}
		if end == at {
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			if end > at {
				each(at, end)
			}
		}
		at = max(end, at+1)
	}
}

// skipQuoted returns the end of the comment or string that begins at an offset, or the offset. A
// quote that is not closed on its line begins no string.
func skipQuoted(text string, at int, l *language) int {
	rest := text[at:]
	if strings.IndexByte("\"'`/#-;%({<", rest[0]) < 0 {
		return at
	}
	if begin, end, _ := strings.Cut(l.block, " "); begin != "" && strings.HasPrefix(rest, begin) {
		return at + len(begin) + endOf(rest[len(begin):], end)
	}
	for mark := range strings.FieldsSeq(l.line) {
		if strings.HasPrefix(rest, mark) && (mark != "#" || at == 0 || text[at-1] <= ' ') {
			return at + endOf(rest, "\n")
		}
	}
	for _, quote := range [...]string{`"""`, "'''", "`"} {
		if strings.HasPrefix(rest, quote) {
			return at + len(quote) + endOf(rest[len(quote):], quote)
		}
	}
	if rest[0] != '"' && rest[0] != '\'' {
		return at
	}
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return at + i + 1
		}
	}
	return at
}

// endOf returns the offset after the first occurrence of a mark, or the end of the text.
func endOf(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}
