package errors

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
)

// The failures of detection. Their messages are whole
// sentences, fixed to the byte: clients and people search for them.

// ProjectNotFound says that no source led to a project.
func ProjectNotFound() *Error {
	return E(NoProject, "Blue project not found. Run 'blue init' or pass 'cwd' parameter.").
		Hint("init", "DIR", "make a project")
}

// NotDetectedIn says that the directory meant is no project. suggestion is where
// one could be made, empty when there is no such place.
func NotDetectedIn(path, suggestion string) *Error {
	dir := argument(suggestion)
	return E(NotDetected, "Blue not detected in: %s. Expected .blue/ directory. Run 'blue init %s' or pass 'cwd' parameter.", shown(path), dir).
		Hint("init", dir, "make a project")
}

// InitHint is the advice to make dir a project, which a person decides.
func InitHint(dir string) Hint {
	return Hint{Verb: "init", Args: argument(dir), Text: "to make a new project"}
}

// OmitHint is the advice to leave out a bad cwd, since the root of the session is a
// project.
func OmitHint(root string) Hint {
	return Hint{Text: "omit cwd: this session's root is " + shown(root)}
}

// ServeHint is the command by which a server serves the directories: started is its
// flags without them.
func ServeHint(started string, dirs []string) Hint {
	args := started
	for _, dir := range dirs {
		args += " --allow-root " + argument(dir)
	}
	return Hint{Verb: "mcp", Args: strings.TrimSpace(args), Text: "to serve it too, if that is the root of the project"}
}

// PathNotAbsolute says that a path is relative, empty, or begins with ~.
func PathNotAbsolute(path string) *Error {
	return badPath(path, "must be absolute (e.g. /path/to/project or file:///path/to/project)")
}

// PathTraversal says that a component of a path is "..".
func PathTraversal(path string) *Error {
	return badPath(path, "must not contain directory traversals (..)")
}

// PathUnusable says why a path or file: URI cannot name a directory.
func PathUnusable(path, reason string) *Error {
	e := badPath(path, "is not usable: "+reason)
	if strings.Contains(reason, "does not exist") {
		e.Hints[0].Text = "name a directory that exists, or make it first"
	}
	return e
}

func badPath(path, problem string) *Error {
	return E(BadPath, "Path '%s' %w", clipped(path, 80), New(problem)).
		Hint("", "", "give the absolute path of a directory, or its file:// URI")
}

// MarkerLinked says that the marker of root is a symbolic link.
func MarkerLinked(root string) *Error {
	return E(BadMarker, "Bad marker: %s/.blue is a symbolic link; Blue accepts only a real directory.", shown(root)).
		Hint("init", argument(root), "remove the link and make a marker")
}

// OtherOwner says that the marker of root belongs to another user.
func OtherOwner(root string, owner, self int) *Error {
	return untrusted(root, fmt.Sprintf("belongs to uid %d, you are %d", owner, self))
}

// OpenToAll says that everyone may write in root.
func OpenToAll(root string) *Error { return untrusted(root, "is writable by everyone") }

func untrusted(root, fault string) *Error {
	dir := argument(root)
	return E(UntrustedProject, "Untrusted project: %s %s. Run: blue trust %s", shown(root), fault, dir).
		Hint("trust", dir, "accept the project, if you know where it comes from")
}

// ManyProjects says that a change was asked for while several projects are open.
func ManyProjects(roots []string) *Error {
	return E(SeveralProjects, "Several projects are open: %s. Pass 'cwd' with the one to change.", listed(roots)).
		Hint("", "", "pass cwd with one of them: "+Paths(roots, 600))
}

// RootGone says that a change would go to the project at root, while lost, a root of the
// session, led to another one before.
func RootGone(lost, root string) *Error {
	e := NotDetectedIn(lost, "")
	e.Hints = nil
	return e.Hint("", "", "this session worked there before, and nothing was changed now; pass cwd: "+shown(root)+" if that project is meant")
}

// OutsideAllowed says that a server does not serve root. advised is the directory to serve,
// empty when none should be: a link may lead anywhere.
func OutsideAllowed(root, advised string, allowed []string) *Error {
	return E(OutsideAllowedRoots, "%s is outside the directories this server serves: %s. Restart it with --allow-root %s.", shown(root), listed(allowed), argument(advised))
}

