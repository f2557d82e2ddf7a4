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

// seal makes encrypted and authenticated cookies. Replicas derive the same key from a shared
// secret.
type seal struct {
	aead   cipher.AEAD
	prefix string // prefix of cookie names
	secure bool   // sets the Secure attribute and the __Host- prefix
}

// newSeal derives a seal from a secret for one purpose.
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

// cookie returns a cookie with our attributes.
func (s seal) cookie(name, value string, lasts time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.prefix + name, Value: value, Path: "/", MaxAge: int(lasts / time.Second), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}

// content is the value of a cookie with its expiry in Unix seconds.
type content struct {
	Holds any
	Until int64
}

// put sets a cookie that holds a value.
func (s seal) put(w http.ResponseWriter, name string, holds any, lasts time.Duration) {
	text, _ := json.Marshal(content{holds, time.Now().Add(lasts).Unix()}) // cannot fail: strings and numbers only
	sealed := s.aead.Seal(nil, nil, text, []byte(s.prefix+name))
	http.SetCookie(w, s.cookie(name, base64.RawURLEncoding.EncodeToString(sealed), lasts))
}

// end deletes a cookie.
func (s seal) end(w http.ResponseWriter, name string) {
	http.SetCookie(w, s.cookie(name, "", -time.Second))
}

// read decrypts a cookie. It reports false for a cookie that is missing, expired, forged or sealed
// for another name.
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
