package anchor

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kinds of definitions. Modules count as types, and variables as constants.
const (
	KindFunc   = "func"
	KindMethod = "method"
	KindType   = "type"
	KindConst  = "const"
)

// Kinds returns the kinds of definitions.
func Kinds() []string { return []string{KindFunc, KindType, KindMethod, KindConst} }

// Definition is a definition in a text.
type Definition struct {
	Name string // without what qualifies it
	In   string // the type around a method
	Kind string
	Line int // that defines it, counted from 1
}

// kinds are the keywords of definitions, by kind.
var kinds = map[string]string{
	"func": KindFunc, "function": KindFunc, "fun": KindFunc, "fn": KindFunc, "def": KindFunc, "defp": KindFunc, "defmacro": KindFunc,
	"defn": KindFunc, "defun": KindFunc, "sub": KindFunc, "proc": KindFunc, "macro": KindFunc, "macro_rules": KindFunc, "rpc": KindFunc,
	"procedure": KindFunc, "trigger": KindFunc, "FUNCTION": KindFunc, "PROCEDURE": KindFunc, "TRIGGER": KindFunc,
	"class": KindType, "struct": KindType, "enum": KindType, "interface": KindType, "trait": KindType, "type": KindType, "mod": KindType,
	"module": KindType, "namespace": KindType, "union": KindType, "protocol": KindType, "extension": KindType, "object": KindType,
	"record": KindType, "message": KindType, "service": KindType, "table": KindType, "view": KindType, "defmodule": KindType,
	"TABLE": KindType, "VIEW": KindType,
	"const": KindConst, "let": KindConst, "var": KindConst, "val": KindConst, "define": KindConst,
}

// beginners are other words that a line with a definition may begin with.
var beginners = strings.Fields("export default public private protected internal static final abstract async pub unsafe extern inline virtual override readonly " +
	"declare sealed partial open data inner local global constexpr typedef create or replace CREATE OR REPLACE mutating")

// withKeywords are the extensions of languages in which every definition has a keyword.
var withKeywords = strings.Fields(".go .py .pyi .rs .rb .ex .exs .lua .kt .kts .swift .sql .proto .jl .clj .el .nim .zig")

// scope is a block around a definition.
type scope struct {
	margin     int
	kind, name string
}

// Definitions returns what a source file defines by a keyword or a body, in order. The name of the
// file decides whether definitions without a keyword are looked for. Local variables do not count.
func (t Lines) Definitions(file string) (all []Definition) {
	extension := strings.ToLower(path.Ext(file))
	keywords := slices.Contains(withKeywords, extension)
	group := "" // kind of an open group of declarations, as in Go
	var around []scope
	for i, line := range t.lines[:min(len(t.lines), LineLimit)] {
		code := strings.TrimLeft(line, " \t")
		margin := indentation(line)
		if code == "" {
			continue
		}
		if group != "" {
			if code[0] == ')' && margin == 0 {
				group = ""
			} else if name := firstWord(code); name != "" && line[0] == '\t' && len(line) == len(code)+1 {
				all = append(all, Definition{Name: name, Kind: group, Line: i + 1})
			}
			continue
		}
		if d := (Definition{constantIn(extension, code), insideType(around, margin), KindConst, i + 1}); d.Name != "" && (margin == 0 || d.In != "") {
			all = append(all, d)
			continue
		}
		first := firstWord(strings.TrimLeft(code, "(#"))
		if rest := code[len(first):]; rest == " (" && margin == 0 && (first == "const" || first == "var" || first == "type") {
			group = kinds[first]
			continue
		}
		isWord := kinds[first] != "" || slices.Contains(beginners, first) || code[0] == '@'
		if first != "impl" && !isWord && (keywords || !mayBeHeader(code, first)) {
			continue
		}
		for len(around) > 0 && around[len(around)-1].margin >= margin {
			around = around[:len(around)-1]
		}
		var in scope
		if len(around) > 0 && around[len(around)-1].kind == KindType {
			in = around[len(around)-1]
		}
		if first == "impl" { // of Rust, around methods
			around = append(around, scope{margin, KindType, implemented(code)})
			continue
		}
		if kinds[first] == KindConst && margin > 0 && in.kind == "" {
			continue
		}
		d, ok := t.definition(i, code)
		if !ok {
			continue
		}
		d.In = cmp.Or(d.In, in.name)
		if d.Kind == KindFunc && d.In != "" {
			d.Kind = KindMethod
		}
		all = append(all, d)
		around = append(around, scope{margin, d.Kind, d.Name})
	}
	return all
}

