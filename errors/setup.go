package errors

// InsideMarker: path lies in the marker of the project at root, where only notes
// and Blue's own files are.
func InsideMarker(path, root string) *Error {
	return PathUnusable(path, "it lies inside the .blue directory of the project "+shown(root)).
		Hint("where", "--cwd "+argument(root), "see that project")
}

// SharedNotes: worktree, a linked worktree without a marker, works with the notes
// of the project main; dir is where another project was to be made.
func SharedNotes(dir, worktree, main string) *Error {
	return E(Exists, "the worktree %s has used the notes of %s so far", quote(worktree), quote(main)).
		Hint("", "", "to keep these notes, do nothing").
		Hint("init", "--own "+argument(dir), "or make a project of its own, with other notes")
}

// NoClient: no MCP client of that name is known to `blue setup`.
func NoClient(name string, near ...string) *Error {
	e := E(Invalid, "no client is named %q", name)
	for _, n := range near {
		e.Hint("setup", n, "perhaps you mean")
	}
	return e.Hint("setup", "", "see the clients")
}

// NoScope: the client has no configuration file for the scope; have are the
// scopes that it has.
func NoScope(client, scope string, have ...string) *Error {
	e := E(Invalid, "%s has no configuration file for the scope %q", client, scope)
	for _, other := range have {
		e.Hint("setup", client+" --scope "+other, "use a scope that it has")
	}
	return e
}

// NoPlace: there is no directory for the scope: no project was found, or the
// system names no home.
func NoPlace(client, scope string) *Error {
	return E(Invalid, "no directory is known for the %s configuration of %s", scope, client).
		Hint("init", "", "make a project here").
		Hint("setup", client+" --scope user", "or use your own configuration file")
}

// BadConfig: the configuration file of a client cannot be edited safely, for
// the reason given. Line 0 means the whole file. Nothing was written.
func BadConfig(path string, line int, reason string) *Error {
	reason = Clip(Visible(reason), 300)
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
	return E(Exists, "left %q untouched: its server %s is another program: %s", path, quote(name), quote(starts)).
		Hint("", "", "rename or remove that server in the file, then run the same command again")
}

// PrintOnly: the client rewrites the file while it runs, so Blue only shows
// the command that does the same.
func PrintOnly(client, path string) *Error {
	return E(Invalid, "left %q untouched: %s rewrites that file at any moment", path, client).
		Hint("setup", client+" --scope user --print", "show the command to run instead")
}

// NoHTTP: the client's configuration file takes only servers that it starts itself.
func NoHTTP(client string) *Error {
	return E(Invalid, "the configuration file of %s takes no HTTP server", client).
		Hint("setup", client, "write an entry that starts Blue instead")
}

// TokenInProject: the client expands no variables, so a token would stand in a
// file that is committed.
func TokenInProject(client, path string) *Error {
	return E(SecretDetected, "left %q untouched: %s expands no variables, so the token would be committed", path, client).
		Hint("setup", client+" --scope user", "write the entry in the user's own file").
		Hint("setup", client, "or write an entry that starts Blue and needs no token")
}

// ConfigChanged: something else wrote the file between reading and writing it.
func ConfigChanged(path string) *Error {
	return E(Conflict, "left %q untouched: it changed meanwhile", path).
		Hint("", "", "run the same command again")
}

// ConfigTooLarge: the file is larger than limit bytes.
func ConfigTooLarge(path string, limit int) *Error {
	return E(TooLarge, "left %q untouched: it is larger than %d MiB", path, limit>>20).
		Hint("setup", "CLIENT --print", "show the entry and put it in by hand")
}

// ConfigDisk: the file could not be read or written; err says why. What was
// there before is still there.
func ConfigDisk(path string, err error) *Error {
	return E(Disk, "left %q untouched: %w", path, err).
		Hint("", "", "check the owner, the mode and the free space of its directory").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}

// NoServer: no server of this user runs on this machine.
func NoServer() *Error {
	return E(Invalid, "no server of Blue runs on this machine").
		Hint("mcp", "--http 127.0.0.1:7865", "start one").
		Hint("setup", "CLIENT --http URL", "or give the URL that it will have")
}
