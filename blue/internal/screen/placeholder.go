package screen

import (
	"strings"
	"unicode"
)

// placeholder reports whether a match stands for a secret and is none: an
// example that a vendor documents, a row of crosses, a variable, plain words.
// secret is the part of the match that would be kept secret.
func placeholder(match, secret string) bool {
	known := worded(secret)
	if strings.Contains(match, "://") {
		known = wellKnown(secret) || namesake(secret, match)
	}
	if known || variable(secret) || repeats(secret) {
		return true
	}
	lower := strings.ToLower(secret)
	for _, mark := range marks {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	for _, example := range documented {
		if strings.Contains(match, example) {
			return true
		}
	}
	return false
}

// marks are words within a token that say that it is none. In random characters
// each is rarer than one in ten thousand tokens.
var marks = []string{"xxxx", "example", "placeholder", "redacted", "your", "changeme", "dummy", "****", "....", "…"}

// documented are parts of the examples that the vendors' own documentation
// prints, in pieces so that no scanner takes this file for a leak.
var documented = []string{
	"16C7e42F292c6912" + "E7710c838347Ae178B4a",             // GitHub: authorizing OAuth apps
	"AIzaSyDaGmWKa4JsXZ" + "-HjGw7ISLn_3namBGewQe",          // Google: API keys
	"Eby8vdM02xNOcqFlqUwJ" + "PLlmEtlCDXJ1OUzFT50uSRZ6",     // Azure: storage emulator
	"MTk4NjIyNDgzNDcx" + "OTI1MjQ4.Cl2FMQ.",                 // Discord: authentication
	"3ax6xnjp29jd6fds" + "4gc373sgvjxteol0",                 // Mailgun: API reference
	"ngeVfQFYQlKU0ufo8x5d1A." + "TwL2iGABf9DHoTf",           // SendGrid: authorization
	"1234567890ab1cde" + "2f3ab456c7d89efa",                 // Databricks: authentication
	"QWxhZGRpbjpvcGVu" + "IHNlc2FtZQ",                       // RFC 7617: Aladdin
	"eyJzdWIiOiIxMjM0NTY3ODkw" + "IiwibmFtZSI6IkpvaG4gRG9l", // jwt.io: John Doe
	"eyJpc3MiOiJqb2UiLA0K" + "ICJleHAiOjEzMDA4MTkzODAs",     // RFC 7515, RFC 7519: joe
}

// variable reports whether the secret names the place where one will stand.
func variable(secret string) bool {
	return strings.HasPrefix(secret, "$") || strings.HasPrefix(secret, "%") && (len(secret) < 4 || strings.HasSuffix(secret, "%")) ||
		strings.ContainsAny(secret, "[]")
}

// repeats reports whether the secret is made of one or two characters.
func repeats(secret string) bool {
	first, second := secret[0], byte(0)
	for i := range len(secret) {
		c := secret[i]
		if c != first && second == 0 {
			second = c
		}
		if c != first && c != second {
			return false
		}
	}
	return true
}

// worded reports whether the secret is words and not chance: it has no digit,
// and is either joined words of one case or far too long to have none.
func worded(secret string) bool {
	var digits, uppers, lowers, joints int
	for i := range len(secret) {
		switch c := secret[i]; {
		case digit(c):
			digits++
		case 'A' <= c && c <= 'Z':
			uppers++
		case 'a' <= c && c <= 'z':
			lowers++
		default:
			joints++
		}
	}
	return digits == 0 && (len(secret) >= 50 || joints > 0 && (uppers == 0 || lowers == 0))
}

// wellKnown reports whether a password is one that manuals print: too short to
// protect anything, or words such as "password" with or without a number.
func wellKnown(password string) bool {
	letters := strings.Map(letter, password)
	if letters == "" {
		return len(password) < 8
	}
	for _, word := range words {
		letters = strings.ReplaceAll(letters, word, "")
	}
	return len(password) < 5 || letters == ""
}

// namesake reports whether the password of a URL is the user's name again.
func namesake(password, url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	user, _, _ := strings.Cut(rest, ":")
	return strings.EqualFold(password, user)
}

// letter returns a letter in lower case and drops the rest.
func letter(r rune) rune {
	if unicode.IsLetter(r) {
		return unicode.ToLower(r)
	}
	return -1
}

// words are what manuals make passwords of.
var words = []string{
	"password", "passwort", "passwd", "passw", "pass", "pwd", "pw", "secret", "token", "apikey", "key", "credential",
	"username", "user", "admin", "root", "guest", "test", "foo", "bar", "baz", "demo", "super", "sample", "some", "my", "the", "new", "old", "strong", "here", "personal", "private", "access", "auth",
	"postgres", "mysql", "mongo", "redis", "rabbit", "db", "database", "public",
	"example", "change", "replace", "insert", "enter", "value", "string", "goes", "real", "fake", "mock", "default", "local", "staging", "qwerty", "letmein", "welcome",
}
