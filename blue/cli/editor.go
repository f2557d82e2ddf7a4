package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
)

// editor returns the command line of the person's editor, or nil if there is none.
func (d *door) editor() []string {
	if words := strings.Fields(d.b.Env("VISUAL")); len(words) > 0 {
		return words
	}
	return strings.Fields(d.b.Env("EDITOR"))
}

// runEditor opens a file in the person's editor, which must exist.
func (d *door) runEditor(ctx context.Context, file string) error {
	words := d.editor()
	editor := exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	editor.Stdin, editor.Stdout, editor.Stderr = d.std.In, d.std.Out, d.std.Err
	if err := editor.Run(); err != nil {
		return errors.E(errors.Invalid, "editor %q: %w", words[0], err).Hint("", "", "nothing was changed; set $EDITOR to an editor that works")
	}
	return nil
}

// editText opens text in the person's editor, in a temporary file of the given name, and passes the
// saved text to take. If take fails, the file is kept and the error names it. flags names the flags
// that make an editor unnecessary.
func (d *door) editText(ctx context.Context, name, text, flags string, take func(edited string) error) error {
	if len(d.editor()) == 0 {
		return errors.E(errors.Invalid, "no editor is set").Hint("", "", "set $VISUAL or $EDITOR, or give "+flags)
	}
	dir, err := os.MkdirTemp("", "blue-") // only this user can enter it
	if err != nil {
		return err
	}
	file := filepath.Join(dir, name+".md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	failed := d.runEditor(ctx, file)
	data, err := os.ReadFile(file)
	switch {
	case failed != nil:
		err = failed
	case err == nil:
		err = take(string(data))
	}
	if err != nil && string(data) != text && strings.TrimSpace(string(data)) != "" {
		e := *errors.Of(err)
		e.Hints = append(slices.Clone(e.Hints), errors.Hint{Text: "your text is kept in " + file})
		return &e
	}
	_ = os.RemoveAll(dir) // best effort: a temporary directory
	return err
}
