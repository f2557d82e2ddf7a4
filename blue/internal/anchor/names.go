package anchor

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"blue/blue/internal/note"
)

// Find returns the span of the first definition of a name, from its line to the end of the block,
// and the number of definitions. The name may be qualified: Client.Retry.
func (t Lines) Find(name string) (first Span, count int) {
	if name == "" || len(name) > nameLimit {
		return first, 0
	}
	if t.markdown {
		return t.findHeading(name)
	}
	lines, strong := t.definitions(name)
	if !strong {
		margin := 1 << 30
		for _, at := range lines {
			margin = min(margin, indentation(t.lines[at]))
		}
		lines = slices.DeleteFunc(lines, func(at int) bool { return indentation(t.lines[at]) > margin })
	}
	if at := strings.LastIndexAny(name, ".:"); len(lines) == 0 && at > 0 && at+1 < len(name) {
		lines, _ = t.definitions(name[at+1:])
		lines = t.within(strings.TrimRight(name[:at], ":"), lines)
	}
	if len(lines) == 0 {
		return first, 0
	}
	return Span{lines[0] + 1, t.blockEnd(lines[0]) + 1}, len(lines)
}

// definitions returns the lines that define a name. If a line does so by a keyword or a body, lines
// that only assign to it do not count.
func (t Lines) definitions(name string) (lines []int, strong bool) {
	tried := 0
	for i, line := range t.lines {
		if !strings.Contains(line[:min(len(line), lineShown)], name) {
			continue
		}
		if tried++; tried > linesTried {
			break
		}
		switch defined, firmly := t.defined(i); {
		case !slices.Contains(defined, name):
		case firmly && !strong:
			lines, strong = []int{i}, true
		case firmly == strong:
			lines = append(lines, i)
		}
	}
	return lines, strong
}

// within returns the lines that contain the qualifier, or that are in a block that defines it.
func (t Lines) within(qualifier string, lines []int) []int {
	if at := strings.LastIndexAny(qualifier, ".:"); at >= 0 {
		qualifier = qualifier[at+1:]
	}
	var blocks []Span
	outer, _ := t.definitions(qualifier)
	for _, at := range outer {
		if len(blocks) < blocksTried {
			blocks = append(blocks, Span{at, t.blockEnd(at)})
		}
	}
	return slices.DeleteFunc(lines, func(at int) bool {
		named := slices.Contains(namesIn(t.shown(at)), qualifier)
		return !named && !slices.ContainsFunc(blocks, func(b Span) bool { return b.First < at && at <= b.Last })
	})
}

// Names returns the names that the text defines by a keyword, a body or a heading, sorted.
func (t Lines) Names() (names []string) {
	if t.markdown {
		for _, h := range t.headings() {
			names = append(names, h.anchor)
		}
	}
	for i := 0; i < min(len(t.lines), linesListed) && !t.markdown; i++ {
		if defined, strong := t.defined(i); strong {
			names = append(names, defined...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), namesListed)]
}

// modifiers matches the modifiers that may precede the keyword of a definition.
const modifiers = `(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|extern(?: +"[^"]*")?|inline|virtual|override|` +
	`readonly|declare|sealed|partial|open|data|inner|local|global|constexpr|typedef|create|or|replace|CREATE|OR|REPLACE|mutating|const|@[\w.]+(?:\([^)]*\))?)\s+)*`

// lineForms match lines that define a name.
type lineForms struct{ keyword, header, method, assign *regexp.Regexp }

// forms compiles the patterns on first use, because most runs of the program look up no name.
var forms = sync.OnceValue(func() lineForms {
	return lineForms{
		keyword: regexp.MustCompile(`^\(?` + modifiers + `(?:func|function\s?\*?|fun|fn|def|defp|defmodule|defmacro|defn-?|defun|define|class|struct|enum|interface|trait|type|mod|module|` +
			`namespace|union|protocol|extension|object|record|sub|proc|macro|macro_rules!|message|service|rpc|table|view|procedure|trigger|TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|let|var|val|const|#\s*define)\s+` +
			`\(?(?:mut\s+)?(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?[*&]*((?:[\w$]+(?:\.|::))*)([\p{L}_$~][\p{L}\p{N}_$-]*[!?]?)`),
		header: regexp.MustCompile(`^(?:[\w$:<>,\[\].*&?@~ \t]*[\s*&])?((?:[\w$]+(?:\.|::))*)([\p{L}_$~][\p{L}\p{N}_$-]*[!?]?)(?:<[^>()]*>)?\s*\(`),
		method: regexp.MustCompile(`^func\s+\([^)]*\)\s*([\p{L}_][\p{L}\p{N}_]*)`),
		assign: regexp.MustCompile(`^([\w$\s:<>\[\]*&.,"'?-]*?)\s*(?::=|=|:)(?:[^=>:]|$)`),
	}
})

// Words that begin a line that is not a definition, and words that are not names.
var (
	control = strings.Fields("if for while switch return else elif catch do try with throw new await yield case match unless until when using lock foreach assert not delete goto " +
		"synchronized finally import from print echo raise default and or in go defer")
	noNames = strings.Fields("export default public private protected internal static final abstract async pub readonly declare const let var val mut int char float double bool auto " +
		"unsigned long short void size_t string func function")
)

