package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"blue/errors"
)

// editText opens the person's editor on a text and returns what they saved.
func (d *door) editText(ctx context.Context, text string) (string, error) {
	words := strings.Fields(d.b.Env("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(d.b.Env("EDITOR"))
	}
	if len(words) == 0 {
		return "", errors.NoEditor()
	}
	f, err := os.CreateTemp("", "blue-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	editor := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
	editor.Stdin, editor.Stdout, editor.Stderr = d.std.In, d.std.Out, d.std.Err
	if err := editor.Run(); err != nil {
		return "", errors.E(errors.Invalid, "editor %q: %w", words[0], err).Hint("", "", "nothing was changed; set $EDITOR to an editor that works")
	}
	data, err := os.ReadFile(f.Name())
	return string(data), err
}
