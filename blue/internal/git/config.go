package git

import (
	"path/filepath"
	"slices"
	"strings"

	"blue/marker"
)

// IgnoreFiles returns the files with ignore rules for a whole working tree, the weakest first: the
// user's and info/exclude. The user's is the value of core.excludesFile in the last of git's
// configuration files that sets it, or dir/ignore. home is the user's home directory, and dir the
// directory of the user's git settings. Included files count, except for conditional includes. It
// does not run git.
func (c Checkout) IgnoreFiles(home, dir string) (files []string) {
	r := configReader{home: home}
	if filepath.IsAbs(dir) { // false if there is no home directory
		r.file = filepath.Join(dir, "ignore")
	}
	r.read(filepath.Join(dir, "config"), 0)
	r.read(filepath.Join(home, ".gitconfig"), 0)
	if stuckFile(c) == "" { // otherwise a file of the repository may block
		r.read(filepath.Join(c.Shared, "config"), 0)
		r.read(filepath.Join(c.Private, "config.worktree"), 0)
		files = append(files, filepath.Join(c.Shared, "info", "exclude"))
	}
	if r.file != "" {
		files = slices.Insert(files, 0, beside(c.Top, r.file))
	}
	return files
}

// configReader finds the value of core.excludesFile.
type configReader struct {
	home, file string
	count      int // of files read
}

func (r *configReader) read(config string, depth int) {
	if r.count++; depth > configDepth || r.count > configFiles || !filepath.IsAbs(config) {
		return
	}
	text, err := marker.ReadLinked(config, configLimit)
	if err != nil {
		return
	}
	for _, s := range parseConfig(string(text)) {
		switch s.key {
		case "core.excludesfile":
			r.file = s.path(r.home)
		case "include.path":
			r.read(beside(filepath.Dir(config), s.path(r.home)), depth+1)
		}
	}
}

// setting is a line of a configuration file. Its key is in lower case.
type setting struct{ key, value string }

// path returns the value as a path, with ~ replaced by the home directory.
func (s setting) path(home string) string {
	if below, ok := strings.CutPrefix(s.value, "~/"); ok {
		return filepath.Join(home, filepath.FromSlash(below))
	}
	return filepath.FromSlash(s.value)
}

// parseConfig parses the settings of a configuration file. The key of a setting in a subsection
// begins with the header of the subsection, such as `remote "origin".url`.
func parseConfig(text string) (all []setting) {
	section := ""
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, after, _ := strings.Cut(rest, "]")
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(after)
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";") {
			all = append(all, setting{section + "." + strings.ToLower(strings.TrimSpace(key)), unquoteValue(value)})
		}
	}
	return all
}

// unquoteValue removes the quotes, escapes and comment of a value.
func unquoteValue(text string) string {
	var b strings.Builder
	quoted, kept := false, 0 // kept: length up to the last byte that is not trailing space
	text = strings.TrimSpace(text)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		case c == '\\' && i+1 < len(text):
			i++
			c = text[i]
			if at := strings.IndexByte("ntb", c); at >= 0 {
				c = "\n\t\b"[at]
			}
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}
