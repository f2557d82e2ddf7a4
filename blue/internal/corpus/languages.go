package corpus

import (
	"path"
	"strings"
	"sync"
)

// language is a language of files of code.
type language struct {
	name  string
	files string // its extensions, and names of files without one, in lower case
	data  bool   // holds data, settings or markup and defines nothing
	line  string // beginnings of comments to the end of the line
	block string // beginning and end of other comments
}

// languages are the languages that the code of a project is searched in.
var languages = []language{
	{name: "go", files: ".go", line: "//", block: "/* */"},
	{name: "python", files: ".py .pyi .pyx sconstruct sconscript", line: "#"},
	{name: "javascript", files: ".js .jsx .mjs .cjs", line: "//", block: "/* */"},
	{name: "typescript", files: ".ts .tsx .mts .cts", line: "//", block: "/* */"},
	{name: "rust", files: ".rs", line: "//", block: "/* */"},
	{name: "java", files: ".java", line: "//", block: "/* */"},
	{name: "kotlin", files: ".kt .kts", line: "//", block: "/* */"},
	{name: "scala", files: ".scala .sc .sbt", line: "//", block: "/* */"},
	{name: "groovy", files: ".groovy .gradle jenkinsfile", line: "//", block: "/* */"},
	{name: "c", files: ".c .h", line: "//", block: "/* */"},
	{name: "cpp", files: ".cc .cpp .cxx .hh .hpp .hxx .inl .ino .cu", line: "//", block: "/* */"},
	{name: "csharp", files: ".cs .csx", line: "//", block: "/* */"},
	{name: "fsharp", files: ".fs .fsx .fsi", line: "//", block: "(* *)"},
	{name: "objc", files: ".m .mm", line: "//", block: "/* */"},
	{name: "swift", files: ".swift", line: "//", block: "/* */"},
	{name: "dart", files: ".dart", line: "//", block: "/* */"},
	{name: "zig", files: ".zig", line: "//"},
	{name: "nim", files: ".nim", line: "#"},
	{name: "php", files: ".php", line: "// #", block: "/* */"},
	{name: "ruby", files: ".rb .rake .gemspec rakefile gemfile", line: "#"},
	{name: "perl", files: ".pl .pm .t", line: "#"},
	{name: "lua", files: ".lua", line: "--", block: "--[[ ]]"},
	{name: "r", files: ".r", line: "#"},
	{name: "julia", files: ".jl", line: "#", block: "#= =#"},
	{name: "elixir", files: ".ex .exs", line: "#"},
	{name: "erlang", files: ".erl .hrl", line: "%"},
	{name: "haskell", files: ".hs", line: "--", block: "{- -}"},
	{name: "ocaml", files: ".ml .mli", block: "(* *)"},
	{name: "clojure", files: ".clj .cljs .cljc .edn", line: ";"},
	{name: "lisp", files: ".el .lisp .scm", line: ";"},
	{name: "shell", files: ".sh .bash .zsh .fish .ksh .bats", line: "#"},
	{name: "powershell", files: ".ps1 .psm1", line: "#", block: "<# #>"},
	{name: "sql", files: ".sql", line: "--", block: "/* */"},
	{name: "proto", files: ".proto", line: "//", block: "/* */"},
	{name: "graphql", files: ".graphql .gql", line: "#"},
	{name: "thrift", files: ".thrift", line: "// #", block: "/* */"},
	{name: "assembly", files: ".s .asm", line: "// # ;", block: "/* */"},
	{name: "vue", files: ".vue", line: "//", block: "/* */"},
	{name: "svelte", files: ".svelte", line: "//", block: "/* */"},
	{name: "terraform", files: ".tf .hcl", line: "# //", block: "/* */", data: true},
	{name: "nix", files: ".nix", line: "#", block: "/* */", data: true},
	{name: "make", files: ".mk makefile gnumakefile justfile", line: "#", data: true},
	{name: "cmake", files: ".cmake", line: "#", data: true},
	{name: "bazel", files: ".bzl .bazel build workspace", line: "#", data: true},
	{name: "docker", files: ".dockerfile dockerfile containerfile", line: "#", data: true},
	{name: "css", files: ".css .scss .sass .less", line: "//", block: "/* */", data: true},
	{name: "html", files: ".html .htm .tmpl .gohtml .erb .j2 .jinja .hbs .mustache", block: "<!-- -->", data: true},
	{name: "xml", files: ".xml .xsd .xsl .plist .csproj .props .targets", block: "<!-- -->", data: true},
	{name: "yaml", files: ".yml .yaml", line: "#", data: true},
	{name: "toml", files: ".toml", line: "#", data: true},
	{name: "json", files: ".json .jsonc .json5", line: "//", block: "/* */", data: true},
	{name: "ini", files: ".ini .cfg .conf .properties .service .editorconfig", line: "# ;", data: true},
	{name: "mod", files: ".mod", line: "//", data: true},
}

// byFile returns the languages by extension and name of file.
var byFile = sync.OnceValue(func() map[string]*language {
	found := map[string]*language{}
	for i := range languages {
		for file := range strings.FieldsSeq(languages[i].files) {
			found[file] = &languages[i]
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
