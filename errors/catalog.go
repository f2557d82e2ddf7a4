package errors

import (
	"net/url"
	"strings"
	"syscall"
	"time"
)

// The failures that several packages raise; those of detection stand in a file of that name.

// NoNote says that no note has the id; near holds the ids closest to it.
func NoNote(id string, near ...string) *Error {
	e, near := E(NotFound, "no note %s", Quote(id)), Lines(near, 8, 200)
	if len(near) > 0 {
		e.Hint("read", near[0], "did you mean "+strings.Join(near, ", "))
	}
	return e.With(map[string]any{"near": near}).Hint("list", "", "see the ids")
}

// ManyNotes says that a prefix fits several notes.
func ManyNotes(prefix string, ids ...string) *Error {
	return E(Invalid, "%s is the start of %d ids: %s", Quote(prefix), len(ids), List(Lines(ids, 20, 200), 8)).
		With(map[string]any{"near": Lines(ids, 20, 200)}).
		Hint("", "", "give more of the id")
}

// NoDocument says why a path is not that of a document on the shelf.
func NoDocument(path, reason string) *Error {
	return E(NotFound, "no document %s: %s", Quote(path), reason).
		Hint("where", "", "see how many documents and commits are searched, and what is left out")
}

// NoRevision says that a note never had the revision, or that it is kept no more.
func NoRevision(id, revision string) *Error {
	return E(NotFound, "note %s has no revision %s", Quote(id), Quote(revision)).
		Hint("history", id, "see the revisions")
}

// NoSection says that a note has no such heading.
func NoSection(id, section string, headings ...string) *Error {
	e := E(NotFound, "note %s has no section %s", Quote(id), Quote(section))
	if len(headings) == 0 {
		return e.Hint("", "", "it has no headings: read the whole note")
	}
	return e.Hint("", "", "its sections: "+List(Lines(headings, len(headings), 80), 12))
}

// NotTrashed says that the trash holds no note of the id.
func NotTrashed(id string) *Error {
	return E(NotFound, "no note %s in the trash", Quote(id)).Hint("list", "", "see the notes that are there")
}

// Stale says that a note has changed since the caller read it; current is its
// state now, shown so that the caller can merge.
func Stale(id, given, now string, current any) *Error {
	return E(Conflict, "note %s changed: revision %s is not the current one, %s is", Quote(id), Quote(given),
		Quote(now)).
		With(current).Hint("edit", id, "merge with the current text and edit again with its revision")
}

// Conflicted says that a note holds the conflict markers of a merge.
func Conflicted(id string) *Error {
	return E(Conflict, "note %s holds unresolved conflict markers", Quote(id)).
		Hint("edit", id, "send the whole merged text as body")
}

// BrokenFrontMatter says that metadata cannot be set in front matter that does
// not parse.
func BrokenFrontMatter(id, problem string) *Error {
	return E(Invalid, "the front matter of %s is broken: %s", Quote(id), Reason(problem)).
		Hint("edit", id, "change only the body, or mend the file in an editor")
}

// Missing says that a required argument was not given, or is empty.
func Missing(name, what string) *Error {
	e := E(Invalid, "%q is missing or empty", name).Hint("", "", what)
	e.Arguments = []string{name}
	return e
}

// BadValue says that an argument has a value that cannot be used.
func BadValue(name, value, want string) *Error {
	e := E(Invalid, "%q cannot be %s", name, Quote(value)).Hint("", "", "give "+want)
	e.Arguments = []string{name}
	return e
}

// Exclusive says that arguments exclude one another.
func Exclusive(names ...string) *Error {
	last := len(names) - 1
	e := E(Invalid, "only one of %s and %s can be given", strings.Join(names[:last], ", "), names[last]).
		Hint("", "", "give one of them")
	e.Arguments = names
	return e
}

// BadProjectName says why a name cannot be that of a project.
func BadProjectName(name, reason string) *Error {
	return E(Invalid, "a project cannot be named %s: %s", Quote(name), reason).
		Hint("init", "--name NAME", "give a name of at most 80 characters on one line")
}

// TooLong says that a text is over its limit.
func TooLong(name string, size, limit int, unit string) *Error {
	e := E(TooLarge, "%q has %d %s, at most %d are allowed", name, size, unit, limit)
	switch {
	case name == "body":
		return e.Hint("", "", "shorten it, or split it into several notes that link to one another")
	case unit == "entries":
		return e.Hint("", "", "give fewer")
	}
	return e.Hint("", "", "shorten it")
}

