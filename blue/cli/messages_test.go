package cli_test

import (
	"flag"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blue/blue"
)

var update = flag.Bool("update", false, "write the messages as they are now to testdata/messages.txt")

var (
	sentence = regexp.MustCompile(`[a-zA-Z]{2}[a-z,.:;]* +[a-z({%"]`)                                                                       // two words at least
	noSpeech = regexp.MustCompile(`^\s*<|[{};]\n|\(\?|\\[dwsb]|^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|GRANT) |\bfunction |^[#!]/`) // pages, patterns, statements
)

// messages returns the texts of the product that people read, by directory, each once: the
// literals of at least two words, except patterns, pages and queries.
func messages(t *testing.T) (lines []string) {
	fset, files := sources(t)
	for _, f := range files {
		dir, err := filepath.Rel(repository, filepath.Dir(fset.Position(f.Pos()).Filename))
		must(t, err)
		found := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				return n.Tag == nil
			case *ast.CallExpr:
				return !strings.Contains(types.ExprString(n.Fun), "regexp.") && !strings.HasSuffix(types.ExprString(n.Fun), "azyPattern")
			case *ast.BinaryExpr:
				if n.Op == token.ADD {
					found[written(n)] = true
					return false
				}
			case *ast.BasicLit:
				found[written(n)] = true
			}
			return true
		})
		for text := range found {
			if sentence.MatchString(text) && !noSpeech.MatchString(text) {
				lines = append(lines, filepath.ToSlash(dir)+": "+blue.Visible(strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t")))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// U016: every message stands in one file, to be read aloud as a whole: what has changed in it
// is to be plain English.
func TestU016Messages(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it runs beside another")
	}
	golden := filepath.Join("testdata", "messages.txt")
	now := strings.Join(messages(t), "\n") + "\n"
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(golden, []byte(now), 0o644))
	}
	was, err := os.ReadFile(golden)
	must(t, err)
	if now != string(was) {
		t.Errorf("messages have changed: run go test ./blue/cli -run U016 -update, and read the difference aloud")
	}
}

// U016: what a terminal says when a command line is wrong has its own names, and right plurals.
func TestU016Terminal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for line, want := range map[string]string{
		"import one":                        "blue import takes a SOURCE and a PATH; 1 argument was given",
		"history":                           "blue history takes one ID; no argument was given",
		"init a b":                          "blue init takes one directory; 2 arguments were given",
		"--frob list":                       `blue has no flag "--frob"`,
		"list --limit many":                 `"--limit" cannot be "many"` + "\nblue: hint: give a number\n",
		"mcp --session-timeout 1x --http 1": `"--session-timeout" cannot be "1x"` + "\nblue: hint: give a time such as 30m or 24h\n",
		"search":                            "or list notes without a query: blue list",
		"read":                              "see the ids: blue list",
		"write":                             `"TEXT" is missing`,
		"list deploys":                      `blue list takes no arguments; "deploys" was given`,
		"list --since soon":                 `"--since" cannot be "soon"`,
		"list -n 0":                         "give a number from 1; --all lists all",
		"raed":                              "did you mean: blue read\n",
		"lst":                               "did you mean: blue list\n",
		"-C":                                `flag "-C" of blue needs a value` + "\nblue: hint: see: blue --help\n",
		"read deploys nosuch":               "No such notes: nosuch\n",
		"setup gemini-cli":                  "perhaps you mean: blue setup gemini\n",
		"edit deploys --old-text nowhere --new-text x": "the text to replace is not in ",
		"search " + strings.Repeat("long", 20_000):     "hint: shorten it\n",
		"check": "Checked 1 note: nothing wrong\n",
		"where": "Not set: --cwd, BLUE_PROJECT\n",
	} {
		_, said := s.run(strings.Fields(line)...)
		if !strings.Contains(said, want) || regexp.MustCompile(`\bblue_|provided but|\b1 \w+s\b|\b0 hints`).MatchString(said) {
			t.Errorf("blue %.60s:\n%s\nwant %q", line, said, want)
		}
	}
}
