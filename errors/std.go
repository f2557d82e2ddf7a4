package errors

import "errors"

// New returns a plain error with the text, for sentinels and tests.
func New(text string) error { return errors.New(text) }

// Is reports whether err or a cause of it matches target, which may be a [Kind].
func Is(err, target error) bool { return errors.Is(err, target) }

// AsType returns the first error of type E among err and its causes.
func AsType[E error](err error) (E, bool) { return errors.AsType[E](err) }

// Join returns one error that wraps the given ones, nil when all are nil.
func Join(errs ...error) error { return errors.Join(errs...) }

// Unwrap returns the direct cause of err, or nil.
func Unwrap(err error) error { return errors.Unwrap(err) }