// BadFile says that a cited file cannot be one of the project.
func BadFile(path, reason string) *Error {
	return E(Invalid, "cited file %s %s", Quote(path), reason).
		Hint("", "", "give paths relative to the project root, such as internal/pay/retry.go")
}

// BadCursor says that a cursor is not one of ours, or belongs to another call.
func BadCursor(cursor string) *Error {
	return E(Invalid, "cursor %s does not belong to this call", Quote(cursor)).
		Hint("", "", "repeat the call without cursor")
}

// Usage says that a command line cannot be understood.
func Usage(format string, args ...any) *Error {
	return E(Invalid, format, args...)
}

// StillReading says that not all notes are read yet, and how far the reading is, which goes on.
func StillReading(how string) *Error {
	return E(Busy, "%s", how).Hint("", "", "try again in 5 s: what has been read is kept")
}

// The failures of a server on HTTP: of its start, and of calls that are too many.

// BadAddress says that --http was given something to which no server can be
// bound.
func BadAddress(value, reason string) *Error {
	return E(Invalid, "--http cannot be %s: %s", Quote(value), reason).
		Hint("mcp", "--http 127.0.0.1:7865", "give HOST:PORT, HOST or PORT")
}

// BadTimeout says that --session-timeout is not a positive time.
func BadTimeout(d time.Duration) *Error {
	return E(Invalid, "--session-timeout cannot be %s", Quote(d.String())).
		Hint("", "", "give a time such as 30m or 24h")
}

// TokenUnusable says why a token file cannot be used.
func TokenUnusable(path, reason string) *Error {
	return E(Invalid, "the token file %s cannot be used: %s", Quote(path), reason).
		Hint("", "", "make it a file that you alone can read, or remove it: the next start makes a new one")
}

// Repeated returns an error if the query of a URL has a parameter more than once. Programs differ
// in which of the values they use, and in whether a semicolon ends a parameter.
func Repeated(query string) error {
	seen := map[string]bool{}
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if seen[name] {
			return E(Invalid, "the parameter %s comes more than once in the URL", Quote(name)).
				Hint("", "", "give it once")
		}
		seen[name] = true
	}
	return nil
}

// The failures of a server whose notes lie in a database, and of the commands that keep it.

// DatabaseAway says that the database cannot be reached, or did not answer in time.
func DatabaseAway(err error) *Error {
	return E(Busy, "the database of the notes does not answer").Because(err).
		Hint("", "", "try again in a few seconds; nothing was changed unless a write had begun, which may be sent again as it was")
}

// Contended says that a write met others each time that it was tried.
func Contended(tries int) *Error {
	return E(Busy, "other writes came first %d times", tries).
		Hint("", "", "try again in a moment; nothing was changed")
}

// Forbidden says that the role of a caller in a project does not suffice.
func Forbidden(role, needed string) *Error {
	return E(Denied, "your role here is %s, and this needs %s", role, needed).
		Hint("", "", "ask the people who keep the server for another role")
}

// TokenRefused says why a token counts for nobody, for the log alone: who holds the token is
// told no more than that.
func TokenRefused(reason string) *Error {
	return E(Denied, "the token is refused: %s", reason).Hint("", "", "sign in again")
}

// Lacking is the detail of a failure that a token with these scopes would not have had.
type Lacking struct {
	Scope string `json:"scope"`
}

// BadConfig: the configuration file of a client cannot be edited safely, for
// the reason given. Line 0 means the whole file. Nothing was written.
func BadConfig(path string, line int, reason string) *Error {
	reason = Reason(reason)
	e := E(Invalid, "left %q untouched: %s", path, reason)
	if line > 0 {
		e = E(Invalid, "left %q untouched: line %d: %s", path, line, reason)
	}
	return e.Hint("", "", "mend the file in an editor, then run the same command again").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}

// ConfigOutside: a link leads from the path of a configuration file to real, which lies
// outside the directory top. Nothing was written.
func ConfigOutside(path, real, top string) *Error {
	return E(Invalid, "left %q untouched: a link leads to %q, outside of %q", path, Visible(real), Visible(top)).
		Hint("", "", "put a file or a directory in the place of the link, then run the same command again").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}

// ForeignEntry: the file has a server named blue that does not start Blue.
func ForeignEntry(path, name, starts string) *Error {
	return E(Exists, "left %q untouched: its server %s is another program: %s", path, Quote(name), Quote(starts)).
		Hint("", "", "rename or remove that server in the file, then run the same command again")
}

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
