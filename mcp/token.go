package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"blue/blue"
	"blue/errors"
)

// tokens are the bearer tokens of a file, which is read again when it changes.
type tokens struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	info  fs.FileInfo // of the file when it was read
	known [][sha256.Size]byte
}

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
	known, info, err := blue.ReadTokens(t.path)
	t.info = info
	if err != nil {
		return err
	}
	for _, token := range known {
		t.known = append(t.known, sha256.Sum256([]byte(token)))
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
