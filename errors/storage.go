package errors

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// The failures of files and of the lock.

// NoteExists says that a name is taken; nothing was overwritten.
func NoteExists(id string) *Error {
	return E(Exists, "note %s exists already", quote(id)).
		Hint("read", id, "see the note that is there").
		Hint("edit", id, "change it, or give the new one another title")
}

// NotServed says why a file among the notes is not a note: a link, a directory,
// too large, an unsafe name.
func NotServed(name, problem string) *Error {
	return E(Invalid, "%s is not served: %s", quote(name), problem).
		Hint("check", "", "see every file that is not served, and why")
}

// NoteTooLarge says that a file is over the limit of what is read as a note.
func NoteTooLarge(name string, limit int) *Error {
	return E(TooLarge, "%s is over the limit of %d bytes for a note", quote(name), limit).
		Hint("", "", "split it into several notes that link to one another")
}

// KeepsChanging says that something else rewrites a file faster than it can be
// read or replaced.
func KeepsChanging(name string) *Error {
	return E(Busy, "%s keeps changing", quote(name)).
		Hint("", "", "another program is writing it; try again when that has finished")
}

// OutputLost says that the output of a command cannot be written.
func OutputLost(err error) *Error {
	return E(Disk, "the output cannot be written: %w", err).
		Hint("", "", "send it elsewhere: the file or pipe that gets it is full or closed")
}

// ClientLost says that an MCP server cannot write to its client on standard output.
func ClientLost(err error) *Error {
	return E(Disk, "the client takes no more replies: %w; what its calls have written is saved", err).
		Hint("log", "", "see what was written, also by calls whose replies are lost")
}

// Locked says that another process held the write lock all the while; pid is 0
// when its holder is not known.
func Locked(pid int) *Error {
	e := E(Busy, "another process is writing to this project")
	if pid != 0 {
		e = E(Busy, "process %d is writing to this project", pid)
	}
	return e.Hint("", "", "try again in a moment; nothing was changed")
}

// LockedBy says that a lock file, used where the file system has no locks, names
// a holder that may still be there.
func LockedBy(path, holder string) *Error {
	e := E(Busy, "lock file %q is held by an unknown process", path)
	if holder != "" {
		e = E(Busy, "lock file %q is held by %s", path, quote(holder))
	}
	return e.Hint("", "", fmt.Sprintf("when that process has ended, remove %q", path))
}

// NotDirectory says that a part of the store is a link or a file, and is
// therefore left alone.
func NotDirectory(path string) *Error {
	return E(BadMarker, "%q is not a real directory", path).
		Hint("", "", "links are not followed: put a directory in its place").
		Hint("doctor", "", "see what Blue finds")
}

// NotRegular says that a file of Blue's own is a link, a device or a directory.
func NotRegular(path string) *Error {
	return E(BadMarker, "%q is not a regular file", path).
		Hint("", "", "remove it; Blue makes a new one").
		Hint("doctor", "", "see what Blue finds")
}

// Unreadable says that a file or directory of the store cannot be read: never to
// be mistaken for an empty one.
func Unreadable(path string, err error) *Error {
	return E(Disk, "reading %q failed: %s", path, cause(err)).because(err).
		Hint("doctor", "", "look at its owner, its permissions and the disk")
}

// StoreGone says that the directory that was opened is there no more.
func StoreGone(path string) *Error {
	return E(Disk, "%q was moved or replaced", path).
		Hint("where", "", "see which project answers now")
}

// SaveFailed says that the disk did not take the change of a file, which is as it was.
func SaveFailed(name string, err error) *Error {
	return E(Disk, "saving %s failed: %s", quote(name), cause(err)).because(err).
		Hint("doctor", "", "it is as it was before: look at free space, permissions and the disk, then try again")
}

// PartlySaved says which notes a change of several steps had changed already when it failed.
func PartlySaved(ids []string, err error) *Error {
	e := *Of(err)
	shown := lines(ids, 3, 80)
	for i := range shown {
		shown[i] = quote(shown[i])
	}
	if more := len(ids) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	e.Message += "; changed before that: " + strings.Join(shown, ", ")
	e.Hints = slices.Clone(e.Hints)
	return e.Hint("", "", "the next command that writes finishes the change, as soon as it can be saved")
}

// PartlyImported says how many notes an import had made when it failed.
func PartlyImported(made int, err error) *Error {
	e := *Of(err)
	e.Message += fmt.Sprintf("; imported before that: %d", made)
	e.Hints = slices.Clone(e.Hints)
	return e.Hint("", "", "run the same command again: it goes on with what is missing")
}

// because keeps the cause of an error whose message tells only part of it.
func (e *Error) because(err error) *Error {
	e.Err = err
	return e
}

// cause is the system's word for a failure, without the names of temporary files.
func cause(err error) string {
	if code, ok := AsType[syscall.Errno](err); ok {
		return code.Error()
	}
	return err.Error()
}
