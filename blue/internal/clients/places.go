package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
)

func inProject(below string, format Format) where {
	return where{ConfigFile: ConfigFile{Scope: Project, Format: format}, base: project, below: below}
}

// ofUser returns a file of the user.
func ofUser(base func(Environment) string, below string, format Format) where {
	return where{ConfigFile: ConfigFile{Scope: User, Format: format}, base: base, below: below}
}

// in returns the file in the environment p, for one part of a client.
func (w where) in(p Environment, c Client, part Component) ConfigFile {
	f := w.ConfigFile
	f.Path = under(w.base(p), filepath.FromSlash(w.below))
	f.Exists = f.Path != "" && exists(f.Path)
	f.Holds, f.client, f.at, f.top = []Component{part}, c, c.shape.at, p.Home
	if f.Scope == Project {
		f.top = p.Project
	} else {
		f.system = p.OS
	}
	if w.servers != nil {
		f.at = w.servers(p)
	}
	return f
}

func project(p Environment) string { return p.Project }

func home(p Environment) string { return p.Home }

func (p Environment) env(name string) string {
	if p.Env == nil || name == "" {
		return ""
	}
	return p.Env(name)
}

// within returns the directory in the variable if it is absolute, otherwise the names joined to
// the home, "" without a home.
func (p Environment) within(variable string, names ...string) string {
	if dir := p.env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return under(p.Home, names...)
}

// under joins the names to base. It returns "" if base is empty.
func under(base string, names ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, names...)...)
}

// dotConfig returns ~/.config on every system except Windows, including macOS: Zed, opencode,
// Crush and Goose do not follow the custom of that system.
func dotConfig(p Environment) string { return p.within("XDG_CONFIG_HOME", ".config") }

// appData returns the directory in which desktop programs keep their files.
func appData(p Environment) string {
	switch p.OS {
	case "windows":
		return p.within("APPDATA", "AppData", "Roaming")
	case "darwin":
		return p.within("", "Library", "Application Support")
	default:
		return dotConfig(p)
	}
}

var (
	zedDir   = ofProgram("zed", appData, "Zed")
	gooseDir = ofProgram("goose", appData, "Block", "goose", "config")
	crushDir = ofProgram("crush", localAppData, "crush")
)

func localAppData(p Environment) string { return p.within("LOCALAPPDATA", "AppData", "Local") }

// ofProgram returns a function for the directory of a program: name in ~/.config, and on
// Windows the names in base.
func ofProgram(name string, base func(Environment) string, names ...string) func(Environment) string {
	return func(p Environment) string {
		if p.OS == "windows" {
			return under(base(p), names...)
		}
		return under(dotConfig(p), name)
	}
}

// codeDir returns the user directory of VS Code, below which extensions keep their settings.
func codeDir(p Environment) string { return under(appData(p), "Code", "User") }

func insidersDir(p Environment) string { return under(appData(p), "Code - Insiders", "User") }

// claudeDir returns the directory of .claude.json: the home, unless the variable names another.
func claudeDir(p Environment) string { return p.within("CLAUDE_CONFIG_DIR") }

// claudeSettings returns the directory of the user's settings, which differs from that of
// .claude.json.
func claudeSettings(p Environment) string { return p.within("CLAUDE_CONFIG_DIR", ".claude") }

func codexDir(p Environment) string { return p.within("CODEX_HOME", ".codex") }

// clineFile returns the file that Cline's command line and its extensions share.
func clineFile(p Environment) string {
	if path := p.env("CLINE_MCP_SETTINGS_PATH"); filepath.IsAbs(path) {
		return path
	}
	return p.within("", ".cline", "data", "settings", "cline_mcp_settings.json")
}

// localServers returns the keys under which Claude Code keeps the entries of one user for one
// project.
func localServers(p Environment) []string {
	return []string{"projects", filepath.ToSlash(p.Project), "mcpServers"}
}

// Program returns the path of a program found on PATH, "" if there is none. It searches
// absolute directories only: a relative one could be in the project.
func (p Environment) Program(name string) string {
	for _, dir := range filepath.SplitList(p.Path()) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// Path returns PATH without its relative directories, one of which could be in the project.
func (p Environment) Path() string {
	dirs := slices.DeleteFunc(filepath.SplitList(p.env("PATH")), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// exists reports whether a file exists. On any error other than absence it returns true, so
// that reading the file reports the reason.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// isFound reports whether the directory of the file exists, or in one that programs share the file itself.
// Antigravity makes ~/.gemini too.
func (f ConfigFile) isFound(p Environment) bool {
	dir := filepath.Dir(f.Path)
	if slices.Contains([]string{filepath.Clean(p.Home), filepath.Join(p.Home, ".gemini"), dotConfig(p), appData(p)}, dir) {
		return f.Exists
	}
	return exists(dir)
}