// FormatUnknown says that root was made by a later Blue.
func FormatUnknown(root, format string) *Error {
	return E(UnknownFormat, "%s/.blue/project.yaml has format %s; this Blue reads format 1. Update Blue.", shown(root), clipped(format, 40)).
		Hint("version", "", "see which Blue this is")
}

// DiskSilent says that the file system of path hangs.
func DiskSilent(path string) *Error {
	return E(FSTimeout, "%s did not answer in time. Check the mount or pass 'cwd' parameter.", shown(path)).
		Hint("where", "", "see what was tried")
}

// HomeSilent says that a directory of the user's files does not answer.
func HomeSilent(dir string) *Error {
	return E(FSTimeout, "%s did not answer in time, and Blue keeps its own files there", shown(dir)).
		Hint("", "", "check the mount")
}

// NotKnown says that a word means no project that the user has opened here; known are those
// that there are.
func NotKnown(name string, known []string) *Error {
	e := E(NotFound, "no project %s was opened on this machine", quote(name))
	if len(known) > 0 {
		e.Hint("", "", "name one of these, or give an absolute path: "+strings.Join(clip(lines(known, 20, 200), 8), ", "))
	}
	return e.Hint("projects", "", "see all that were opened")
}

// ManyNamed says that several projects have the name.
func ManyNamed(name string, candidates []string) *Error {
	return E(Invalid, "%d projects are named %s: %s", len(candidates), quote(name), strings.Join(clip(lines(candidates, 20, 200), 8), ", ")).
		Hint("", "", "give the path of the one that is meant")
}

// ProjectGone says that a project that was opened before is there no more.
func ProjectGone(name, root string) *Error {
	return E(NotDetected, "project %s is gone: there is no such project at %s any more", quote(name), quote(root)).
		Hint("projects", "--forget "+argument(root), "take it off the list")
}

// NoPersonal says that the user has no project for notes about themselves.
func NoPersonal() *Error {
	return E(NoProject, "there is no project for personal notes").
		Hint("init", "--personal", "make it")
}

// UseFailed says that a call was sent behind a blue_use that came to nothing.
func UseFailed() *Error {
	return E(Conflict, "the blue_use that was sent before this call has failed, so that nobody knows which project the call means").
		Hint("", "", "nothing was done; send the call again with cwd, or after a blue_use that succeeds")
}

// SessionMissing says that blue_use has nothing to bind to.
func SessionMissing() *Error {
	return E(NoSession, "blue_use has no session to change on this connection. Pass 'cwd' on every call.").
		Hint("", "", "pass the project's directory as cwd on every call")
}

// MarkerNotMade says that the disk refused a marker in root.
func MarkerNotMade(root string, err error) *Error {
	return E(Disk, "making the marker in %q: %w", shown(root), err).
		Hint("doctor", "", "see what is wrong with the directory")
}

// clipped makes text visible and cuts it behind n characters.
func clipped(text string, n int) string {
	text = Visible(text)
	if start := first(text, n); start != text {
		return start + "…"
	}
	return text
}

// longest is how many bytes of a path a message shows, so that a whole text stays
// below 2 KiB.
const longest = 256

func shown(path string) string { return Short(path, longest) }

// listed joins paths as a message shows them.
func listed(paths []string) string { return Paths(paths, 2*longest) }

// Paths joins paths as long as they fit into n bytes, at least one, and counts the rest.
// They are whole, for a reader who is to pass one of them on.
func Paths(paths []string, n int) string {
	text := Short(paths[0], n)
	for i, path := range paths[1:] {
		path = Visible(path)
		if len(text)+len(path) > n {
			return fmt.Sprintf("%s, and %d more", text, len(paths)-i-1)
		}
		text += ", " + path
	}
	return text
}

// bare matches what no shell takes apart.
var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// argument writes a path as one word of a command line. What no command line can
// hold in full becomes the word DIR.
func argument(path string) string {
	if path == "" || len(path) > longest || Visible(path) != path {
		return "DIR"
	}
	if bare.MatchString(path) {
		return path
	}
	if runtime.GOOS == "windows" {
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
