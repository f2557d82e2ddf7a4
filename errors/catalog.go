package errors

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The failures of notes and of the words of a call. Those of detection, storage,
// screening and set-up stand in the files of those names.

// NoNote says that no note has the id; near holds the ids closest to it.
func NoNote(id string, near ...string) *Error {
	e, near := E(NotFound, "no note %s", quote(id)), lines(near, 8, 200)
	if len(near) > 0 {
		e.Hint("read", near[0], "did you mean "+strings.Join(near, ", "))
	}
	return e.With(map[string]any{"near": near}).Hint("list", "", "see the ids")
}

// ManyNotes says that a prefix fits several notes.
func ManyNotes(prefix string, ids ...string) *Error {
	return E(Invalid, "%s is the start of %d ids: %s", quote(prefix), len(ids), strings.Join(clip(lines(ids, 20, 200), 8), ", ")).
		With(map[string]any{"near": lines(ids, 20, 200)}).
		Hint("", "", "give more of the id")
}

// NoDocument says why a path is not that of a document on the shelf.
func NoDocument(path, reason string) *Error {
	return E(NotFound, "no document %s: %s", quote(path), reason).
		Hint("where", "", "see how many documents and commits are searched, and what is left out")
}

// NoCommit says that no commit is known by the beginning of its hash.
func NoCommit(hash, reason string) *Error {
	return E(NotFound, "no commit %s: %s", quote(hash), reason).
		Hint("search", "WORDS --in commits", "search the messages of commits")
}

// DocumentNoNote says that a document was named where a note must be.
func DocumentNoNote(path, file string) *Error {
	return E(Invalid, "%s is a document of the project, not a note", quote(path)).
		Hint("", "", "edit the file itself: "+Visible(file))
}

// NoRevision says that a note never had the revision, or that it is kept no more.
func NoRevision(id, revision string) *Error {
	return E(NotFound, "note %s has no revision %s", quote(id), quote(revision)).
		Hint("history", id, "see the revisions")
}

// NoSection says that a note has no such heading.
func NoSection(id, section string, headings ...string) *Error {
	e := E(NotFound, "note %s has no section %s", quote(id), quote(section))
	if len(headings) == 0 {
		return e.Hint("", "", "it has no headings: read the whole note")
	}
	return e.Hint("", "", "its sections: "+strings.Join(clip(lines(headings, len(headings), 80), 12), ", "))
}

// NotTrashed says that the trash holds no note of the id.
func NotTrashed(id string) *Error {
	return E(NotFound, "no note %s in the trash", quote(id)).Hint("list", "", "see the notes that are there")
}

// Stale says that a note has changed since the caller read it; current is its
// state now, shown so that the caller can merge.
func Stale(id, given, now string, current any) *Error {
	return E(Conflict, "note %s changed: revision %s is not the current one, %s is", quote(id), quote(given), quote(now)).
		With(current).Hint("edit", id, "merge with the current text and edit again with its revision")
}

// Conflicted says that a note holds the conflict markers of a merge.
func Conflicted(id string) *Error {
	return E(Conflict, "note %s holds unresolved conflict markers", quote(id)).
		Hint("edit", id, "send the whole merged text as body")
}

// NoConflict says that a note is in no conflict with another one.
func NoConflict(id string) *Error {
	return E(NotFound, "note %s is in no conflict", quote(id)).Hint("list", "", "see which notes are")
}

// NoOriginal says that a note holds another machine's text of a note that is not there.
func NoOriginal(id, of string) *Error {
	return E(NotFound, "note %s is in conflict with %s, which is not there", quote(id), quote(of)).
		Hint("restore", of, "bring that note back").Hint("edit", id, "or delete the line conflict-with, to keep this note on its own")
}

