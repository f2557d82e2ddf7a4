package cli

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"

	"blue/errors"
)

// editText opens the person's editor on a text and hands on what they saved. When
// that is not taken, what they typed stays in its file, and the error names it.
func (d *door) editText(ctx context.Context, text string, take func(edited string) error) error {
	words := strings.Fields(d.b.Env("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(d.b.Env("EDITOR"))
	}
	if len(words) == 0 {
		return errors.NoEditor()
	}
	f, err := os.CreateTemp("", "blue-*.md")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	editor := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
	editor.Stdin, editor.Stdout, editor.Stderr = d.std.In, d.std.Out, d.std.Err
	failed := editor.Run()
	data, err := os.ReadFile(f.Name())
	switch {
	case failed != nil:
		err = errors.E(errors.Invalid, "editor %q: %w", words[0], failed).Hint("", "", "nothing was changed; set $EDITOR to an editor that works")
	case err == nil:
		err = take(string(data))
	}
	if err != nil && string(data) != text && strings.TrimSpace(string(data)) != "" {
		e := *errors.Of(err)
		e.Hints = append(slices.Clone(e.Hints), errors.Hint{Text: "your text is kept in " + f.Name()})
		return &e
	}
	_ = os.Remove(f.Name()) // in the system's directory for what may go
	return err
}
