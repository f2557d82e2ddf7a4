package errors

import (
	"strings"
)

// The failures of carrying notes between machines. In each the notes of this machine stay.

// NoRepository says that a project lies in no repository.
func NoRepository(dir, reason string) *Error {
	return E(NotFound, "no git repository at %s: %s", Quote(dir), Clip(Visible(reason), 200)).
		Hint("", "", "notes travel in the repository of the code: git init, or git clone")
}

// RemoteSilent says that a remote cannot be reached.
func RemoteSilent(remote, reason string) *Error {
	return E(Timeout, "remote %s does not answer: %s", Quote(remote), Reason(reason)).
		Hint("", "", "the notes stay here; see what git says: git ls-remote "+Visible(remote)).
		Hint("sync", "", "try again when it can be reached")
}

// RemoteRefused says that a remote does not take what is pushed.
func RemoteRefused(remote, ref, reason string) *Error {
	e := E(Invalid, "remote %s refuses %s: %s", Quote(remote), Quote(ref), Reason(reason))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("sync", "--branch blue-notes", "if only branches may be pushed there").
		Hint("", "", "the notes stay here; carry them by blue export, a commit or another remote")
}

// NotTaken says that a remote has confirmed a push and does not have it.
func NotTaken(remote, ref string) *Error {
	return E(Invalid, "remote %s confirmed the push, and %s is not what was pushed", Quote(remote), Quote(ref)).
		Hint("", "", "nothing is lost here; ask who runs that server").
		Hint("sync", "", "try again")
}

// WithCode says that git moves the notes of a project. old is for one of the first edition.
func WithCode(old bool) *Error {
	text := "the notes of this project travel with the code: git moves them with its commits"
	if old {
		text = "this project still keeps its notes where code keeps them, as an earlier Blue did with notes: ref"
	}
	return E(NoNotebook, "%s", text).
		Hint("sync", "--on", "move them into a notebook of their own, which blue sync carries").
		Hint("sync", "--on URL --project NAME", "the same, carried by a blue server")
}

// NotNotes says why a ref cannot be one with notes of this project.
func NotNotes(ref, reason string) *Error {
	return E(Invalid, "%s does not hold the notes of this project: %s", Quote(ref), reason).
		Hint("", "", "name another ref after the key ref of .blue/project.yaml, such as refs/blue/notes-of-app")
}

// GitFailed says what git complained of.
func GitFailed(command, reason string) *Error {
	e := E(Disk, "git %s: %s", command, Reason(reason))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("", "", "nothing is lost; see git fsck and the room on the disk, then run blue sync again")
}

// IsGitFailed reports whether git failed in reading or writing what is here.
func IsGitFailed(err error) bool {
	e := Of(err)
	return err != nil && e.Kind == Disk && strings.HasPrefix(e.Message, "git ") && !isLeftLock(e.Message)
}

// leftLock is the next step when isLeftLock holds of what git says.
const leftLock = "nothing is lost; a git that was killed has left this file: remove it when no git runs, then run blue sync again"

func isLeftLock(reason string) bool { return strings.Contains(reason, ".lock': File exists") }

// GitSlow says that git did not end in time.
func GitSlow(command string) *Error {
	return E(Timeout, "git %s did not end in time", command).
		Hint("sync", "", "the notes stay here; try again")
}

// GitStuck says that git was not run, or ended, because of a file that it would wait for.
func GitStuck(command, file string) *Error {
	return E(Timeout, "git %s cannot be run: %s", command, Reason(file)).
		Hint("", "", "put a regular file in its place, or remove it; where it is on a mount, check that")
}

// BadServer says why a URL cannot be that of a server.
func BadServer(url, reason string) *Error {
	return E(Invalid, "%s cannot be the URL of a blue server: %s", Quote(url), reason).
		Hint("", "", "give it as in: blue sync https://notes.example.com --project shop")
}

// ServerOdd says that what answers is no server of Blue, or one that cannot be believed.
func ServerOdd(url, reason string) *Error {
	return E(Invalid, "the server %s cannot be used: %s", Quote(url), Reason(reason)).
		Hint("", "", "nothing is lost; check the URL, and ask who runs that server")
}
