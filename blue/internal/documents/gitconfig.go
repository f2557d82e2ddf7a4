package documents

import (
	"path/filepath"
	"strings"
)

const (
	configLimit = 256 << 10 // bytes of a configuration file of git
	configDepth = 5         // files that include one another
	configFiles = 50        // in all
)

// ExcludesFile returns the file that the key core.excludesFile names in the last of some
// configuration files of git that has it, else the one given. Paths are those of the home
// directory with ~, and relative to the top of the working tree. Files that are included
// count, but not those that are only on a condition. It names the files that it has looked
// at too.
func ExcludesFile(home, top, otherwise string, configs ...string) (file string, looked []string) {
	r := configReader{home: home}
	if filepath.IsAbs(otherwise) { // not so without a home directory
		r.file = otherwise
	}
	for _, config := range configs {
		r.read(config, 0)
	}
	if r.file != "" && !filepath.IsAbs(r.file) {
		r.file = filepath.Join(top, r.file)
	}
	return r.file, r.looked
}

type configReader struct {
	home, file string
	looked     []string
}

func (r *configReader) read(config string, depth int) {
	if depth > configDepth || len(r.looked) >= configFiles || !filepath.IsAbs(config) {
		return
	}
	r.looked = append(r.looked, config)
	text, err := readFile(config, configLimit)
	if err != nil {
		return
	}
	for _, s := range parseConfig(string(text)) {
		path := filepath.FromSlash(s.value)
		if below, ok := strings.CutPrefix(s.value, "~/"); ok {
			path = filepath.Join(r.home, filepath.FromSlash(below))
		}
		switch s.key {
		case "core.excludesfile":
			r.file = path
		case "include.path":
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(config), path)
			}
			r.read(path, depth+1)
		}
	}
}

// setting is a line of a configuration file, its key in small letters.
type setting struct{ key, value string }

// parseConfig reads the settings of a configuration file of git that stand in sections
// without a name of their own.
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

// unquoteValue takes quotes, escapes and a comment off a value.
func unquoteValue(text string) string {
	var b strings.Builder
	quoted, kept := false, 0 // kept: bytes up to the last that is no space at the end
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
