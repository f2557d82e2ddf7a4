package errors

import (
	"syscall"
)

// The failures of files and of the lock.

// NoteExists says that a name is taken; nothing was overwritten.
func NoteExists(id string) *Error {
	return E(Exists, "note %s exists already", Quote(id)).
		Hint("read", id, "see the note that is there").
		Hint("edit", id, "change it, or give the new one another title")
}

// NotServed says why a file among the notes is not a note: a link, a directory,
// too large, an unsafe name.
func NotServed(name, problem string) *Error {
	return E(Invalid, "%s is not served: %s", Quote(name), problem).
		Hint("check", "", "see every file that is not served, and why")
}

// NoteTooLarge says that a file is over the limit of what is read as a note.
func NoteTooLarge(name string, limit int) *Error {
	return E(TooLarge, "%s is over the limit of %d bytes for a note", Quote(name), limit).
		Hint("", "", "split it into several notes that link to one another")
}

// KeepsChanging says that something else rewrites a file faster than it can be
// read or replaced.
func KeepsChanging(name string) *Error {
	return E(Busy, "%s keeps changing", Quote(name)).
		Hint("", "", "another program is writing it; try again when that has finished")
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

// Unreadable says that a file or directory of the store cannot be read: never to
// be mistaken for an empty one.
func Unreadable(path string, err error) *Error {
	return E(Disk, "reading %q failed: %s", path, cause(err)).Because(err).
		Hint("doctor", "", "look at its owner, its permissions and the disk")
}

// StoreGone says that the directory that was opened is there no more.
func StoreGone(path string) *Error {
	return E(Disk, "%q was moved or replaced", path).
		Hint("where", "", "see which project answers now")
}

// SaveFailed says that the disk did not take the change of a file, which is as it was.
func SaveFailed(name string, err error) *Error {
	return E(Disk, "saving %s failed: %s", Quote(name), cause(err)).Because(err).
		Hint("doctor", "", "it is as it was before: look at free space, permissions and the disk, then try again")
}

// Because keeps the cause of an error whose message tells only part of it.
func (e *Error) Because(err error) *Error {
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
