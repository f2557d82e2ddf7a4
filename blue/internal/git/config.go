package git

import (
	"context"
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
	r := configReader{home: home, key: "core.excludesfile"}
	if filepath.IsAbs(dir) { // false if there is no home directory
		r.value = filepath.Join(dir, "ignore")
	}
	if c.readConfig(&r, dir) {
		files = append(files, filepath.Join(c.Shared, "info", "exclude"))
	}
	if file := (setting{value: r.value}).path(home); file != "" {
		files = slices.Insert(files, 0, absolute(c.Top, file))
	}
	return files
}

// User returns the name of git's user in a directory, or "" if none is set. home and settings are
// as for [Checkout.IgnoreFiles]. It starts git only in a working tree, and there only if the
// configuration has conditional includes or no name, which a file of the system may then give.
func User(ctx context.Context, dir, home, settings string) string {
	c := FindDirectories(dir)
	r := configReader{home: home, key: "user.name"}
	c.readConfig(&r, settings)
	if r.conditional || r.value == "" {
		if name, err := Output(ctx, dir, "config", "--get", "user.name"); err == nil {
			return strings.TrimSpace(name)
		}
	}
	return strings.TrimSpace(r.value)
}

// readConfig reads the configuration files of the user and those of the repository. It returns
// false if there is no repository.
func (c Checkout) readConfig(r *configReader, settings string) bool {
	r.read(filepath.Join(settings, "config"), 0)
	r.read(filepath.Join(r.home, ".gitconfig"), 0)
	if c.Private == "" {
		return false
	}
	r.read(filepath.Join(c.Shared, "config"), 0)
	r.read(filepath.Join(c.Private, "config.worktree"), 0)
	return true
}

// configReader finds the last value of a key.
type configReader struct {
	home, key, value string
	conditional      bool // an include depends on a condition, and was not read
	count            int  // of files read
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
		switch {
		case s.key == r.key:
			r.value = s.value
		case s.key == "include.path":
			r.read(absolute(filepath.Dir(config), s.path(r.home)), depth+1)
		case strings.HasPrefix(s.key, "includeif "):
			r.conditional = true
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
