package page

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
)

// seal makes cookies that nobody else can read or make: what they hold is encrypted
// with a key that each replica derives from the same secret.
type seal struct {
	aead   cipher.AEAD
	prefix string // of the names of cookies
	secure bool   // the browser sends them over https alone, and no other host can set them
}

// newSeal makes the seal of a secret, for one purpose.
func newSeal(secret, purpose string, secure bool) (seal, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "cookies of Blue\x00"+purpose, 32)
	if err != nil {
		return seal{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return seal{aead, map[bool]string{true: "__Host-blue-", false: "blue-"}[secure], secure}, err
}

// cookie makes the cookie of a name.
func (s seal) cookie(name, value string, lasts time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.prefix + name, Value: value, Path: "/", MaxAge: int(lasts / time.Second), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}

// content is what a cookie holds, and the second until which that counts.
type content struct {
	Holds any
	Until int64
}

// put gives the browser a cookie of what it is to hold.
func (s seal) put(w http.ResponseWriter, name string, holds any, lasts time.Duration) {
	text, _ := json.Marshal(content{holds, time.Now().Add(lasts).Unix()}) // of texts and numbers
	sealed := s.aead.Seal(nil, nil, text, []byte(s.prefix+name))
	http.SetCookie(w, s.cookie(name, base64.RawURLEncoding.EncodeToString(sealed), lasts))
}

// end takes a cookie from the browser.
func (s seal) end(w http.ResponseWriter, name string) {
	http.SetCookie(w, s.cookie(name, "", -time.Second))
}

// read reads what the cookie of a name holds. It reports false for one that is missing, too
// old, or made otherwise or for another name.
func (s seal) read(r *http.Request, name string, holds any) bool {
	sent, err := r.Cookie(s.prefix + name)
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err != nil {
		return false
	}
	text, err := s.aead.Open(nil, nil, sealed, []byte(s.prefix+name))
	c := content{Holds: holds}
	return err == nil && json.Unmarshal(text, &c) == nil && time.Now().Unix() < c.Until
}
