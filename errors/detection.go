package errors

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// The failures of detection. Their messages are full sentences that must not change by a byte,
// because clients and people search for them.

// ProjectNotFound returns the error if no source led to a project.
func ProjectNotFound() *Error {
	return E(NoProject, "Blue project not found. Run 'blue init' or pass 'cwd' parameter.").
		Hint("init", "DIR", "make a project")
}

// NotDetectedIn returns the error for a directory that is no project. suggestion is where one
// could be created, empty if there is no such place.
func NotDetectedIn(path, suggestion string) *Error {
	dir := Argument(suggestion)
	return E(NotDetected,
		"Blue not detected in: %s. Expected .blue/ directory. Run 'blue init %s' or pass 'cwd' parameter.", Path(path), dir).
		Hint("init", dir, "make a project")
}

// ProjectMoved returns the error for a change by a session that worked in the project at former,
// and whose source now leads to the one at now.
func ProjectMoved(former, now string) *Error {
	return E(NotDetected, "nothing was changed: this session worked in the project at %s, and now leads to the one at %s", Path(former), Path(now)).
		Hint("", "", "pass cwd: "+Path(now)+" if that project is meant").
		Hint("", "", "if the former is meant, restore its .blue/ if that is gone, and pass cwd: "+Path(former))
}

// PathNotAbsolute returns the error for a path that is relative, empty, or begins with ~.
func PathNotAbsolute(path string) *Error {
	example := "/path/to/project or file:///path/to/project"
	if runtime.GOOS == "windows" {
		example = `C:\path\to\project or file:///C:/path/to/project`
	}
	return badPath(path, "must be absolute (e.g. "+example+")")
}

// PathTraversal returns the error for a path with a component "..".
func PathTraversal(path string) *Error {
	return badPath(path, "must not contain directory traversals (..)")
}

// PathUnusable returns the error for a path or file: URI that cannot name a directory.
func PathUnusable(path, reason string) *Error {
	e := badPath(path, "is not usable: "+reason)
	if strings.Contains(reason, "does not exist") {
		e.Hints[0].Text = "name a directory that exists, or make it first"
	}
	if strings.Contains(reason, "is never a project") {
		e.Hints[0].Text = "use a directory below it"
		e.Hint("init", "--personal", "or make a project for notes about yourself")
	}
	return e
}

func badPath(path, problem string) *Error {
	return E(BadPath, "Path '%s' %w", Clip(Visible(path), 80), New(problem)).
		Hint("", "", "give the absolute path of a directory, or its file:// URI")
}

// MarkerLinked returns the error for a root whose marker is a symbolic link.
func MarkerLinked(root string) *Error {
	return E(BadMarker, "Bad marker: %s%s is a symbolic link; Blue accepts only a real directory.", Path(root), filepath.FromSlash("/.blue")).
		Hint("init", Argument(root), "remove the link and make a marker")
}

// OtherOwner returns the error for a root whose marker belongs to another user.
func OtherOwner(root string, owner, self int) *Error {
	return untrusted(root, fmt.Sprintf("belongs to uid %d, you are %d", owner, self))
}

// OpenToAll returns the error for a root that everyone may write in.
func OpenToAll(root string) *Error { return untrusted(root, "is writable by everyone") }

func untrusted(root, fault string) *Error {
	dir := Argument(root)
	return E(UntrustedProject, "Untrusted project: %s %s. Run: blue trust %s", Path(root), fault, dir).
		Hint("trust", dir, "accept the project, if you know where it comes from")
}

// ManyProjects returns the error for a change that was requested while several projects are
// open.
func ManyProjects(roots []string) *Error {
	return E(SeveralProjects, "Several projects are open: %s. Pass 'cwd' with the one to change.", listed(roots)).
		Hint("", "", "pass cwd with one of them: "+Paths(roots, 600))
}

// OutsideAllowed returns the error for a root that the server does not serve. advised is the
// directory to serve, empty if none should be advised because a link may lead anywhere.
func OutsideAllowed(root, advised string, allowed []string) *Error {
	return E(OutsideAllowedRoots,
		"%s is outside the directories this server serves: %s. Restart it with --allow-root %s.", Path(root), listed(allowed), Argument(advised))
}

// FormatUnknown returns the error for a root that was made by a later version of Blue.
func FormatUnknown(root, format string) *Error {
	return E(UnknownFormat, "%s%s has format %s; this Blue reads format 1. Update Blue.", Path(root),
		filepath.FromSlash("/.blue/project.yaml"), Clip(Visible(format), 40)).
		Hint("version", "", "see which Blue this is")
}

// DiskSilent returns the error for a path whose file system hangs.
func DiskSilent(path string) *Error {
	return E(FSTimeout, "%s did not answer in time. Check the mount or pass 'cwd' parameter.", Path(path)).
		Hint("where", "", "see what was tried")
}

// NoPersonal returns the error for a user without a project for personal notes.
func NoPersonal() *Error {
	return E(NoProject, "there is no project for personal notes").
		Hint("init", "--personal", "make it")
}

// SessionMissing returns the error for a blue_use on a connection without a session.
func SessionMissing() *Error {
	return E(NoSession, "blue_use has no session to change on this connection. Pass 'cwd' on every call.").
		Hint("", "", "pass the project's directory as cwd on every call")
}

// MarkerNotMade returns the error for a marker that could not be created in root.
func MarkerNotMade(root string, err error) *Error {
	return E(Disk, "making the marker in %s: %w", Quote(root), err).
		Hint("doctor", "", "see what is wrong with the directory")
}
