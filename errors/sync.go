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

// RemoteRefused says that a remote does not take what is pushed.
func RemoteRefused(remote, ref, reason string) *Error {
	e := E(Invalid, "remote %s refuses %s: %s", Quote(remote), Quote(ref), Reason(reason))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("sync", "--branch blue-notes", "if only branches may be pushed there").
		Hint("", "", "the notes stay here; carry them by blue export, a commit or another remote")
}
