package setup

import (
	"cmp"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"blue/blue/token"
	"blue/errors"
)

// firstToken is the first of the token file, empty when there is no such file.
func (m Machine) firstToken() (string, error) {
	path := m.Blue.TokenFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	tokens, _, err := token.Read(path)
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// holdsToken reports whether a token of the user stands in a text.
func (m Machine) holdsToken(text string) bool {
	return slices.ContainsFunc(m.spelledTokens(), func(token string) bool { return strings.Contains(text, token) })
}

// spelledTokens are the tokens of the user, as they are and as a quoted text of a
// configuration file spells them; the longest first, for one may begin like another.
func (m Machine) spelledTokens() (all []string) {
	tokens, _, _ := token.Read(m.Blue.TokenFile()) // those of a file that is open to others too
	for _, token := range tokens {
		quoted := strconv.Quote(token)
		all = append(all, token, quoted[1:len(quoted)-1])
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// bearer matches a token in a header or a key of a configuration file, unless a
// variable stands there.
var bearer = regexp.MustCompile(`(?i)(\bauthorization\W{1,8}bearer\s+|\bbearer_token\W{1,6})[^\s"'$\\{<]+`)

// maskTokens makes a text fit to be shown: TOKEN stands in place of each token
// of the user, and of each other one that a header carries.
func (m Machine) maskTokens(text string) string {
	for _, token := range m.spelledTokens() {
		text = strings.ReplaceAll(text, token, "TOKEN")
	}
	return bearer.ReplaceAllString(text, "${1}TOKEN")
}

// maskError returns err without tokens: parsers quote what they cannot read.
func (m Machine) maskError(err error) error {
	if err == nil {
		return nil
	}
	e := *errors.Of(err)
	e.Message = m.maskTokens(e.Message)
	return &e
}
