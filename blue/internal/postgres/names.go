package postgres

import (
	"strings"

	"blue/blue/internal/store"
	"blue/errors"
)

func isPrivate(name string) bool { return strings.HasPrefix(name, "private/") }

// idOf returns the id of a note, the name that people use.
func idOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "notes/"), ".md")
}

// checkName rejects a name that the file of a note could not have.
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

// checkWrite rejects a name or a text that cannot be stored.
func checkWrite(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if len(data) > store.Limit {
		return errors.NoteTooLarge(name, store.Limit)
	}
	return nil
}

// notNull returns data, or an empty text for nil, which would be NULL.
func notNull(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
