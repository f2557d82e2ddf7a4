package corpus

import (
	"path"
	"slices"
	"strings"
)

// kinds are the ends of the names of documents.
var kinds = []string{".md", ".markdown", ".adoc", ".rst", ".txt"}

// isDocument reports a name that a document may have.
func isDocument(name string) bool { return slices.Contains(kinds, strings.ToLower(path.Ext(name))) }

// foreign are the directories that hold what others have written, or programs have made.
var foreign = []string{
	"node_modules", "bower_components", "jspm_packages", "vendor", "third_party", "third-party", "thirdparty", "dist", "_build", "pods", "carthage",
	"site-packages", "__pycache__", "venv", ".venv", ".tox", ".nox", ".eggs", ".gradle", ".terraform", ".next", ".nuxt", ".cache", ".yarn", ".mypy_cache", ".pytest_cache",
}

// told are the files and directories by which agents are told what they should know: they
// have them before they ask.
var told = []string{
	"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", "warp.md", "copilot-instructions.md", "llms.txt", "llms-full.txt",
	".cursor", ".claude", ".gemini", ".codex", ".qwen", ".windsurf", ".clinerules", ".roo", ".kiro", ".continue", ".opencode", ".goose", ".amazonq", ".junie", ".augment",
}

// licences begin the names of files that hold one.
var licences = []string{"license", "licence", "copying", "copyright", "notice", "patents", "unlicense", "third-party-notices", "thirdpartynotices", "third_party_notices"}

// Reasons why something is left out.
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

// refuses says why a name is left out whatever the rules of git say, empty when it is not.
// A directory stands for all that is in it.
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
