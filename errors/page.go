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

// NotShownHere says that a person may see no project of the name.
func NotShownHere(name string) *Error {
	return E(NotFound, "no project %s here", quote(name)).Hint("list", "", "see your projects")
}

// LoginMissing says that nobody has logged in at this browser, or so long ago that it counts
// no more.
func LoginMissing() *Error {
	return E(Denied, "nobody has logged in here").Hint("", "", "log in, and look again")
}

// LoginUnknown says that a browser comes back from a login that it has not begun.
func LoginUnknown() *Error {
	return E(Invalid, "this login was not begun in this browser, or more than 10 minutes ago").Hint("", "", "log in from here")
}

// LoginDenied says that the issuer does not let a person in, with its reason if there is one
// to show.
func LoginDenied(reason string) *Error {
	e := E(Denied, "the login was refused")
	if reason != "" {
		e = E(Denied, "the login was refused: %s", quote(reason))
	}
	return e.Hint("", "", "log in again, or ask the people who run the server")
}

// ForeignPage says that the page of another site asks for something.
func ForeignPage() *Error {
	return E(Denied, "a page of another site asks for this").Hint("", "", "paste the link into the address bar")
}

// FailedInside says that a page failed for a reason that the log has.
func FailedInside() *Error {
	return E(Internal, "internal error (logged)").Hint("", "", "tell the people who run the server")
}

// OtherProject says that the page with a form shows one project, and the browser has chosen
// another one since.
func OtherProject(shown, now string) *Error {
	return E(Conflict, "this page shows the project at %s, and you have changed to %s since", quote(shown), quote(now)).
		Hint("", "", "nothing was changed: go back to that project, and send it again")
}
