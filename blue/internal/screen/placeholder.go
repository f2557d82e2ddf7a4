package screen

import (
	"slices"
	"strings"
	"unicode"
)

// isPlaceholder reports whether a match only stands for a secret: it is an example from a vendor's
// documentation, a row of crosses, a variable, or plain words. The parameter secret is the part of
// the match that would be kept secret.
func isPlaceholder(match, secret string) bool {
	known := isWords(secret)
	if _, rest, isURL := strings.Cut(match, "://"); isURL {
		user, _, _ := strings.Cut(rest, ":")
		known = isWellKnown(secret) || strings.EqualFold(secret, user)
	}
	isVariable := strings.HasPrefix(secret, "$") || strings.HasPrefix(secret, "%") && (len(secret) < 4 || strings.HasSuffix(secret, "%")) ||
		strings.HasPrefix(secret, "[") || strings.HasSuffix(secret, "]")
	rest := strings.ReplaceAll(secret, secret[:1], "")
	isRepetition := rest == "" || strings.ReplaceAll(rest, rest[:1], "") == "" // of at most two distinct characters
	if known || isVariable || isRepetition {
		return true
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(placeholderWords, func(word string) bool { return strings.Contains(lower, word) }) ||
		slices.ContainsFunc(documentedExamples, func(example string) bool { return strings.Contains(match, example) })
}

// placeholderWords are words within a token that show that it is not a secret. In random characters
// each occurs in less than one of ten thousand tokens.
var placeholderWords = []string{"xxxx", "example", "placeholder", "redacted", "random", "your", "changeme", "dummy", "****", "....", "…"}

// documentedExamples are parts of examples in vendors' documentation. They are split so that no
// scanner takes this file for a leak.
var documentedExamples = []string{
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

// isWords reports whether the secret is made of words: it has no digit, and either consists of
// joined words in one case or is so long that a random one would have digits.
func isWords(secret string) bool {
	m := countChars(secret)
	isJoined := m.uppers+m.lowers < len(secret)
	return m.digits == 0 && (len(secret) >= 50 || isJoined && (m.uppers == 0 || m.lowers == 0))
}

// isWellKnown reports whether a password is of the kind used in manuals: too short to protect
// anything, or words such as "password" with or without a number.
func isWellKnown(password string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, password)
	if letters == "" {
		return len(password) < 8
	}
	for _, word := range manualWords {
		letters = strings.ReplaceAll(letters, word, "")
	}
	return len(password) < 5 || letters == ""
}

// manualWords are the words of which manuals make passwords.
var manualWords = []string{
	"password", "passwort", "passwd", "passw", "pass", "pwd", "pw", "secret", "token", "apikey", "key", "credential",
	"username", "user", "admin", "root", "guest", "test", "foo", "bar", "baz", "demo", "super", "sample", "some", "my", "the", "new", "old", "strong", "here", "personal", "private", "access", "auth",
	"postgres", "mysql", "mongo", "redis", "rabbit", "db", "database", "public",
	"example", "change", "replace", "insert", "enter", "value", "string", "goes", "real", "fake", "mock", "default", "local", "staging", "qwerty", "letmein", "welcome",
}
