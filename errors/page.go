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
