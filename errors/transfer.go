package errors

import "strings"

// The failures of import and export.

// NoSource says that nothing can be imported from a source of that name.
func NoSource(name string, known ...string) *Error {
	return E(Invalid, "no source %s is known", quote(name)).
		Hint("import", "SOURCE PATH", "the sources are "+strings.Join(known, ", "))
}

// BadSource says why what a person named cannot be imported; nothing was.
func BadSource(path, reason string) *Error {
	return E(Invalid, "%s cannot be imported: %s", quote(path), reason).
		Hint("import", "--help", "see what each source is")
}

// BadOutput says why an export cannot go where it should; nothing was written.
func BadOutput(path, reason string) *Error {
	return E(Invalid, "%s cannot take the export: %s", quote(path), reason).
		Hint("export", "--output PATH", "name a place that does not exist yet")
}
