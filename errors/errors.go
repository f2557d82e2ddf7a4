// Package errors defines Blue's errors: what failed, the kind of failure, and what to do next.
//
// It replaces the standard package of the same name completely: nothing else in Blue imports
// the standard one, so every error that a person or a model can see passes through here. An
// [Error] has three parts for three readers: a [Kind], the stable word that programs test; a
// message, one line for people; and [Hint] values, the next steps, kept as data because the
// terminal and a model need different wordings.
package errors

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Kind is a stable word that classifies a failure. It is the JSON member "error", the key of
// the exit code, and an error itself, so that errors.Is(err, errors.NotFound) tests for it.
type Kind string

// Error returns the word itself.
func (k Kind) Error() string { return string(k) }

// Kinds of detection.
const (
	NoProject           Kind = "no_project"
	NotDetected         Kind = "not_detected"
	BadPath             Kind = "bad_path"
	BadMarker           Kind = "bad_marker"
	UntrustedProject    Kind = "untrusted_project"
	SeveralProjects     Kind = "several_projects"
	OutsideAllowedRoots Kind = "outside_allowed_roots"
	UnknownFormat       Kind = "unknown_format"
	FSTimeout           Kind = "fs_timeout"
	NoSession           Kind = "no_session"
)

// Kinds of everything else.
const (
	Internal       Kind = "internal"
	Invalid        Kind = "invalid"
	NotFound       Kind = "not_found"
	Exists         Kind = "exists"
	Conflict       Kind = "conflict"
	SecretDetected Kind = "secret_detected"
	HiddenText     Kind = "hidden_text"
	TooLarge       Kind = "too_large"
	Busy           Kind = "busy"
	Timeout        Kind = "timeout"
	Disk           Kind = "disk"
	NoNotebook     Kind = "no_notebook" // no notebook: the notes travel with the code
	Denied         Kind = "denied"      // the caller is known, and may not do this
	Untouched      Kind = "untouched"   // a file of a client cannot be read or extended
)

// Kinds lists every kind, for tests that must cover them all.
func Kinds() []Kind {
	return []Kind{
		NoProject, NotDetected, BadPath, BadMarker, UntrustedProject, SeveralProjects,
		OutsideAllowedRoots, UnknownFormat, FSTimeout, NoSession,
		Internal, Invalid, NotFound, Exists, Conflict, SecretDetected, HiddenText,
		TooLarge, Busy, Timeout, Disk, NoNotebook, Denied, Untouched,
	}
}

// Hint is one next step. With a Verb it names a Blue command ("list", with Args "--type
// decision"), which each interface spells in its own way; without one it is plain text.
type Hint struct {
	Text string `json:"text"`
	Verb string `json:"verb,omitempty"`
	Args string `json:"args,omitempty"`
}

// ForPerson spells a hint for a terminal.
func (h Hint) ForPerson() string {
	if h.Verb == "" {
		return h.Text
	}
	return h.Text + ": " + strings.TrimSpace("blue "+h.Verb+" "+h.Args)
}

// ForModel spells a hint for a model. The verb, if any, is one that a person must run.
func (h Hint) ForModel() string {
	if h.Verb == "" {
		return h.Text
	}
	return h.Text + ": ask the person to run `" + strings.TrimSpace("blue "+h.Verb+" "+h.Args) + "`"
}

// Error is a failure that a person or a model can see. Create one with a constructor of the
// catalogue, or with [E] if only one package raises it.
type Error struct {
	Kind      Kind
	Message   string // one line; lower case without full stop, except the fixed texts of detection
	Hints     []Hint
	Arguments []string // names of the wrong or missing arguments, as in the message and the tool
	Detail    any      // more members of the JSON object; its method Text, if any, adds lines
	Project   any      // the project of the failure, nil if none was found yet
	Err       error    // the cause, for logs and for Is
}

// E returns an error of the kind. A %w verb in the format sets its cause.
func E(kind Kind, format string, args ...any) *Error {
	text := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: text.Error(), Err: Unwrap(text)}
}

// Hint adds a next step and returns the error. Verb and args may be empty.
func (e *Error) Hint(verb, args, text string) *Error {
	e.Hints = append(e.Hints, Hint{Text: text, Verb: verb, Args: args})
	return e
}

// With sets the detail and returns the error.
func (e *Error) With(detail any) *Error {
	e.Detail = detail
	return e
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// Text returns the message and the lines of the detail.
func (e *Error) Text() string {
	text := e.Message
	if d, ok := e.Detail.(interface{ Text() string }); ok {
		if lines := strings.TrimRight(d.Text(), "\n"); lines != "" {
			text += "\n" + lines
		}
	}
	return text
}

// MarshalJSON encodes {"error": kind, "message", "hints", "project"} together with the members
// of the detail. It is the object that `--json` prints and that a tool returns as structured
// content.
func (e *Error) MarshalJSON() ([]byte, error) {
	object := map[string]any{}
	if e.Detail != nil {
		data, err := json.Marshal(e.Detail)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &object); err != nil {
			return nil, fmt.Errorf("detail of %s is not an object: %w", e.Kind, err)
		}
	}
	object["error"], object["message"] = e.Kind, e.Message
	object["hints"] = append([]Hint{}, e.Hints...)
	if e.Project != nil {
		object["project"] = e.Project
	}
	return json.Marshal(object)
}

// Of returns err itself if it is or wraps an [*Error], and otherwise a new one of kind
// [Internal] that wraps err.
func Of(err error) *Error {
	if e, ok := AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Internal, Message: "internal error: " + err.Error(), Err: err,
		Hints: []Hint{{Text: "look at the log on standard error"}}}
}

// New returns a plain error with the text, for sentinels and tests.
func New(text string) error { return errors.New(text) }

// Is reports whether err or a cause of it matches target, which may be a [Kind].
func Is(err, target error) bool { return errors.Is(err, target) }

// AsType returns the first error of type E among err and its causes.
func AsType[E error](err error) (E, bool) { return errors.AsType[E](err) }

// Join returns one error that wraps the given ones, nil if all are nil.
func Join(errs ...error) error { return errors.Join(errs...) }

// Unwrap returns the direct cause of err, or nil.
func Unwrap(err error) error { return errors.Unwrap(err) }
