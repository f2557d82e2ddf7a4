package errors

import (
	"net/url"
	"strings"
	"syscall"
	"time"
)

// The failures that several packages raise; those of detection are in detection.go.

// NoNote returns the error for an unknown id; near holds the ids closest to it.
func NoNote(id string, near ...string) *Error {
	e, near := E(NotFound, "no note %s", Quote(id)), Lines(near, 8, 200)
	if len(near) > 0 {
		e.Hint("read", near[0], "did you mean "+strings.Join(near, ", "))
	}
	return e.With(map[string]any{"near": near}).Hint("list", "", "see the ids")
}

// ManyNotes returns the error for a prefix that several ids have.
func ManyNotes(prefix string, ids ...string) *Error {
	return E(Invalid, "%s is the start of %d ids: %s", Quote(prefix), len(ids), List(Lines(ids, 20, 200), 8)).
		With(map[string]any{"near": Lines(ids, 20, 200)}).
		Hint("", "", "give more of the id")
}

// NoDocument returns the error for a path that is not a searched document.
func NoDocument(path, reason string) *Error {
	return E(NotFound, "no document %s: %s", Quote(path), reason).
		Hint("where", "", "see how many documents and commits are searched, and what is left out")
}

// NoRevision returns the error for a revision that the note never had or that is no longer
// kept.
func NoRevision(id, revision string) *Error {
	return E(NotFound, "note %s has no revision %s", Quote(id), Quote(revision)).
		Hint("history", id, "see the revisions")
}

// NoSection returns the error for a heading that the note does not have.
func NoSection(id, section string, headings ...string) *Error {
	e := E(NotFound, "note %s has no section %s", Quote(id), Quote(section))
	if len(headings) == 0 {
		return e.Hint("", "", "it has no headings: read the whole note")
	}
	return e.Hint("", "", "its sections: "+List(Lines(headings, len(headings), 80), 12))
}

// NotTrashed returns the error for an id that no note in the trash has.
func NotTrashed(id string) *Error {
	return E(NotFound, "no note %s in the trash", Quote(id)).Hint("list", "", "see the notes that are there")
}

// Stale returns the error for a note that has changed since the caller read it; current is its
// present state, shown so that the caller can merge.
func Stale(id, given, now string, current any) *Error {
	return E(Conflict, "note %s changed: revision %s is not the current one, %s is", Quote(id), Quote(given),
		Quote(now)).
		With(current).Hint("edit", id, "merge with the current text and edit again with its revision")
}

// Conflicted returns the error for a note that holds the conflict markers of a merge.
func Conflicted(id string) *Error {
	return E(Conflict, "note %s holds unresolved conflict markers", Quote(id)).
		Hint("edit", id, "send the whole merged text as body")
}

// BrokenFrontMatter returns the error for metadata that cannot be set because the front matter
// does not parse.
func BrokenFrontMatter(id, problem string) *Error {
	return E(Invalid, "the front matter of %s is broken: %s", Quote(id), Reason(problem)).
		Hint("edit", id, "change only the body, or mend the file in an editor")
}

// Missing returns the error for a required argument that is missing or empty.
func Missing(name, what string) *Error {
	e := E(Invalid, "%q is missing or empty", name).Hint("", "", what)
	e.Arguments = []string{name}
	return e
}

// BadValue returns the error for an argument with an unusable value.
func BadValue(name, value, want string) *Error {
	e := E(Invalid, "%q cannot be %s", name, Quote(value)).Hint("", "", "give "+want)
	e.Arguments = []string{name}
	return e
}

// Exclusive returns the error for arguments that exclude one another.
func Exclusive(names ...string) *Error {
	last := len(names) - 1
	e := E(Invalid, "only one of %s and %s can be given", strings.Join(names[:last], ", "), names[last]).
		Hint("", "", "give one of them")
	e.Arguments = names
	return e
}

// BadProjectName returns the error for an invalid name of a project.
func BadProjectName(name, reason string) *Error {
	return E(Invalid, "a project cannot be named %s: %s", Quote(name), reason).
		Hint("init", "--name NAME", "give a name of at most 80 characters on one line")
}

// TooLong returns the error for a text that exceeds its limit.
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

