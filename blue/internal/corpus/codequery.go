package corpus

import (
	"cmp"
	"slices"
	"strings"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/errors"
)

// codeQuery is a query of code: its words, and what the words with a colon ask for.
type codeQuery struct {
	text   string
	lang   string // name of a language
	path   []glob // a file matches one of these; none means all
	in     string // the type around the symbol
	symbol string // how the name of a definition begins
	kind   string // of the definition
	uses   string // the name whose uses are asked for
}

// parseCode parses a query of code, such as "retry lang:go path:internal/** kind:method".
func parseCode(text string) (q codeQuery, err error) {
	var words []string
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, ":")
		switch {
		case value == "" || value[0] == ':':
			words = append(words, word)
		case name == "lang":
			l := cmp.Or(byFile()["lang "+strings.ToLower(value)], languageOf("x."+value))
			if l == nil {
				return q, errors.BadValue(name, value, "a language, such as go, python or typescript, or its extension")
			}
			q.lang = l.name
		case name == "path":
			value = strings.TrimSuffix(strings.TrimPrefix(value, "./"), "/")
			q.path = []glob{parseGlob(value), parseGlob(value + "/**")}
		case name == "symbol":
			if at := strings.LastIndexAny(value, ".:#"); at >= 0 {
				q.in, value = strings.Trim(value[:at], ".:#"), value[at+1:]
			}
			q.symbol = value
		case name == "kind":
			if kinds := anchor.Kinds(); !slices.Contains(kinds, value) {
				return q, errors.BadValue(name, value, strings.Join(kinds[:len(kinds)-1], ", ")+" or "+kinds[len(kinds)-1])
			}
			q.kind = value
		case name == "uses":
			q.uses = value
		default:
			words = append(words, word)
		}
	}
	if q.text = text; q.narrows() {
		q.text = strings.Join(words, " ")
	}
	if q.narrows() && q.text+q.symbol+q.uses == "" {
		return q, errors.E(errors.Invalid, "the query %s has no words to look for in code", errors.Quote(text)).
			Hint("", "", "add words, symbol:NAME or uses:NAME")
	}
	return q, nil
}

// narrows reports whether a query asks for more than words.
func (q codeQuery) narrows() bool {
	return q.lang+q.symbol+q.kind+q.uses != "" || len(q.path) > 0
}

// Ranks of a definition for a query.
const (
	notWanted   = iota
	wanted      // its name begins with the symbol, or the query asks for none
	wantedFold  // it has the name, but for capitals
	wantedExact // it has the name
)

// rank returns how well a definition is what the query asks for. d is nil for a part without one.
func (q codeQuery) rank(d *anchor.Definition) int {
	switch {
	case q.symbol == "" && q.kind == "":
		return wanted
	case d == nil || q.kind != "" && d.Kind != q.kind || q.in != "" && !strings.EqualFold(q.in, d.In):
		return notWanted
	case q.symbol == d.Name && q.symbol != "":
		return wantedExact
	case strings.EqualFold(q.symbol, d.Name):
		return wantedFold
	case strings.HasPrefix(strings.ToLower(d.Name), strings.ToLower(q.symbol)):
		return wanted
	}
	return notWanted
}

// filter returns the filter for the files that a query asks for. Those that define the symbol are
// looked up: those with its whole name, and if they are few those of longer names.
func (q codeQuery) filter(x *index.Index, since index.Filter) index.Filter {
	f := since
	if q.lang != "" {
		f.Tags = []string{q.lang}
	}
	var defining map[string]bool
	if q.symbol != "" {
		defining = map[string]bool{}
		start := keyDefines + strings.ToLower(q.symbol)
		rest := make([]string, 0)
		for end := range x.CountKeys(start) {
			rest = append(rest, end)
		}
		slices.Sort(rest)
		for _, end := range rest {
			for _, row := range x.Keyed(start + end) {
				defining[row.Name] = true
			}
			if len(defining) >= narrowPool {
				break
			}
		}
	}
	if defining != nil || len(q.path) > 0 {
		f.Pass = func(row index.Row) bool {
			if defining != nil && !defining[row.Name] {
				return false
			}
			parts := partsOf(row.Name)
			return len(q.path) == 0 || slices.ContainsFunc(q.path, func(g glob) bool { return g.matches(parts) })
		}
	}
	return f
}
