package transport

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
	"path/filepath"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Tokens holds the bearer tokens of a file. The file is read for each request, so that a
// removed token is rejected at once.
type Tokens struct {
	Path string

	load  func(path string) ([]string, fs.FileInfo, error)
	log   *slog.Logger
	mu    sync.Mutex
	fault string // why no token is accepted, as logged last
}

// OpenTokens reads the file with load. If the file is missing it creates it with one token. The
// kind of its errors is Invalid.
func OpenTokens(path string, load func(path string) ([]string, fs.FileInfo, error), log *slog.Logger) (*Tokens, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // cannot fail
	err := writePrivate(path, base64.RawURLEncoding.EncodeToString(secret)+"\n")
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.TokenUnusable(path, err.Error())
	}
	_, _, err = load(path)
	return &Tokens{Path: path, load: load, log: log}, err
}

// current returns the valid tokens: none while the file is unusable, which is logged once.
func (t *Tokens) current() []string {
	known, _, err := t.load(t.Path)
	fault := ""
	if err != nil {
		known, fault = nil, err.Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if fault != "" && fault != t.fault {
		t.log.Error("no token is accepted", "err", err)
	}
	t.fault = fault
	return known
}

// verify is an [auth.TokenVerifier]. It takes the same time for wrong and right tokens. The
// user of a token is a prefix of its digest.
func (t *Tokens) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	sum := sha256.Sum256([]byte(token))
	match := 0
	for _, known := range t.current() {
		digest := sha256.Sum256([]byte(known))
		match |= subtle.ConstantTimeCompare(sum[:], digest[:])
	}
	if match == 0 {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: hex.EncodeToString(sum[:8])}, nil
}

// tokenUser returns the user of the token of a request, empty without tokens.
func tokenUser(r *http.Request) string {
	return userOf(&mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context())})
}

// Announce writes the URL of this process into the directory where others look for running
// servers; forget removes it.
func Announce(dir, url string) (forget func(), err error) {
	path := filepath.Join(dir, strconv.Itoa(os.Getpid()))
	_ = os.Remove(path) // left by an earlier process with the same id
	if err := writePrivate(path, url+"\n"); err != nil {
		return func() {}, err
	}
	return func() { _ = os.Remove(path) }, nil
}

// writePrivate creates a file that only this user can read, and its directory. It fails if the
// path exists, even as a dangling link.
func writePrivate(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}