// defined returns the names that a line defines; strong is true for a definition by a keyword or a
// body.
func (t Lines) defined(at int) (names []string, strong bool) {
	line, f := t.shown(at), forms()
	if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ") || line[0] == '*' {
		return nil, false
	}
	if found := f.method.FindStringSubmatch(line); found != nil {
		return found[1:2], true
	}
	if found := f.keyword.FindStringSubmatch(line); found != nil && !slices.Contains(noNames, found[2]) {
		return []string{found[2], found[1] + found[2]}, true
	}
	if first := namesIn(line); len(first) == 0 || slices.Contains(control, first[0]) {
		return nil, false
	}
	if found := f.header.FindStringSubmatch(line); found != nil && !slices.Contains(noNames, found[2]) && t.hasBody(at) {
		return []string{found[2], found[1] + found[2]}, true
	}
	if found := f.assign.FindStringSubmatch(line); found != nil {
		if names = namesIn(found[1]); len(names) <= 6 {
			return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(noNames, name) }), false
		}
	}
	return nil, false
}

// hasBody reports whether the parentheses that a line opens are closed before a brace opens.
func (t Lines) hasBody(at int) bool {
	depth, seen, body := 0, false, false
	for i := at; i < min(len(t.lines), at+headLines) && !body; i++ {
		line := t.shown(i)
		if closed := seen && depth == 0; closed && line != "" {
			return line[0] == '{'
		}
		ended := false
		count(line, func(c byte) bool {
			switch c {
			case '(':
				depth, seen = depth+1, true
			case ')':
				depth--
			case '{':
				body = seen && depth == 0
				ended = !body
			case ';', '=':
				ended = depth <= 0
			}
			return !ended && !body
		})
		if ended {
			return false
		}
	}
	return body
}

type heading struct {
	line, level int
	anchor      string
}

// findHeading returns the first section whose heading has the text or the anchor given by name, and
// the number of such sections.
func (t Lines) findHeading(name string) (first Span, count int) {
	all, anchor := t.headings(), note.HeadingAnchor(strings.Trim(name, "# \t"))
	for i, h := range all {
		if h.anchor != anchor || anchor == "" {
			continue
		}
		if count++; count > 1 {
			continue
		}
		end := len(t.lines)
		if next := slices.IndexFunc(all[i+1:], func(other heading) bool { return other.level <= h.level }); next >= 0 {
			end = all[i+1+next].line
		}
		for end > h.line+1 && strings.TrimSpace(t.lines[end-1]) == "" {
			end--
		}
		first = Span{h.line + 1, end}
	}
	return first, count
}

// headings returns the headings outside of code blocks.
func (t Lines) headings() (all []heading) {
	fence := ""
	for i := range t.lines {
		line := t.shown(i)
		mark := strings.TrimLeft(line, "`~")
		switch fenced := line[:len(line)-len(mark)]; {
		case fence != "" && fenced == fence && mark == "":
			fence = ""
		case fence == "" && len(fenced) >= 3:
			fence = fenced
		case fence == "":
			title := strings.TrimLeft(line, "#")
			if level := len(line) - len(title); level >= 1 && level <= 6 && strings.HasPrefix(title, " ") {
				all = append(all, heading{i, level, note.HeadingAnchor(strings.Trim(title, "# \t"))})
			}
		}
	}
	return all
}

// partsMost is how many parts of a file a text may name in place of it.
const partsMost = 3

// nameForms match what may name a part of a file: words in backquotes, before a parenthesis, or that look
// like code; and the names in it, which may be qualified.
var nameForms = sync.OnceValues(func() (forms, names *regexp.Regexp) {
	const name = `[\pL_$][\pL\pN_$]*(?:(?:\.|::|#)[\pL_$][\pL\pN_$]*)*`
	return regexp.MustCompile("`[^`\n]+`|" + name + `\(?`), regexp.MustCompile(name)
})

// NamedIn returns the names of the parts of a file that another text names, if they are few. What makes
// up half of the file is no part: if a text names such, and nothing inside of it, there are none.
func (t Lines) NamedIn(said, file string) (parts []string) {
	defined := map[string]bool{}
	for _, d := range t.Definitions(file) {
		defined[d.Name] = true
	}
	var spans, large []Span
	forms, names := nameForms()
	for _, form := range forms.FindAllString(said, -1) {
		isCode := strings.ContainsAny(form, "`(.:#_$")
		for _, name := range names.FindAllString(form, -1) {
			last := name[strings.LastIndexAny(name, ".:#")+1:]
			if !defined[last] || len(last) < 3 || !isCode && strings.ToLower(name[1:]) == name[1:] {
				continue
			}
			at, _ := t.Find(strings.ReplaceAll(name, "#", "."))
			switch {
			case at.First == 0 || slices.Contains(spans, at):
			case 2*(at.Last-at.First+1) >= t.Len():
				large = append(large, at)
			default:
				parts, spans = append(parts, strings.ReplaceAll(name, "#", ".")), append(spans, at)
			}
		}
	}
	missed := func(l Span) bool {
		return !slices.ContainsFunc(spans, func(s Span) bool { return l.First <= s.First && s.Last <= l.Last })
	}
	if len(parts) > partsMost || slices.ContainsFunc(large, missed) {
		return nil
	}
	return parts
}
