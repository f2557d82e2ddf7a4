package ref

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"blue/blue/internal/git"
	"blue/errors"
)

// Names are the refs by which one notebook is kept.
type Names struct {
	Remote string // empty: there is none
	Ref    string // on the remote
}

// Head is the ref of all worktrees of this repository, at what they have joined.
func (n Names) Head() string { return "refs/blue/" + n.suffix() }

// Base is the ref of one worktree, at what its files were last in line with. Git keeps it
// apart for each worktree.
func (n Names) Base() string { return "refs/worktree/blue/" + n.suffix() }

// Seen is the ref at what the remote had last.
func (n Names) Seen() string { return "refs/blue/remotes/" + n.Remote + "/" + n.suffix() }

func (n Names) suffix() string {
	return strings.TrimPrefix(strings.TrimPrefix(n.Ref, "refs/"), "blue/")
}

// heads returns the commits of refs; those that are not there are left out.
func (r *Repo) heads(ctx context.Context, refs ...string) (map[string]string, error) {
	out, err := r.run(ctx, nil, append([]string{"for-each-ref", "--format=%(objectname) %(objecttype) %(refname)"}, refs...)...)
	heads := map[string]string{}
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) == 3 && words[1] == "commit" {
			heads[words[2]] = words[0]
		}
	}
	return heads, err
}

// askRemote returns the commit of the ref on the remote, empty when the remote has none.
func (r *Repo) askRemote(ctx context.Context, n Names) (string, error) {
	out, err := r.ask(ctx, "ls-remote", "--quiet", n.Remote, n.Ref)
	if err != nil {
		return "", errors.RemoteSilent(n.Remote, errors.Of(err).Message)
	}
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) == 2 && words[1] == n.Ref {
			return words[0], nil
		}
	}
	return "", nil
}

// fetch brings what the remote has on the ref here, to [Names.Seen].
func (r *Repo) fetch(ctx context.Context, n Names) error {
	_, err := r.ask(ctx, "fetch", "--progress", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--no-filter",
		n.Remote, "+"+n.Ref+":"+n.Seen())
	if err != nil && !git.FailedHere(err) {
		return errors.RemoteSilent(n.Remote, errors.Of(err).Message)
	}
	return err
}

// push puts a commit on the ref of the remote if that still has the old one, empty for
// none. Whether the remote has taken it, [Repo.askRemote] says.
func (r *Repo) push(ctx context.Context, n Names, commit, old string) error {
	inside, err := git.Inside(ctx, r.dir, n.Remote)
	if err == nil && inside != "" {
		return errors.RemoteInside(n.Remote, inside)
	}
	_, err = r.ask(ctx, "push", "--progress", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no", "--force-with-lease="+n.Ref+":"+old, n.Remote, commit+":"+n.Ref)
	return err
}

// MergeBase returns the commit that two have come from, empty when there is none.
func (r *Repo) MergeBase(ctx context.Context, one, other string) (string, error) {
	if one == other {
		return one, nil
	}
	for _, commit := range []string{one, other} { // merge-base fails alike without a base and without a commit
		if _, err := r.run(ctx, nil, "cat-file", "-e", commit+"^{commit}"); err != nil {
			return "", err
		}
	}
	out, _ := r.run(ctx, nil, "merge-base", one, other)
	return strings.TrimSpace(out), ctx.Err()
}

// commitTree makes a commit of the user's git identity, or of Blue's where there is none.
func (r *Repo) commitTree(ctx context.Context, tree, message string, parents []string) (string, error) {
	args := []string{"commit-tree", tree, "-m", message}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	out, err := r.run(ctx, nil, args...)
	if err != nil {
		if _, missing := r.run(ctx, nil, "var", "GIT_COMMITTER_IDENT"); missing != nil {
			out, err = r.run(ctx, nil, append([]string{"-c", "user.name=Blue", "-c", "user.email=blue@localhost"}, args...)...)
		}
	}
	return strings.TrimSpace(out), err
}

// move is a ref that is to go from one commit to another; empty is for a ref that is not
// there.
type move struct{ ref, from, to string }

// update moves refs, all or none, if each is still where it was.
func (r *Repo) update(ctx context.Context, moves ...move) error {
	none := strings.Repeat("0", 40)
	if r.sha256 {
		none = strings.Repeat("0", 64)
	}
	var in strings.Builder
	for _, m := range moves {
		if m.from == "" {
			m.from = none
		}
		fmt.Fprintf(&in, "update %s %s %s\n", m.ref, m.to, m.from)
	}
	_, err := r.run(ctx, strings.NewReader(in.String()), "update-ref", "--stdin")
	return err
}

// Authors says who has last changed each note between two commits, the first of which may
// be empty.
func (r *Repo) Authors(ctx context.Context, from, to string) (map[string]string, error) {
	args := []string{"log", "--format=%x01%ae", "--name-only", "--no-renames", "-m", "--first-parent", "--max-count=2000", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	authors, author := map[string]string{}, ""
	out, err := r.run(ctx, nil, append(args, "--", ":(top)notes/")...)
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if mail, ok := strings.CutPrefix(line, "\x01"); ok {
			author = mail
		} else if base, ok := strings.CutPrefix(line, "notes/"); ok && authors[base] == "" {
			authors[base] = author
		}
	}
	return authors, err
}

// Former reports which of these blobs a note has had before a commit, and has not in it.
func (r *Repo) Former(ctx context.Context, commit string, blobs map[string]string) (map[string]bool, error) {
	former := map[string]bool{}
	err := r.readLog(ctx, func(name, from, _ string) {
		if blobs[name] == from {
			former[name] = true
		}
	}, commit, "--", ":(top)notes/")
	return former, err
}

// InCode returns the blobs that notes have had in the commits of the code, by name, the
// latest first.
func (r *Repo) InCode(ctx context.Context, names map[string]bool) (map[string][]string, error) {
	blobs := map[string][]string{}
	err := r.readLog(ctx, func(name, _, to string) {
		if names[name] && strings.Trim(to, "0") != "" {
			blobs[name] = append(blobs[name], to)
		}
	}, "--all", "--max-count=20000", "--", path.Join(filepath.ToSlash(r.below), ".blue/notes")+"/")
	return blobs, err
}

// logLimit is how many bytes of a log are read.
const logLimit = 64 << 20

// readLog gives each change of a file in a log to a function: the name of the file without
// its directory, and the blobs from and to which it was changed.
func (r *Repo) readLog(ctx context.Context, each func(name, from, to string), args ...string) error {
	return r.stream(ctx, nil, func(out io.Reader) error {
		in := bufio.NewScanner(io.LimitReader(out, logLimit))
		in.Buffer(nil, lineLimit)
		for in.Scan() { // :100644 100644 from to M<tab>path
			head, file, _ := strings.Cut(in.Text(), "\t")
			if words := strings.Fields(head); len(words) == 5 {
				each(path.Base(file), words[2], words[3])
			}
		}
		_, _ = io.Copy(io.Discard, out)
		return in.Err()
	}, append([]string{"log", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m"}, args...)...)
}