// BadFile returns the error for a cited file that cannot be in the project.
func BadFile(path, reason string) *Error {
	return E(Invalid, "cited file %s %s", Quote(path), reason).
		Hint("", "", "give paths relative to the project root, such as internal/pay/retry.go")
}

// BadCursor returns the error for a cursor that is malformed or belongs to another call.
func BadCursor(cursor string) *Error {
	return E(Invalid, "cursor %s does not belong to this call", Quote(cursor)).
		Hint("", "", "repeat the call without cursor")
}

// Usage returns the error for an invalid command line.
func Usage(format string, args ...any) *Error {
	return E(Invalid, format, args...)
}

// StillReading returns the error for notes that are still being read; how describes the
// progress.
func StillReading(how string) *Error {
	return E(Busy, "%s", how).Hint("", "", "try again in 5 s: what has been read is kept")
}

// The failures of a server on HTTP: at its start, and for too many calls.

// BadAddress returns the error for a value of --http on which no server can listen.
func BadAddress(value, reason string) *Error {
	return E(Invalid, "--http cannot be %s: %s", Quote(value), reason).
		Hint("mcp", "--http 127.0.0.1:7865", "give HOST:PORT, HOST or PORT")
}

// BadTimeout returns the error for a --session-timeout that is not positive.
func BadTimeout(d time.Duration) *Error {
	return E(Invalid, "--session-timeout cannot be %s", Quote(d.String())).
		Hint("", "", "give a time such as 30m or 24h")
}

// TokenUnusable returns the error for an unusable token file.
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

// The failures of a server whose notes are in a database, and of its administration.

// DatabaseAway returns the error for a database that is unreachable or did not answer in time.
func DatabaseAway(err error) *Error {
	return E(Busy, "the database of the notes does not answer").Because(err).
		Hint("", "", "try again in a few seconds; nothing was changed unless a write had begun, which may be sent again as it was")
}

// Contended returns the error for a write that conflicted with others at each try.
func Contended(tries int) *Error {
	return E(Busy, "other writes came first %d times", tries).
		Hint("", "", "try again in a moment; nothing was changed")
}

// Forbidden returns the error for a caller whose role in a project does not suffice.
func Forbidden(role, needed string) *Error {
	return E(Denied, "your role here is %s, and this needs %s", role, needed).
		Hint("", "", "ask the people who keep the server for another role")
}

// TokenRefused returns the error for an invalid token. The reason is only for the log; the
// client is told no more than that the token is invalid.
func TokenRefused(reason string) *Error {
	return E(Denied, "the token is refused: %s", reason).Hint("", "", "sign in again")
}

// Lacking is the detail of a failure that a token with these scopes would avoid.
type Lacking struct {
	Scope string `json:"scope"`
}

// BadConfig returns the error for a client's configuration file that cannot be edited safely,
// for the given reason. Line 0 means the whole file. Nothing was written.
func BadConfig(path string, line int, reason string) *Error {
	reason = Reason(reason)
	e := E(Untouched, "left %s untouched: %s", Quote(path), reason)
	if line > 0 {
		e = E(Untouched, "left %s untouched: line %d: %s", Quote(path), line, reason)
	}
	return e.Hint("", "", "mend the file in an editor, then run the same command again").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}

// ConfigOutside returns the error for a configuration file whose path leads, through a link, to
// real, which is outside the directory top. Nothing was written.
func ConfigOutside(path, real, top string) *Error {
	return E(Invalid, "left %s untouched: a link leads to %s, outside of %s", Quote(path), Quote(real), Quote(top)).
		Hint("", "", "put a file or a directory in the place of the link, then run the same command again").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}

// ForeignEntry returns the error for a file with a server named blue that does not start Blue.
func ForeignEntry(path, name, starts string) *Error {
	return E(Exists, "left %s untouched: its server %s is another program: %s", Quote(path), Quote(name), Quote(starts)).
		Hint("", "", "rename or remove that server in the file, then run the same command again")
}

// The failures of files and of the lock.

// NoteExists returns the error for a name that is taken; nothing was overwritten.
func NoteExists(id string) *Error {
	return E(Exists, "note %s exists already", Quote(id)).
		Hint("read", id, "see the note that is there").
		Hint("edit", id, "change it, or give the new one another title")
}

