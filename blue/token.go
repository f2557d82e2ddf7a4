package blue

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"blue/errors"
)

const maxTokens = 64 << 10 // bytes of the token file

// TokenFile is where the tokens of the user's servers stand.
func (b *Blue) TokenFile() string { return filepath.Join(b.Directory("config"), "token") }

// ReadTokens returns the tokens of a token file: one a line, # beginning a comment.
// Nobody but the user may read the file, and no link may lead to it; info is what
// the system said of it. The kind of an error is Invalid. Tokens that come with one
// are to be kept secret all the same, and are not to be accepted.
func ReadTokens(path string) (tokens []string, info fs.FileInfo, err error) {
	was, err := os.Lstat(path)
	if err == nil && !was.Mode().IsRegular() {
		return nil, nil, errors.TokenUnusable(path, "it is not a regular file")
	}
	if err != nil {
		return nil, nil, errors.TokenUnusable(path, err.Error())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, errors.TokenUnusable(path, err.Error())
	}
	defer func() { _ = file.Close() }()
	if info, err = file.Stat(); err != nil || !os.SameFile(was, info) {
		return nil, nil, errors.TokenUnusable(path, "it was replaced while it was opened")
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokens))
	if err != nil {
		return nil, nil, errors.TokenUnusable(path, err.Error())
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			tokens = append(tokens, line)
		}
	}
	switch {
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return tokens, info, errors.TokenExposed(path)
	case len(tokens) == 0:
		return nil, info, errors.TokenUnusable(path, "it holds no token")
	}
	return tokens, info, nil
}

// token is the first of the token file, empty when there is no such file.
func (b *Blue) token() (string, error) {
	path := b.TokenFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	tokens, _, err := ReadTokens(path)
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// holdsToken reports whether a token of the user stands in a text.
func (b *Blue) holdsToken(text string) bool {
	return slices.ContainsFunc(b.spelled(), func(token string) bool { return strings.Contains(text, token) })
}

// spelled are the tokens of the user, as they are and as a quoted text of a
// configuration file spells them; the longest first, for one may begin like another.
func (b *Blue) spelled() (all []string) {
	tokens, _, _ := ReadTokens(b.TokenFile()) // those of a file that is open to others too
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

// withoutTokens makes a text fit to be shown: TOKEN stands in place of each token
// of the user, and of each other one that a header carries.
func (b *Blue) withoutTokens(text string) string {
	for _, token := range b.spelled() {
		text = strings.ReplaceAll(text, token, "TOKEN")
	}
	return bearer.ReplaceAllString(text, "${1}TOKEN")
}

// maskedError is err without tokens: parsers quote what they cannot read.
func (b *Blue) maskedError(err error) error {
	if err == nil {
		return nil
	}
	e := *errors.Of(err)
	e.Message = b.withoutTokens(e.Message)
	return &e
}

// maskedExamined is what doctor found of a client, without tokens.
func (b *Blue) maskedExamined(c Examined) Examined {
	for i := range c.Entries {
		e := &c.Entries[i]
		e.Name, e.Command, e.URL = b.withoutTokens(e.Name), b.withoutTokens(e.Command), b.withoutTokens(e.URL)
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		f.Text, f.Remedy = b.withoutTokens(f.Text), b.withoutTokens(f.Remedy)
	}
	return c
}
