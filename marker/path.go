package marker

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blue/errors"
)

// NamesPath reports whether a value is meant as a path, not as the name of a project.
func NamesPath(value string) bool {
	starts := func(start string) bool { return strings.HasPrefix(strings.ToLower(value), start) }
	return filepath.IsAbs(value) || slices.ContainsFunc([]string{"/", `\`, "~", "./", "../", "file:"}, starts)
}

// Parse converts an absolute path or a file: URI (RFC 8089) into a clean absolute path in the form of
// [Native]. It does not access the disk or use a process directory. Errors are of kind bad_path.
func Parse(value string) (path string, err error) {
	if reason := unusableTextReason(value); reason != "" {
		return "", errors.PathUnusable(value, reason)
	}
	path = value
	if isFileURI(value) {
		var reason string
		if path, reason = decodeFileURI(value[len("file:"):]); reason != "" {
			return "", errors.PathUnusable(value, reason)
		}
	} else if name := uriScheme(value); name != "" {
		return "", errors.PathUnusable(value, "the scheme "+errors.Short(name, 80)+" names no local directory")
	}
	return cleanPath(value, Native(path))
}

// Native returns a path in the form that the system knows: on Windows C:\Users\x for /c/Users/x, as
// Git Bash writes it. It returns any other path unchanged.
func Native(path string) string {
	if filepath.Separator == '\\' {
		return withDrive(path)
	}
	return path
}

// withDrive converts the path of a shell that has drives as directories, /c/x, to C:\x.
func withDrive(path string) string {
	if !shellForm.MatchString(path) {
		return path
	}
	return strings.ToUpper(path[1:2]) + `:\` + strings.ReplaceAll(strings.TrimPrefix(path[2:], "/"), "/", `\`)
}

// FileURI returns the file: URI of an absolute path.
func FileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // for example C:/notes
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func isFileURI(value string) bool {
	return len(value) >= len("file:") && strings.EqualFold(value[:len("file:")], "file:")
}

// uriScheme returns the scheme of a URI, or "" for any other value. A scheme has at least two
// letters: a single one is a drive.
func uriScheme(value string) string {
	name, _, isURI := strings.Cut(value, "://")
	if !isURI || !schemeForm.MatchString(name) {
		return ""
	}
	return name
}

var (
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+$`)
	driveForm  = regexp.MustCompile(`^/[A-Za-z]:(/|$)`)
	shellForm  = regexp.MustCompile(`^/[A-Za-z](/|$)`)
)

// unusableTextReason returns why a text cannot be a path. It is called before and after the text is
// decoded.
func unusableTextReason(text string) string {
	if len(text) > maxPath {
		return "longer than 4096 bytes"
	}
	if !utf8.ValidString(text) {
		return "not valid UTF-8"
	}
	for _, r := range text {
		switch {
		case r == unicode.ReplacementChar:
			return "it holds U+FFFD, the trace of a damaged character"
		case unicode.In(r, unicode.Cc, unicode.Cf) && !strings.ContainsRune(joiners, r):
			return fmt.Sprintf("it holds the control or invisible character U+%04X", r)
		}
	}
	return ""
}

// joiners are the invisible characters that belong to the spelling of words: the joiners and
// direction marks of Persian, Hindi and Hebrew names and of emoji, and the soft hyphen. None of
// them can hide or reverse text.
const joiners = "\u00ad\u061c\u200c\u200d\u200e\u200f"

// decodeFileURI returns the path of a file: URI without its scheme. Files have no query or
// fragment, so `+`, `?` and `#` are literal: many clients append an unescaped path to file://.
func decodeFileURI(rest string) (path, reason string) {
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		if filepath.Separator == '\\' {
			after = slashDrive(after)
		}
		authority, _, _ := strings.Cut(after, "/")
		if authority != "" && !strings.EqualFold(authority, "localhost") {
			return "", "the URI names another host"
		}
		rest = after[len(authority):]
	}
	if !strings.HasPrefix(rest, "/") {
		return "", "the URI holds no absolute path"
	}
	lower := strings.ToLower(rest)
	if strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") {
		return "", "the URI holds an encoded slash"
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return "", "the URI holds a malformed escape"
	}
	if filepath.Separator == '\\' {
		path = trimDriveSlash(path)
	}
	return path, unusableTextReason(path)
}

// slashDrive converts a Windows path that a client put behind file:// as it is, C:\x, to the path of
// a URI, /C:/x.
func slashDrive(path string) string {
	if slashed := "/" + strings.ReplaceAll(path, `\`, "/"); driveForm.MatchString(slashed) {
		return slashed
	}
	return path
}

// trimDriveSlash converts the path of a URI with a Windows drive, /c:/x, to C:/x.
func trimDriveSlash(path string) string {
	if !driveForm.MatchString(path) {
		return path
	}
	return strings.ToUpper(path[1:2]) + ":/" + strings.TrimPrefix(path[3:], "/")
}

// cleanPath checks and cleans a decoded path; value is shown in errors.
func cleanPath(value, path string) (string, error) {
	if isNetworkPath(path) {
		return "", errors.PathUnusable(value, "network paths are not used")
	}
	if !filepath.IsAbs(path) {
		return "", errors.PathNotAbsolute(value)
	}
	for part := range strings.FieldsFuncSeq(path, isSeparator) {
		if part == ".." {
			return "", errors.PathTraversal(value)
		}
	}
	return filepath.Clean(path), nil
}

// isNetworkPath reports whether the system might ask another machine or a device for the path. Such
// a path must not even be examined, since Windows sends credentials with the request.
func isNetworkPath(path string) bool {
	if strings.HasPrefix(path, `\\`) || len(filepath.VolumeName(path)) > len("C:") {
		return true
	}
	return len(path) > 1 && os.IsPathSeparator(path[0]) && os.IsPathSeparator(path[1])
}

func isSeparator(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(byte(r)) }

// isWithin reports whether path is dir or below it, comparing whole path elements. Both must be
// clean.
func isWithin(path, dir string) bool {
	rest, ok := strings.CutPrefix(foldPath(path), foldPath(dir))
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// isBelow reports whether a physical path is a directory or lies below it.
func isBelow(path, dir string) bool {
	const separator = string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}
