package errors

import (
	"fmt"
	"strings"
)

// The failures of carrying notes between machines. In each the notes of this machine stay.

// NoGit says that there is no git.
func NoGit() *Error {
	return E(NotFound, "git is not installed, or not in PATH").
		Hint("", "", "install git, or carry the notes another way: blue export")
}

// OldGit says that git lacks what is asked of it.
func OldGit(version, oldest string) *Error {
	return E(Invalid, "%s is too old to carry notes; %s is needed", version, oldest).
		Hint("", "", "install a newer git, or carry the notes another way: blue export")
}

// NoRepository says that a project lies in no repository.
func NoRepository(dir, reason string) *Error {
	return E(NotFound, "no git repository at %s: %s", quote(dir), Clip(Visible(reason), 200)).
		Hint("", "", "notes travel in the repository of the code: git init, or git clone")
}

// RemoteSilent says that a remote cannot be reached.
func RemoteSilent(remote, reason string) *Error {
	return E(Timeout, "remote %s does not answer: %s", quote(remote), Clip(Visible(reason), 300)).
		Hint("", "", "the notes stay here; see what git says: git ls-remote "+Visible(remote)).
		Hint("sync", "", "try again when it can be reached")
}

// NoRemote says that the remote of project.yaml is not one of the repository.
func NoRemote(remote string) *Error {
	return E(NotFound, "the repository has no remote %s", quote(remote)).
		Hint("", "", "name one of `git remote` after the key remote of .blue/project.yaml, or add it: git remote add "+Visible(remote)+" URL")
}

// RemoteRefused says that a remote does not take what is pushed.
func RemoteRefused(remote, ref, reason string) *Error {
	e := E(Invalid, "remote %s refuses %s: %s", quote(remote), quote(ref), Clip(Visible(reason), 300))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("sync", "--branch blue-notes", "if only branches may be pushed there").
		Hint("", "", "the notes stay here; carry them by blue export, a commit or another remote")
}

// NotTaken says that a remote has confirmed a push and does not have it.
func NotTaken(remote, ref string) *Error {
	return E(Invalid, "remote %s confirmed the push, and %s is not what was pushed", quote(remote), quote(ref)).
		Hint("", "", "nothing is lost here; ask who runs that server").
		Hint("sync", "", "try again")
}

// KeepsMoving says that others have pushed all the while.
func KeepsMoving(tries int) *Error {
	return E(Busy, "others pushed notes first, %d times", tries).
		Hint("sync", "", "nothing is lost; try again")
}

// ManyRemovals says that the other side has removed so much that a person must agree.
func ManyRemovals(ids []string, of int) *Error {
	return E(Conflict, "%d of %d notes were removed on the other side: %s", len(ids), of, strings.Join(clip(lines(ids, len(ids), 80), 8), ", ")).
		With(map[string]any{"removed": lines(ids, len(ids), 80)}).
		Hint("sync", "--accept-removals", "if that was intended; here they go to the trash").
		Hint("sync", "--json", "see the whole list")
}

// NotesMoved says that the notes lie elsewhere since the project was opened.
func NotesMoved() *Error {
	return E(Busy, "another process has just moved the notes, by blue sync --on or --off").
		Hint("", "", "nothing was written; try again")
}

// NotebookTracked says that git has written files of a notebook.
func NotebookTracked(dir string, files int) *Error {
	return E(Denied, "the commit that is checked out tracks %d files in %s, where only Blue writes", files, quote(dir)).
		Hint("", "", "nothing was sent; check out a commit without them, or take them out of the index of git")
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
	return E(Invalid, "%s does not hold the notes of this project: %s", quote(ref), reason).
		Hint("", "", "name another ref after the key ref of .blue/project.yaml, such as refs/blue/notes-of-app")
}

// GitFailed says what git complained of.
func GitFailed(command, reason string) *Error {
	e := E(Disk, "git %s: %s", command, Clip(Visible(reason), 300))
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

// RemoteInside says that notes are not pushed into a repository which lies in the project.
func RemoteInside(remote, url string) *Error {
	return E(Denied, "the remote %s is a directory of the project: %s", quote(remote), quote(url)).
		Hint("", "", "a push would run its hooks, which have come with the project: name a remote elsewhere")
}

// GitStuck says that git was not run, or ended, because of a file that it would wait for.
func GitStuck(command, file string) *Error {
	return E(Timeout, "git %s cannot be run: %s", command, Clip(Visible(file), 300)).
		Hint("", "", "put a regular file in its place, or remove it; where it is on a mount, check that")
}

// BadRef says why a ref or branch cannot carry notes.
func BadRef(name string) *Error {
	return E(Invalid, "notes cannot travel on %s", quote(name)).
		Hint("", "", fmt.Sprintf("give a branch such as %q, or a ref below refs/blue/", "blue-notes"))
}

// BadServer says why a URL cannot be that of a server.
func BadServer(url, reason string) *Error {
	return E(Invalid, "%s cannot be the URL of a blue server: %s", quote(url), reason).
		Hint("", "", "give it as in: blue sync https://notes.example.com --project shop")
}

// ServerSilent says that a server cannot be reached.
func ServerSilent(url, reason string) *Error {
	return E(Timeout, "the server %s does not answer: %s", quote(url), Clip(Visible(reason), 300)).
		Hint("", "", "nothing is lost; try again when it can be reached")
}

// ServerOdd says that what answers is no server of Blue, or one that cannot be believed.
func ServerOdd(url, reason string) *Error {
	return E(Invalid, "the server %s cannot be used: %s", quote(url), Clip(Visible(reason), 300)).
		Hint("", "", "nothing is lost; check the URL, and ask who runs that server")
}

// ServerWantsToken says that a server must know who calls.
func ServerWantsToken(url, path string) *Error {
	return E(Denied, "the server %s wants a token", quote(url)).
		Hint("", "", "put the line that blue server token add has printed into "+argument(path)+", and run: chmod 600 "+argument(path))
}

// ServerTokenRefused says that a token counts for nobody on a server.
func ServerTokenRefused(url, path string) *Error {
	return E(Denied, "the server %s does not know the token in %s, or knows it no more", quote(url), quote(path)).
		Hint("", "", "ask who runs it for another one: blue server token add")
}

// ServerRefused hands on why a server does not do what it was asked.
func ServerRefused(url string, status int, kind, message string) *Error {
	known := Invalid
	for _, k := range Kinds() {
		if string(k) == kind {
			known = k
		}
	}
	if kind == "" && (status == 429 || status >= 500) {
		known = Busy
	}
	e := E(known, "the server %s answers %d: %s", quote(url), status, Clip(Visible(message), 300))
	if known == Busy {
		return e.Hint("", "", "nothing is lost; try again in a few seconds")
	}
	return e.Hint("", "", "nothing is lost here")
}

// NotCarried says that notes did not reach a server, the first of them and why.
func NotCarried(id, why string, count int) *Error {
	return E(SecretDetected, "%d notes did not reach the server; %s: %s", count, quote(id), Clip(Visible(why), 300)).
		Hint("", "", "the others did; mend these where they come from, and run the same again")
}
