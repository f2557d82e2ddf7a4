package corpus

import (
	"path"
	"strings"
	"sync"
)

// language is a language of files of code.
type language struct {
	name string
	*syntax
}

// syntax is what languages have in common.
type syntax struct {
	line      string // beginnings of comments to the end of the line
	block     string // beginning and end of other comments
	data      bool   // they hold data, settings or markup, and define nothing
	languages string // each with the extensions and names of its files, in lower case
}

// syntaxes are the languages that the code of a project is searched in.
var syntaxes = []syntax{
	{"//", "/* */", false, `go .go, javascript .js .jsx .mjs .cjs, typescript .ts .tsx .mts .cts, rust .rs, java .java, kotlin .kt .kts, scala .scala .sc,
		groovy .groovy .gradle jenkinsfile, c .c .h, cpp .cc .cpp .cxx .hh .hpp .hxx .inl .cu, csharp .cs, objc .m .mm, swift .swift, dart .dart, zig .zig,
		proto .proto, vue .vue, svelte .svelte`},
	{"// #", "/* */", false, "php .php, thrift .thrift"},
	{"#", "", false, "python .py .pyi .pyx, ruby .rb .rake rakefile gemfile, perl .pl .pm, elixir .ex .exs, r .r, julia .jl, nim .nim, graphql .graphql .gql, shell .sh .bash .zsh .fish .bats"},
	{"#", "<# #>", false, "powershell .ps1 .psm1"},
	{"--", "--[[ ]]", false, "lua .lua"},
	{"--", "/* */", false, "sql .sql"},
	{"--", "{- -}", false, "haskell .hs"},
	{"%", "", false, "erlang .erl .hrl"},
	{";", "", false, "clojure .clj .cljs .cljc, lisp .el .lisp .scm"},
	{"//", "(* *)", false, "fsharp .fs .fsx, ocaml .ml .mli"},
	{"// # ;", "/* */", false, "assembly .s .asm"},
	{"#", "/* */", true, "terraform .tf .hcl, nix .nix"},
	{"#", "", true, `make .mk makefile gnumakefile justfile, cmake .cmake, bazel .bzl .bazel, docker .dockerfile dockerfile containerfile, yaml .yml .yaml,
		toml .toml`},
	{"# ;", "", true, "ini .ini .cfg .conf .properties .editorconfig"},
	{"//", "/* */", true, "css .css .scss .sass .less, json .json .jsonc .json5, mod .mod"},
	{"", "<!-- -->", true, "html .html .htm .tmpl .gohtml .erb .j2 .jinja .hbs .mustache, xml .xml .xsd .xsl .plist .csproj .props"},
}

// byFile returns the languages by name, by extension and by name of file.
var byFile = sync.OnceValue(func() map[string]*language {
	found := map[string]*language{}
	for i := range syntaxes {
		for words := range strings.SplitSeq(syntaxes[i].languages, ",") {
			fields := strings.Fields(words)
			l := &language{fields[0], &syntaxes[i]}
			for _, file := range fields[1:] {
				found[file] = l
			}
			found["lang "+l.name] = l
		}
	}
	return found
})

// languageOf returns the language of a file of code, nil for any other file.
func languageOf(file string) *language {
	file = strings.ToLower(path.Base(file))
	if l := byFile()[file]; l != nil {
		return l
	}
	return byFile()[path.Ext(file)]
}

// CodeLines returns the lines of a file without comments and white space, "" where nothing else
// stands. Of a file in an unknown language it leaves out the white space alone.
func CodeLines(file, text string) []string {
	var code strings.Builder
	l := languageOf(file)
	for at := 0; at < len(text); {
		end := at + 1
		if l != nil {
			end = max(end, skipQuoted(text, at, l))
		}
		part := text[at:end]
		if l != nil && isComment(text, at, end, l) {
			part = strings.Repeat("\n", strings.Count(part, "\n"))
		}
		code.WriteString(part)
		at = end
	}
	lines := strings.Split(code.String(), "\n")
	for i, line := range lines {
		lines[i] = tighten(line)
	}
	return lines
}

// tighten removes the space of a line that does not stand between two words, and the brackets, quotes,
// commas and semicolons at its ends.
func tighten(line string) string {
	var b strings.Builder
	last := byte(0)
	for word := range strings.FieldsSeq(line) {
		if isWordByte(last) && isWordByte(word[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		last = word[len(word)-1]
	}
	return strings.Trim(b.String(), "()[]{},;\"'`")
}

// isComment reports whether the comment or string of a text between two offsets is a comment, or a string in
// three quotes that begins a line and says what a function does.
func isComment(text string, at, end int, l *language) bool {
	part := text[at:end]
	if strings.HasPrefix(part, `"""`) || strings.HasPrefix(part, "'''") {
		before := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		return strings.TrimSpace(before) == ""
	}
	return end > at+1 && part[0] != '"' && part[0] != '\'' && part[0] != '`'
}
