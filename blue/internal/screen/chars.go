package screen

import (
	"encoding/base64"
	"slices"
	"strings"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' }

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }

func isHashChar(c byte) bool { return isHex(c|0x20) || c == ':' }

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func isURLSafe(c byte) bool { return isWord(c) || c == '-' }

func isSchemeChar(c byte) bool { return isAlnum(c) || c == '+' || c == '.' || c == '-' }

func isHostChar(c byte) bool { return isAlnum(c) || c == '.' || c == '-' || c == '*' }

func isAzureChar(c byte) bool { return isURLSafe(c) || c == '.' || c == '~' }

func isBase64Char(c byte) bool { return isURLSafe(c) || c == '+' || c == '/' }

func isPrintable(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' })
}

var standardAlphabet = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 decodes base64 with or without padding.
func decodeBase64(value string) (text string, ok bool) {
	data, err := base64.RawStdEncoding.DecodeString(standardAlphabet.Replace(strings.TrimRight(value, "=")))
	return string(data), err == nil && len(data) > 0 && isPrintable(data)
}
