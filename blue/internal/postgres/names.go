package postgres

import (
	"strings"

	"blue/blue/internal/store"
	"blue/errors"
)

func isPrivate(name string) bool { return strings.HasPrefix(name, "private/") }

// idOf is the name of a note that people use.
func idOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "notes/"), ".md")
}

// checkName refuses a name that no file of a note could have.
func checkName(name string) error {
	dir, base, _ := strings.Cut(name, "/")
	if dir != "notes" && dir != "private" {
		return errors.NotServed(name, "it is neither in notes/ nor in private/")
	}
	if problem := store.SafeName(base); problem != "" {
		return errors.NotServed(name, problem)
	}
	return nil
}

// checkWrite checks what can be checked without the database.
func checkWrite(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if len(data) > store.Limit {
		return errors.NoteTooLarge(name, store.Limit)
	}
	return nil
}
