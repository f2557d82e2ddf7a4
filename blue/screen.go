package blue

import (
	"blue/blue/internal/screen"
	"blue/errors"
)

// Screen refuses text that must not reach the disk: hidden characters, and what looks like
// a secret, in what a write adds to the former text. Package screen has the rules.
func Screen(field, before, after string, allow bool) error {
	return screen.Refuse(field, before, after, allow)
}

// AllowSecrets marks the lines of a text that look like secrets as allowed, when a
// person says so.
func AllowSecrets(text string, allow bool) string { return screen.AllowSecrets(text, allow) }

// HoldsSecret reports whether a text holds what looks like a secret: no log and no
// reply may repeat it.
func HoldsSecret(text string) bool { return len(screen.Secrets(text)) > 0 }

// Visible makes a text safe to show on a terminal: everything that a terminal
// would obey, and every hidden character, is spelled out.
func Visible(text string) string {
	text, _ = errors.Escape(text, errors.HiddenOnTerminal)
	return text
}