// MarkersLeft says that a merged text of a note still has conflict markers.
func MarkersLeft(id string, line int) *Error {
	return E(Conflict, "the text of %s still has conflict markers, the first on line %d", quote(id), line).
		Hint("", "", "keep what is right, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
}

// BrokenFrontMatter says that metadata cannot be set in front matter that does
// not parse.
func BrokenFrontMatter(id, problem string) *Error {
	return E(Invalid, "the front matter of %s is broken: %s", quote(id), Clip(Visible(problem), 300)).
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
	e := E(Invalid, "%q cannot be %s", name, quote(value)).Hint("", "", "give "+want)
	e.Arguments = []string{name}
	return e
}

// UnknownArgument says that a tool takes no such argument.
func UnknownArgument(verb, name string, known ...string) *Error {
	return E(Invalid, "blue_%s takes no argument %s", verb, quote(name)).
		Hint("", "", "its arguments: "+strings.Join(known, ", "))
}

// UnknownTool says that a server has no tool of that name; near holds the tools that
// the caller may have meant, known all that there are.
func UnknownTool(name string, near, known []string) *Error {
	e := E(Invalid, "unknown tool %s, the tools are %s", quote(name), strings.Join(known, ", "))
	if len(near) > 0 {
		e = E(Invalid, "unknown tool %s, the nearest is %s", quote(name), strings.Join(clip(near, 3), ", or "))
	}
	return e.With(map[string]any{"near": append([]string{}, near...)}).
		Hint("", "", "the tools are "+strings.Join(known, ", "))
}

// Exclusive says that arguments exclude one another.
func Exclusive(names ...string) *Error {
	last := len(names) - 1
	e := E(Invalid, "only one of %s and %s can be given", strings.Join(names[:last], ", "), names[last]).
		Hint("", "", "give one of them")
	e.Arguments = names
	return e
}

// NoChange says that an edit names nothing to change.
func NoChange(id string) *Error {
	return E(Invalid, "the edit of %s changes nothing", quote(id)).
		Hint("edit", id, "give one of body, append, old_text with new_text, restore, title, type, tags, files, status, verified")
}

// CannotSupersede says why a note cannot be superseded by another one.
func CannotSupersede(id, reason string) *Error {
	return E(Invalid, "note %s cannot be superseded: %s", quote(id), reason).
		Hint("", "", "leave it out of supersedes, or name another note")
}

// TextNotFound says that the text to replace is not in the note, or more than once.
func TextNotFound(id string, times int) *Error {
	if times == 0 {
		return E(Invalid, "the text to replace is not in %s", quote(id)).Hint("read", id, "read the note and copy the passage exactly")
	}
	return E(Invalid, "the text to replace occurs %d times in %s, not once", times, quote(id)).
		Hint("", "", "give a longer passage that occurs once")
}

// BadProjectName says why a name cannot be that of a project.
func BadProjectName(name, reason string) *Error {
	return E(Invalid, "a project cannot be named %s: %s", quote(name), reason).
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
	return E(Invalid, "cited file %s %s", quote(path), reason).
		Hint("", "", "give paths relative to the project root, such as internal/pay/retry.go")
}

// NoSpan says that a cited file does not define a name; near holds the names closest to it.
func NoSpan(path, name string, near ...string) *Error {
	e, near := E(Invalid, "cited file %s does not define %s", quote(path), quote(name)), lines(near, 8, 80)
	if len(near) > 0 {
		e.Hint("", "", "names near it: "+strings.Join(near, ", "))
	}
	return e.With(map[string]any{"near": near}).Hint("", "", "cite lines, such as "+Clip(Visible(path), 200)+"#L10-L42, or the whole file")
}

// BadCursor says that a cursor is not one of ours, or belongs to another call.
func BadCursor(cursor string) *Error {
	return E(Invalid, "cursor %s does not belong to this call", quote(cursor)).
		Hint("", "", "repeat the call without cursor")
}

// Usage says that a command line cannot be understood.
func Usage(format string, args ...any) *Error {
	return E(Invalid, format, args...)
}

// NoEditor says that no editor is known; flags are those that do without one.
func NoEditor(flags string) *Error {
	return E(Invalid, "no editor is set").Hint("", "", "set $VISUAL or $EDITOR, or give "+flags)
}

// Overloaded says that a server has no room for another call now.
func Overloaded(seconds int) *Error {
	return E(Busy, "too many calls at once").Hint("", "", fmt.Sprintf("try again in %d s", seconds))
}

// StillReading says that not all notes are read yet, and how far the reading is, which goes on.
func StillReading(how string) *Error {
	return E(Busy, "%s", how).Hint("", "", "try again in 5 s: what has been read is kept")
}

// TooSlow says that a call ran out of time; nothing is half done.
func TooSlow(seconds int) *Error {
	return E(Timeout, "the call took more than %d s", seconds).Hint("", "", "ask for less, or try again")
}

// quote shows a value of a caller: visible, quoted, at most 80 characters, or as many of a
// path as a message shows.
func quote(value string) string {
	most := 80
	if filepath.IsAbs(value) {
		most = longest
	}
	if start := first(value, most); start != value {
		value = start + "…"
	}
	return Visible(fmt.Sprintf("%q", value)) // %q leaves variation selectors as they are
}

// lines are the first n words as a failure may repeat them: each visible, on one line,
// and of at most size characters.
func lines(words []string, n, size int) []string {
	shown := []string{}
	for _, word := range words[:min(n, len(words))] {
		shown = append(shown, Clip(Visible(Clip(word, size)), size))
	}
	return shown
}

// clip keeps the first n of words and says how many more there are.
func clip(words []string, n int) []string {
	if len(words) <= n {
		return words
	}
	return append(append([]string{}, words[:n]...), fmt.Sprintf("and %d more", len(words)-n))
}
