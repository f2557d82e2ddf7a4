package notebook

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/errors"
)

// The one reader of the token file.
func TestReadTokens(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text string
		mode os.FileMode
		want []string
		bad  string // what its error says
	}{
		{"SECRET # laptop\n", 0o600, []string{"SECRET"}, ""},
		{"# all\n\n  one\t# a\r\ntwo#b\nthree", 0o600, []string{"one", "two", "three"}, ""},
		{"SECRET\n", 0o400, []string{"SECRET"}, ""},
		{"SECRET # laptop\n", 0o644, []string{"SECRET"}, "open to other users"},
		{"# none\n \n", 0o600, nil, "it holds no token"},
		{"", 0o600, nil, "it holds no token"},
	} {
		_ = os.Remove(path)
		must(t, os.WriteFile(path, []byte(c.text), c.mode))
		if c.mode == 0o644 && runtime.GOOS == "windows" {
			continue
		}
		tokens, info, err := ReadTokens(path)
		if !slices.Equal(tokens, c.want) || info == nil || (err != nil) != (c.bad != "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%q: %q, %v", c.text, tokens, err)
		}
		if err != nil && !errors.Is(err, errors.Invalid) {
			t.Errorf("%q: an error of kind %v", c.text, errors.Of(err).Kind)
		}
	}
	link := path + "-link"
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here")
	}
	for _, other := range []string{link, filepath.Dir(path), path + "-none"} {
		if tokens, _, err := ReadTokens(other); !errors.Is(err, errors.Invalid) || tokens != nil {
			t.Errorf("%s: %q, %v", other, tokens, err)
		}
	}
}
