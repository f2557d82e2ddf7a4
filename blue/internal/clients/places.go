package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker"
)

func inProject(below string, format Format) where {
	return where{ConfigFile: ConfigFile{Scope: Project, Format: format}, base: project, below: below}
}

// ofUser is a file of the person's own.
func ofUser(base func(Environment) string, below string, format Format) where {
	return where{ConfigFile: ConfigFile{Scope: User, Format: format}, base: base, below: below}
}

// in returns the file at p, for one part of a client.
func (w where) in(p Environment, c Client, part Component) ConfigFile {
	f := w.ConfigFile
	f.Path = under(w.base(p), filepath.FromSlash(w.below))
	f.Exists = f.Path != "" && exists(f.Path)
	f.Holds, f.client, f.at, f.top = []Component{part}, c, c.shape.at, p.Home
	if f.Scope == Project {
		f.top = p.Project
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

// within returns the directory of the variable when it names an absolute one,
// else the names below home, "" without a home.
func (p Environment) within(variable string, names ...string) string {
	if dir := p.env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return under(p.Home, names...)
}

// under joins the names to the base; without a base there is no path.
func under(base string, names ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, names...)...)
}

// dotConfig is ~/.config on every system but Windows, also on macOS: Zed,
// opencode, Crush and Goose do not follow that system's custom.
func dotConfig(p Environment) string { return p.within("XDG_CONFIG_HOME", ".config") }

// appData is where desktop programs keep their files.
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

// ofProgram returns the directory of a program: name in ~/.config, and on Windows
// the names in base.
func ofProgram(name string, base func(Environment) string, names ...string) func(Environment) string {
	return func(p Environment) string {
		if p.OS == "windows" {
			return under(base(p), names...)
		}
		return under(dotConfig(p), name)
	}
}

// codeDir is the user directory of VS Code; extensions keep their settings below it.
func codeDir(p Environment) string { return under(appData(p), "Code", "User") }

func insidersDir(p Environment) string { return under(appData(p), "Code - Insiders", "User") }

// claudeDir holds .claude.json: the home, unless the variable names another.
func claudeDir(p Environment) string { return p.within("CLAUDE_CONFIG_DIR") }

// claudeSettings holds the settings of the person, unlike .claude.json.
func claudeSettings(p Environment) string { return p.within("CLAUDE_CONFIG_DIR", ".claude") }

func codexDir(p Environment) string { return p.within("CODEX_HOME", ".codex") }

// clineFile is the one file that Cline's command line and its extensions share.
func clineFile(p Environment) string {
	if path := p.env("CLINE_MCP_SETTINGS_PATH"); filepath.IsAbs(path) {
		return path
	}
	return p.within("", ".cline", "data", "settings", "cline_mcp_settings.json")
}

// localServers is where Claude Code keeps the entries that one person has for
// one project.
func localServers(p Environment) []string {
	return []string{"projects", filepath.ToSlash(p.Project), "mcpServers"}
}

// Program returns the path of a program that PATH names, "" without one. Only
// absolute directories count: a relative one could lie in the project.
func (p Environment) Program(name string) string {
	for _, dir := range filepath.SplitList(p.Path()) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// Path is PATH without its relative directories, one of which could lie in the project.
func (p Environment) Path() string {
	dirs := slices.DeleteFunc(filepath.SplitList(p.env("PATH")), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// exists takes an error other than absence for a file that is there, so that
// reading it tells the reason.
func exists(path string) bool {
	if marker.CheckMount(path) != nil {
		return true
	}
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// ownDirectory reports that the directory of the file exists and is the
// client's own, not one that everybody has.
func (f ConfigFile) ownDirectory(p Environment) bool {
	dir := filepath.Dir(f.Path)
	if slices.Contains([]string{filepath.Clean(p.Home), dotConfig(p), appData(p)}, dir) {
		return false
	}
	return exists(dir)
}
