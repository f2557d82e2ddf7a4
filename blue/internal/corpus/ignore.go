package corpus

import (
	"path"
	"slices"
	"strings"
)

// rule is a line of a .gitignore file.
type rule struct {
	glob    glob
	keeps   bool // a ! rule, which negates earlier rules
	dirOnly bool
	below   bool // matches a name at any depth, since the glob has one part
}

// parseRules parses a .gitignore file.
func parseRules(text string) (rules []rule) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		var r rule
		if strings.HasPrefix(line, "#") {
			continue
		}
		line, r.keeps = strings.CutPrefix(line, "!")
		line, r.dirOnly = strings.CutSuffix(line, "/")
		r.below = !strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if r.glob = parseGlob(line); r.below && line == "**" {
			r.glob = glob{"*"}
		}
		if line != "" && len(rules) < maxRules {
			rules = append(rules, r)
		}
	}
	return rules
}

// ignores reports whether rules ignore a path, given relative to their directory; decided is false
// if none matches. The last match wins.
func ignores(rules []rule, name []string, dir bool) (ignored, decided bool) {
	for _, r := range slices.Backward(rules) {
		path := name
		if r.below {
			path = name[len(name)-1:]
		}
		if (dir || !r.dirOnly) && r.glob.matches(path) {
			return !r.keeps, true
		}
	}
	return false, false
}

// glob is a pattern for paths, split at slashes. The part ** matches any number of parts, including
// none.
type glob []string

// parseGlob parses a pattern that is relative to a directory.
func parseGlob(text string) glob {
	parts := strings.Split(text, "/")
	if last := len(parts) - 1; parts[last] == "**" {
		parts = append(parts, "*") // everything inside, not the directory itself
	}
	return parts
}

// matches reports whether the pattern matches a path. The time is at most proportional to the
// product of their lengths.
func (g glob) matches(name []string) bool {
	at, again, from := 0, -1, 0 // again: the part after the last **, retried from the next part of the name
	for i := 0; i < len(name); {
		switch {
		case at < len(g) && g[at] == "**":
			at++
			again, from = at, i
		case at < len(g) && matchPart(g[at], name[i]):
			at++
			i++
		case again >= 0:
			from++
			at, i = again, from
		default:
			return false
		}
	}
	return !slices.ContainsFunc(g[at:], func(part string) bool { return part != "**" })
}

// reaches reports whether the pattern may match a path inside a directory.
func (g glob) reaches(dir []string) bool {
	for i, part := range dir {
		if i >= len(g) {
			return false
		}
		if g[i] == "**" {
			return true
		}
		if !matchPart(g[i], part) {
			return false
		}
	}
	return len(g) > len(dir)
}

func matchPart(pattern, name string) bool {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == name
	}
	if end, ok := strings.CutPrefix(pattern, "*"); ok && !strings.ContainsAny(end, `*?[\`) {
		return strings.HasSuffix(name, end)
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
	return ok && err == nil
}

// kinds are the file name extensions of documents.
var kinds = []string{".md", ".markdown", ".adoc", ".rst", ".txt"}

// isDocument reports whether a file name has the extension of a document.
func isDocument(name string) bool { return slices.Contains(kinds, strings.ToLower(path.Ext(name))) }

// foreign lists directories with third-party or generated files.
var foreign = []string{
	"node_modules", "bower_components", "jspm_packages", "vendor", "third_party", "third-party", "thirdparty", "dist", "_build", "pods", "carthage",
	"site-packages", "__pycache__", "venv", ".venv", ".tox", ".nox", ".eggs", ".gradle", ".terraform", ".next", ".nuxt", ".cache", ".yarn", ".mypy_cache", ".pytest_cache",
}

// told lists files and directories with instructions for agents, who have read them already.
var told = []string{
	"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", "warp.md", "copilot-instructions.md", "llms.txt", "llms-full.txt",
	".cursor", ".claude", ".gemini", ".codex", ".qwen", ".windsurf", ".clinerules", ".roo", ".kiro", ".continue", ".opencode", ".goose", ".amazonq", ".junie", ".augment",
}

// licences lists the beginnings of the names of licence files.
var licences = []string{"license", "licence", "copying", "copyright", "notice", "patents", "unlicense", "third-party-notices", "thirdpartynotices", "third_party_notices"}

// Reasons for leaving out a file or directory.
const (
	leftIgnored   = "ignored by git"
	leftForeign   = "in directories of others' or generated files"
	leftOfAgents  = "agents' own context files"
	leftLicence   = "licences"
	leftTooLarge  = "larger than 1 MiB"
	leftNoFile    = "links or other special files"
	leftTooMany   = "beyond the limits of a listing"
	leftNested    = "in a repository or project of their own"
	leftUnread    = "unreadable"
	leftBinary    = "not text"
	leftOtherGlob = "outside the globs of sources"
)

// refuses returns why a name is left out regardless of git's ignore rules, or "". A directory is
// left out with its contents.
func refuses(name string, dir bool) string {
	name = strings.ToLower(name)
	switch {
	case slices.Contains(told, name):
		return leftOfAgents
	case dir && slices.Contains(foreign, name):
		return leftForeign
	case dir:
		return ""
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	for _, start := range licences {
		rest, ok := strings.CutPrefix(stem, start)
		if ok && (rest == "" || rest == "s" || strings.ContainsAny(rest[:1], "-_.")) {
			return leftLicence
		}
	}
	return ""
}