// NotServed returns the error for a file among the notes that is not a note: a link, a
// directory, too large, or an unsafe name.
func NotServed(name, problem string) *Error {
	return E(Invalid, "%s is not served: %s", Quote(name), problem).
		Hint("check", "", "see every file that is not served, and why")
}

// NoteTooLarge returns the error for a file that exceeds the size limit of a note.
func NoteTooLarge(name string, limit int) *Error {
	return E(TooLarge, "%s is over the limit of %d bytes for a note", Quote(name), limit).
		Hint("", "", "split it into several notes that link to one another")
}

// KeepsChanging returns the error for a file that another program rewrites faster than it can
// be read or replaced.
func KeepsChanging(name string) *Error {
	return E(Busy, "%s keeps changing", Quote(name)).
		Hint("", "", "another program is writing it; try again when that has finished")
}

// Locked returns the error for a write lock that another process held too long; pid is 0 if the
// holder is unknown.
func Locked(pid int) *Error {
	e := E(Busy, "another process is writing to this project")
	if pid != 0 {
		e = E(Busy, "process %d is writing to this project", pid)
	}
	return e.Hint("", "", "try again in a moment; nothing was changed")
}

// Unreadable returns the error for a file or directory of the store that cannot be read. It
// must never be mistaken for an empty one.
func Unreadable(path string, err error) *Error {
	return E(Disk, "reading %s failed: %s", Quote(path), cause(err)).Because(err).
		Hint("doctor", "", "look at its owner, its permissions and the disk")
}

// StoreGone returns the error for an opened directory that no longer exists.
func StoreGone(path string) *Error {
	return E(Disk, "%s was moved or replaced", Quote(path)).
		Hint("where", "", "see which project answers now")
}

// SaveFailed returns the error for a file that could not be saved; its former content is
// unchanged.
func SaveFailed(name string, err error) *Error {
	return E(Disk, "saving %s failed: %s", Quote(name), cause(err)).Because(err).
		Hint("doctor", "", "it is as it was before: look at free space, permissions and the disk, then try again")
}

// Because sets the cause of an error whose message does not wrap it, and returns the error.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// cause returns the system's text for a failure, without the names of temporary files.
func cause(err error) string {
	if code, ok := AsType[syscall.Errno](err); ok {
		return code.Error()
	}
	return err.Error()
}

// The failures of sync. Each leaves the notes of this machine as they are.

// NoRepository returns the error for a project that is not in a git repository.
func NoRepository(dir, reason string) *Error {
	return E(NotFound, "no git repository at %s: %s", Quote(dir), Clip(Visible(reason), 200)).
		Hint("", "", "notes travel in the repository of the code: git init, or git clone")
}

// GitFailed returns the error for a failed git command.
func GitFailed(command, reason string) *Error {
	e := E(Disk, "git %s: %s", command, Reason(reason))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("", "", "nothing is lost; see git fsck and the room on the disk, then run blue sync again")
}

// IsGitFailed reports whether git failed to read or write the local repository.
func IsGitFailed(err error) bool {
	e := Of(err)
	return err != nil && e.Kind == Disk && strings.HasPrefix(e.Message, "git ") && !isLeftLock(e.Message)
}

// leftLock is the hint for a message of git for which isLeftLock is true.
const leftLock = "nothing is lost; a git that was killed has left this file: remove it when no git runs, then run blue sync again"

func isLeftLock(reason string) bool { return strings.Contains(reason, ".lock': File exists") }

// GitSlow returns the error for a git command that exceeded its time limit.
func GitSlow(command string) *Error {
	return E(Timeout, "git %s did not end in time", command).
		Hint("sync", "", "the notes stay here; try again")
}

// RemoteRefused returns the error for a push that a remote rejects.
func RemoteRefused(remote, ref, reason string) *Error {
	e := E(Invalid, "remote %s refuses %s: %s", Quote(remote), Quote(ref), Reason(reason))
	if isLeftLock(reason) {
		return e.Hint("", "", leftLock)
	}
	return e.Hint("sync", "--branch blue-notes", "if only branches may be pushed there").
		Hint("", "", "the notes stay here; carry them by blue export, a commit or another remote")
}