// implemented returns the type of a line that begins with impl.
func implemented(code string) string {
	rest := strings.TrimPrefix(code, "impl")
	if strings.HasPrefix(rest, "<") {
		_, rest, _ = strings.Cut(rest, ">")
	}
	return lastName(rest)
}

// insideType returns the name of the type whose block a line of some margin stands directly in.
func insideType(around []scope, margin int) string {
	for i := len(around) - 1; i >= 0; i-- {
		if around[i].margin < margin {
			if around[i].kind == KindType {
				return around[i].name
			}
			return ""
		}
	}
	return ""
}

// constants are the assignments that define a constant, by extension: those to a name in capitals,
// and those that the language marks. The name is the group.
var constants = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, c := range []struct{ extensions, pattern string }{
		{".py .pyi", `^(_?[A-Z][A-Z0-9_]+)(?:\s*:[^=]+)?\s*=[^=]`},
		{".rb", `^([A-Z]\w*)\s*=[^=~>]`},
		{".sh .bash .zsh", `^(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*)*([A-Z][A-Z0-9_]+)=`},
		{".c .h .cc .cpp .cxx .hpp", `^(?:(?:static|extern|inline)\s+)*(?:const|constexpr)\b[^=;(]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*=[^=]`},
		{".java", `^(?:\w+\s+)*?final\s[^=;(]*?\b(\w+)\s*=[^=]`},
		{".cs", `^(?:\w+\s+)*?(?:readonly|const)\s[^=;(]*?\b(\w+)\s*=[^=]`},
		{".rs", `^(?:pub(?:\([^)]*\))?\s+)?static\s+(?:mut\s+)?(\w+)\s*:`},
	} {
		pattern := regexp.MustCompile(c.pattern)
		for extension := range strings.FieldsSeq(c.extensions) {
			all[extension] = pattern
		}
	}
	return all
})

// constantIn returns the constant that a line of a file with some extension defines by assigning to
// it, or "".
func constantIn(extension, code string) string {
	if strings.IndexByte(code, '=') < 0 {
		return ""
	}
	pattern := constants()[extension]
	if pattern == nil {
		return ""
	}
	if m := pattern.FindStringSubmatch(code); m != nil && len(m[1]) <= nameLimit {
		return m[1]
	}
	return ""
}

// definition returns what a line defines by a keyword or a body. Most lines need none of the slow
// patterns.
func (t Lines) definition(at int, code string) (d Definition, ok bool) {
	d.Line = at + 1
	first := firstWord(code)
	rest := strings.TrimPrefix(code[len(first):], " ")
	if receiver, is := strings.CutPrefix(rest, "("); is && first == "func" {
		receiver, rest, _ = strings.Cut(receiver, ") ")
		d.In = lastName(receiver)
	}
	if d.Name = firstWord(rest); d.Name != "" && kinds[first] != "" && (rest == d.Name || strings.IndexByte("([ :{<=;,", rest[len(d.Name)]) >= 0) &&
		kinds[d.Name] == "" && !slices.Contains(noNames, d.Name) && !slices.Contains(beginners, d.Name) {
		d.Kind = kinds[first]
		return d, len(d.Name) <= nameLimit
	}
	names, strong := t.defined(at)
	if !strong || len(names) == 0 || len(names[0]) > nameLimit {
		return d, false
	}
	if d.Name, d.Kind = names[0], kindOf(code, names[0]); len(names) > 1 && names[1] != names[0] {
		d.In = lastName(strings.TrimSuffix(names[1], names[0]))
	}
	return d, true
}

// firstWord returns the name that a line of code begins with, or "".
func firstWord(code string) string {
	for i := range len(code) {
		c := code[i]
		if c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return code[:i]
		}
	}
	return code
}

// mayBeHeader reports whether a line may begin a function without a keyword.
func mayBeHeader(code, first string) bool {
	if first == "" || strings.IndexByte(code, '(') < 0 || slices.Contains(control, first) {
		return false
	}
	switch last := code[len(code)-1]; last {
	case '{', '(', ',', ')':
		return true
	}
	return strings.HasSuffix(code, "}")
}

// kindOf returns the kind of a definition by the last keyword before its name.
func kindOf(code, name string) string {
	kind := KindFunc
	for _, word := range namesIn(code) {
		if word == name {
			break
		}
		if k := kinds[word]; k != "" {
			kind = k
		}
	}
	return kind
}

// lastName returns the last name of a text, without type parameters.
func lastName(text string) string {
	if at := strings.IndexAny(text, "[{<"); at > 0 {
		text = text[:at]
	}
	if all := namesIn(text); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// Block returns the lines of the block that begins on a line, counted from 1.
func (t Lines) Block(line int) Span { return Span{line, t.blockEnd(line-1) + 1} }
