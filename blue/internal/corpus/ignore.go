package corpus

import "strings"

// rule is a line of a .gitignore file.
type rule struct {
	glob    glob
	keeps   bool // it takes back what rules before it have ignored
	dirOnly bool
	below   bool // it fits a name at any depth: the glob has one part
}

// maxRules is how many rules of one file count.
const maxRules = 5000

// parseRules reads a .gitignore file.
func parseRules(text string) (rules []rule) {
	for line := range strings.Lines(text) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok && len(rules) < maxRules {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (r rule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line, r.keeps = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.below = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.glob = parseGlob(line)
	if r.below && line == "**" {
		r.glob = glob{"*"}
	}
	return r, line != ""
}

// ignores says of a path below the directory of the rules whether they ignore it; decided
// is false when none fits. The last rule that fits counts.
func ignores(rules []rule, name []string, dir bool) (ignored, decided bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.dirOnly && !dir {
			continue
		}
		path := name
		if r.below {
			path = name[len(name)-1:]
		}
		if r.glob.matches(path) {
			return !r.keeps, true
		}
	}
	return false, false
}
