package git

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"blue/blue/internal/atomicfile"
)

// BranchFiles holds the files that the commits of the checked-out branch have changed: the blob of
// each, by its path in the spelling of [Fold]. The branch may be somebody else's; authors and dates
// are ignored, because anybody can write them into a commit.
type BranchFiles map[string]string

// ReadBranch returns the files below a directory that its branch has changed since it left the
// remote's default branch: none without a remote, or on that branch itself. It asks git once for
// each pair of commits and stores the answer in the cache file.
func ReadBranch(dir, cache string) (files BranchFiles, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), branchPatience)
	defer cancel()
	head, upstream, err := heads(ctx, dir)
	if err != nil {
		return nil, err
	}
	if upstream == "" || head == "" || upstream == head {
		return nil, nil
	}
	pair := upstream + " " + head
	text, _ := os.ReadFile(cache) // the pair, then path and blob of each file, between NULs
	if fields := strings.Split(string(text), "\x00"); fields[0] == pair {
		files = BranchFiles{}
		for i := 1; i+1 < len(fields); i += 2 {
			files[fields[i]] = fields[i+1]
		}
		return files, nil
	}
	if files, err = diffBranch(ctx, dir, upstream, head); err != nil {
		return files, err
	}
	text = []byte(pair)
	for file, blob := range files {
		text = append(text, "\x00"+file+"\x00"+blob...)
	}
	_ = atomicfile.Target{Path: cache, Volatile: true}.Replace(text) // else git is asked again
	return files, nil
}

// Holds reports whether a file is one of these, or is in a submodule that is.
func (f BranchFiles) Holds(file string) bool {
	for file = Fold(file); f[file] == ""; {
		end := strings.LastIndexByte(file, '/')
		if end < 0 {
			return false
		}
		file = file[:end]
	}
	return true
}

// Branches returns the names of the local and remote branches of a repository, or nil if there is
// no repository.
func Branches(ctx context.Context, dir string) ([]string, error) {
	text, err := Output(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, ifStuck(err)
	}
	branches := []string{}
	for name := range strings.FieldsSeq(text) {
		if local, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			branches = append(branches, local)
		} else if _, remote, ok := strings.Cut(strings.TrimPrefix(name, "refs/remotes/"), "/"); ok {
			branches = append(branches, remote)
		}
	}
	return branches, nil
}

// heads returns the commit of HEAD and that of the remote's default branch.
func heads(ctx context.Context, dir string) (head, upstream string, err error) {
	switch c := FindCheckout(dir); {
	case c.Table != "": // only git reads reference tables
		return askHeads(ctx, dir)
	case c.Private == "":
		return "", "", nil
	default:
		return c.Commit, c.upstream(), nil
	}
}

// askHeads returns the result of heads by asking git.
func askHeads(ctx context.Context, dir string) (head, upstream string, err error) {
	for _, remote := range []string{"refs/remotes/origin/", "refs/remotes/*/"} {
		if err == nil && upstream == "" { // the first existing one by name
			upstream, err = Output(ctx, dir, "for-each-ref", "--count=1", "--format=%(objectname)", remote+"HEAD", remote+"main", remote+"master")
			upstream = strings.TrimSpace(upstream)
		}
	}
	if upstream == "" || err != nil {
		return "", "", err
	}
	head, err = Output(ctx, dir, "rev-parse", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(head), upstream, err
}

// diffBranch returns the files in which the head of a branch differs both from the upstream
// commit and from the commit where the branch left it.
func diffBranch(ctx context.Context, dir, upstream, head string) (BranchFiles, error) {
	base, _ := Output(ctx, dir, "merge-base", upstream, head)
	if base = strings.TrimSpace(base); base == "" {
		base = upstream // the history is truncated
	}
	files, err := diffTrees(ctx, dir, base, head)
	if err != nil || base == upstream || len(files) == 0 {
		return files, err
	}
	now, err := diffTrees(ctx, dir, upstream, head)
	for name := range files {
		if now[name] == "" {
			delete(files, name)
		}
	}
	return files, err
}

// diffTrees returns the files below a directory that differ between two commits, except deleted
// ones.
func diffTrees(ctx context.Context, dir, from, to string) (BranchFiles, error) {
	out, err := Output(ctx, dir, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=d", "--ignore-submodules=none", from, to, "--")
	files, below := BranchFiles{}, Fold(strings.TrimPrefix(belowTop(dir)+"/", "./"))
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(fields[i])
		if name, ok := strings.CutPrefix(Fold(fields[i+1]), below); ok && len(words) == 5 {
			files[name] = words[3]
		}
	}
	return files, err
}

// Fold maps all paths that some file system treats as the same file to one spelling: a file system
// may ignore case, in which "ſ" equals "s", and invisible characters.
func Fold(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, path)
}

// Typed returns those of the named files, below a part of a directory, that git has not written
// here: they are not in its index, or have changed since. stat returns the time and size of a file
// as it was read. Typed returns none without a remote, or if git does not answer.
func Typed(dir, part string, names []string, stat func(file string) (seconds, size int64)) (typed []string) {
	ctx, cancel := context.WithTimeout(context.Background(), branchPatience)
	defer cancel()
	if _, upstream, _ := heads(ctx, dir); upstream == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(FindDirectories(dir).Private, "index.lock")); err == nil {
		return nil // a checkout has written files that the index does not have yet
	}
	below := strings.TrimPrefix(belowTop(dir)+"/", "./")
	files, err := listTracked(ctx, dir, ":(top,literal,icase)"+below+part)
	index := map[string]tracked{} // by the path relative to dir, in the spelling of Fold
	for _, f := range files {
		index[strings.TrimPrefix(Fold(f.name), Fold(below))] = f
	}
	if _, isSubmodule := index[part]; err != nil || isSubmodule {
		return nil
	}
	for _, file := range names {
		name := path.Join(part, file)
		is, ok := index[Fold(name)]
		_, inSubmodule := index[path.Dir(name)]
		seconds, size := stat(file)
		same := ok && (is.seconds == seconds && is.size == size || hasBlob(dir, name, is.blob))
		if !inSubmodule && !same {
			typed = append(typed, file)
		}
	}
	return typed
}

// hasBlob reports whether a file below a directory has the content of a blob, apart from line ends.
// If it has, only the time of the file may have changed.
func hasBlob(dir, name, blob string) bool {
	text, ok := ReadFile(dir, name, comparedLimit)
	same := func(text []byte) bool { return blobID(text, blob) == blob }
	return ok && (same(text) || same(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
}
