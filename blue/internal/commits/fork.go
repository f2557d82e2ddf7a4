package commits

import (
	"bytes"
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"blue/blue/internal/git"
	"blue/blue/internal/tree"
)

// Fork returns the files below a directory that the commits of a branch have changed, with
// the blob that each has there: those that the branch does not share with the upstream
// commit as it is, nor with the commit where it left that. A path is spelled by [Fold], and may
// be that of a submodule.
func Fork(ctx context.Context, dir, upstream, head string) (map[string]string, error) {
	base, _ := git.Output(ctx, dir, "merge-base", upstream, head)
	if base = strings.TrimSpace(base); base == "" {
		base = upstream // a history that was cut off
	}
	files, err := differing(ctx, dir, base, head)
	if err != nil || base == upstream || len(files) == 0 {
		return files, err
	}
	now, err := differing(ctx, dir, upstream, head)
	for name := range files {
		if now[name] == "" {
			delete(files, name)
		}
	}
	return files, err
}

// differing are the files of a commit that another one does not have so, and their blobs.
func differing(ctx context.Context, dir, from, to string) (map[string]string, error) {
	out, err := git.Output(ctx, dir, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=d", "--ignore-submodules=none", from, to, "--")
	files, below := map[string]string{}, Fold(strings.TrimPrefix(belowTop(dir)+"/", "./"))
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(fields[i])
		if name, ok := strings.CutPrefix(Fold(fields[i+1]), below); ok && len(words) == 5 {
			files[name] = words[3]
		}
	}
	return files, err
}

// Fold gives one spelling to all paths that some file system takes for the same file: it may
// not tell case, by which "ſ" is an "s", and ignore characters that cannot be seen.
func Fold(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, path)
}

// Heads are the commit of HEAD and that of the default branch of the remote, each empty when
// there is none: for repositories of which only git can read the references.
func Heads(ctx context.Context, dir string) (head, upstream string, err error) {
	for _, remote := range []string{"refs/remotes/origin/", "refs/remotes/*/"} {
		if err == nil && upstream == "" { // of those that there are, the first by name
			upstream, err = git.Output(ctx, dir, "for-each-ref", "--count=1", "--format=%(objectname)", remote+"HEAD", remote+"main", remote+"master")
			upstream = strings.TrimSpace(upstream)
		}
	}
	if upstream == "" || err != nil {
		return "", "", err
	}
	head, err = git.Output(ctx, dir, "rev-parse", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(head), upstream, err
}

// Tracked is what git's index knows of a file: its time and size when git wrote or added it,
// and its content.
type Tracked struct {
	Seconds, Size int64
	blob          string
}

// IsContent reports whether a file below a directory has the content that the index knows,
// with whatever line ends: it may have been touched alone.
func (t Tracked) IsContent(dir, name string) bool {
	text, ok := tree.Read(dir, name, hashedLimit)
	same := func(text []byte) bool { return hex.EncodeToString(blobID(text, len(t.blob)/2)) == t.blob }
	return ok && (same(text) || same(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
}

// ListTracked are the files below a part of a directory that git's index has, spelled by [Fold].
// Nothing is compared with what is there.
func ListTracked(ctx context.Context, dir, part string) (map[string]Tracked, error) {
	below := strings.TrimPrefix(belowTop(dir)+"/", "./")
	out, err := git.Output(ctx, dir, "ls-files", "-z", "-s", "--debug", "--", ":(top,literal,icase)"+below+part)
	files := map[string]Tracked{}
	for out != "" {
		entry, rest, _ := strings.Cut(out, "\x00")
		about, name, _ := strings.Cut(entry, "\t") // mode, blob and stage
		stat, blob := rest, strings.Fields(about + " - -")[1]
		if end := strings.Index(rest, "flags: "); end >= 0 {
			_, after, _ := strings.Cut(rest[end:], "\n")
			stat, rest = rest[:end], after
		}
		files[strings.TrimPrefix(Fold(name), Fold(below))] = Tracked{Seconds: numberAfter(stat, "mtime: "), Size: numberAfter(stat, "size: "), blob: blob}
		out = rest
	}
	return files, err
}

// numberAfter reads the number behind a word, -1 when there is none.
func numberAfter(text, word string) int64 {
	_, text, _ = strings.Cut(text, word)
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	return -1
}
