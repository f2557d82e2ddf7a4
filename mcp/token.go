package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"blue/errors"
)

// tokens are the bearer tokens of a file, one a line, `#` beginning a comment
// (http.md section 6). The file is read again when it changes.
type tokens struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	info  fs.FileInfo // of the file when it was read
	known [][sha256.Size]byte
}

const maxTokens = 64 << 10 // bytes of the file

// openTokens reads the file, which it makes with one token when there is none. The
// kind of its errors is Invalid.
func openTokens(path string, log *slog.Logger) (*tokens, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // cannot fail
	err := writePrivate(path, base64.RawURLEncoding.EncodeToString(secret)+"\n")
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.TokenUnusable(path, err.Error())
	}
	t := &tokens{path: path, log: log}
	return t, t.read()
}

// read takes over the tokens of the file; the lock must be held, or t be new.
func (t *tokens) read() error {
	t.known = nil
	if info, err := os.Lstat(t.path); err != nil || !info.Mode().IsRegular() {
		return errors.TokenUnusable(t.path, "it is not a regular file")
	}
	file, err := os.OpenFile(t.path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return errors.TokenUnusable(t.path, err.Error())
	}
	defer file.Close()
	if t.info, err = file.Stat(); err != nil {
		return errors.TokenUnusable(t.path, err.Error())
	}
	if t.info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return errors.TokenExposed(t.path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokens))
	if err != nil {
		return errors.TokenUnusable(t.path, err.Error())
	}
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			t.known = append(t.known, sha256.Sum256([]byte(strings.TrimSpace(line))))
		}
	}
	if len(t.known) == 0 {
		return errors.TokenUnusable(t.path, "it holds no token")
	}
	return nil
}

// current are the digests of the tokens that count now: none while the file is
// unusable.
func (t *tokens) current() [][sha256.Size]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Lstat(t.path)
	same := err == nil && t.info != nil && os.SameFile(info, t.info) && info.Mode() == t.info.Mode() &&
		info.Size() == t.info.Size() && info.ModTime().Equal(t.info.ModTime())
	if !same {
		if err := t.read(); err != nil {
			t.info = info
			t.log.Error("no token is accepted", "err", err)
		}
	}
	return t.known
}

// verify is an [auth.TokenVerifier]. It takes as long for a wrong token as for a
// right one; the user of a token is a part of its digest.
func (t *tokens) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	sum := sha256.Sum256([]byte(token))
	match := 0
	for _, known := range t.current() {
		match |= subtle.ConstantTimeCompare(sum[:], known[:])
	}
	if match == 0 {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: hex.EncodeToString(sum[:8])}, nil
}
