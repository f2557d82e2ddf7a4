package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/cli/internal/term"
	"blue/blue/server"
	"blue/blue/setup"
	"blue/blue/transfer"
	"blue/errors"
)

// result is the result of a verb.
type result interface{ Text() string }

// judged is a result that may report problems.
type judged interface{ Sound() bool }

// show prints a result. A result that reports problems sets the exit code but is not an error. If
// the result of a change cannot be written to standard output, it goes to standard error and the
// command succeeds, because the change was made.
func (d *door) show(r result) error {
	d.progress.end()
	if j, ok := r.(judged); ok && !j.Sound() {
		d.code = 1
	}
	if page, ok := r.(blue.Page); ok && len(page.Missing) > 0 {
		d.code = notFound
	}
	err := d.print(r)
	if err != nil && tellsOfChange(r) {
		d.showOnError(r, err)
		return nil
	}
	return err
}

// tellsOfChange reports whether a result describes a change.
func tellsOfChange(r result) bool {
	switch r := r.(type) {
	case blue.Written, blue.Edited, blue.Removed, blue.Resolved, blue.Moved, blue.Initialized, blue.Trusted, blue.Reindexed, blue.Synced,
		blue.Adopted, switched, forgotten, setup.Plugin, transfer.Exported, server.Done:
		return true
	case transfer.Imported:
		return !r.DryRun
	case setup.Configured:
		return slices.ContainsFunc(r.Files, func(f setup.Rewritten) bool { return f.Outcome != "planned" })
	}
	return false
}

// showOnError prints the result of a change on standard error after standard output failed.
func (d *door) showOnError(r result, failed error) {
	d.out.failed = nil // reported here
	const done = "done and saved, but "
	if d.json {
		_ = printJSON(d.std.Err, map[string]any{"warning": done + errors.Of(failed).Message, "result": r}) // nowhere left to report to
		return
	}
	fmt.Fprintf(d.std.Err, "blue: warning: %s%s\n%s", done, blue.Visible(errors.Of(failed).Message), textOf(r))
}

// output is standard output. It remembers the last error.
type output struct {
	io.Writer
	before func() // called before each write; may be nil
	failed error
}

func (o *output) Write(data []byte) (n int, err error) {
	if o.before != nil {
		o.before()
	}
	if n, err = o.Writer.Write(data); err != nil {
		err = errors.OutputLost(err)
		o.failed = err
	}
	return n, err
}

func (d *door) print(r result) error {
	if d.json {
		return printJSON(d.out, r)
	}
	if page, ok := r.(blue.Page); ok && d.std.Width == 0 { // pipes get only the notes
		page.Unnamed = true
		if _, err := io.WriteString(d.std.Err, blue.Visible(page.Tail())); err != nil {
			return errors.OutputLost(err)
		}
		_, err := io.WriteString(d.out, blue.Visible(page.NoteText()))
		return err
	}
	_, err := io.WriteString(d.out, d.text(r))
	return err
}

// answer shows the result of a verb or its error.
func (d *door) answer(r result, err error) error {
	if err != nil || r == nil {
		return err
	}
	return d.show(r)
}

// text formats a result: with a layout on a terminal, as plain text in a pipe.
func (d *door) text(r result) string {
	if d.std.Width == 0 {
		return textOf(r)
	}
	p := term.New(d.std.Width, d.std.Color)
	switch r := r.(type) {
	case blue.Page:
		drawPage(p, r)
	case blue.Rows:
		drawRows(p, r)
	case blue.Hits:
		drawHits(p, r)
	case blue.Compared:
		drawDiff(p, r)
	case blue.Log:
		drawLog(p, r)
	default:
		return textOf(r)
	}
	return p.String()
}

func textOf(r result) string {
	text := r.Text()
	if w, ok := r.(blue.Where); ok && w.Failure != nil {
		for _, h := range w.Failure.Hints {
			text += "hint: " + hintText(h) + "\n"
		}
	}
	return blue.Visible(text)
}

// fail prints an error and its hints on standard error.
func (d *door) fail(err error) {
	e := errors.Of(err)
	if d.json {
		_ = printJSON(d.std.Err, e) // nowhere left to report to
		return
	}
	fmt.Fprintf(d.std.Err, "blue: error: %s\n", blue.Visible(d.spelled(e).Text()))
	for _, h := range e.Hints {
		fmt.Fprintf(d.std.Err, "blue: hint: %s\n", blue.Visible(hintText(h)))
	}
}

// spelled rewords an error for the terminal: arguments of tools become flags or the names in the
// command's usage.
func (d *door) spelled(e *errors.Error) *errors.Error {
	if len(e.Arguments) == 0 || d.of == nil {
		return e
	}
	said, names := *e, slices.Clone(e.Arguments)
	for i, name := range names {
		if f, _, _ := flagOf(d.of, name); f != nil {
			names[i] = "--" + f.Names()[0]
		}
	}
	if len(names) > 1 {
		said.Message = errors.Exclusive(names...).Message
		return &said
	}
	if names[0] == e.Arguments[0] {
		names = strings.FieldsFunc(d.of.ArgsUsage+" "+names[0], func(r rune) bool { return strings.ContainsRune("[]. |", r) })
	}
	said.Message = strings.Replace(e.Message, strconv.Quote(e.Arguments[0]), strconv.Quote(names[0]), 1)
	return &said
}

// hintText formats a hint for the terminal.
func hintText(h errors.Hint) string {
	if h.Verb == "" {
		return h.Text
	}
	return h.Text + ": " + strings.TrimSpace("blue "+h.Verb+" "+h.Args)
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Exit codes used in several places: missing notes, failed detection, Ctrl-C.
const (
	notFound    = 3
	noProject   = 4
	interrupted = 130
)

// exitCode maps an error to the exit code of its kind.
func exitCode(err error) int {
	switch errors.Of(err).Kind {
	case errors.Invalid, errors.BadPath:
		return 2
	case errors.NotFound:
		return notFound
	case errors.NoProject, errors.NotDetected, errors.BadMarker, errors.SeveralProjects,
		errors.OutsideAllowedRoots, errors.UnknownFormat, errors.FSTimeout, errors.NoSession:
		return noProject
	case errors.Conflict, errors.Exists:
		return 5
	case errors.UntrustedProject, errors.SecretDetected, errors.HiddenText, errors.TooLarge, errors.Denied:
		return 6
	}
	return 1
}
