package errors

// The failures of the page that `blue ui` opens.

// NoPage says that the system does not let the page listen on the port.
func NoPage(port int, err error) *Error {
	return E(Busy, "listening on 127.0.0.1:%d: %w", port, err).
		Hint("ui", "", "without --port the system chooses a free one")
}

// LinkUsed says that a browser is not the one that the link was opened in.
func LinkUsed() *Error {
	return E(Invalid, "this browser has not opened the link of this page, or another browser has used it").
		Hint("ui", "", "start it again: each link opens the page once")
}

// OnlyShown says that a page started with --read-only changes nothing.
func OnlyShown() *Error {
	return E(Invalid, "this page only shows notes").
		Hint("ui", "", "to change them, start it without --read-only")
}

// NoView says that the page has nothing at a path.
func NoView(path string) *Error {
	return E(NotFound, "there is nothing at %s", quote(path)).
		Hint("list", "", "see the notes")
}

// OtherProject says that the page with a form shows one project, and the browser has chosen
// another one since.
func OtherProject(shown, now string) *Error {
	return E(Conflict, "this page shows the project at %s, and you have changed to %s since", quote(shown), quote(now)).
		Hint("", "", "nothing was changed: go back to that project, and send it again")
}

// NotesMoved says that notes have changed since a person looked at them.
func NotesMoved() *Error {
	return E(Conflict, "the notes have changed since this page was made").
		Hint("list", "", "look at them as they are now, and approve them again")
}
