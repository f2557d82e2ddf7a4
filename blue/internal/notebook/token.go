package notebook

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"blue/errors"
)

const maxTokens = 64 << 10 // bytes of the token file

// ReadTokens returns the tokens of a token file, which has one token per line. A # begins a
// comment. The file must not be a link and must not be readable by other users. info describes
// the opened file. Every error is of kind Invalid. Tokens that are returned with an error must
// be kept secret, but must not be accepted.
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
		return tokens, info, errors.E(errors.Invalid, "the token file %s is open to other users", errors.Quote(path)).
			Hint("", "", "run: chmod 600 "+errors.Argument(path))
	case len(tokens) == 0:
		return nil, info, errors.TokenUnusable(path, "it holds no token")
	}
	return tokens, info, nil
}
