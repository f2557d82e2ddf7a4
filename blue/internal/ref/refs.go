package ref

import (
	"context"
	"fmt"
	"path"
	"strings"

	"blue/blue/internal/git"
	"blue/errors"
)

// Names are the refs by which one notebook is kept.
type Names struct {
	Remote string // empty: there is none
	Ref    string // on the remote
}

// Head is the ref at what the notebook was last in line with.
func (n Names) Head() string { return "refs/blue/" + n.suffix() }

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
	out, err := r.ask(ctx, "ls-remote", "--quiet", r.remote.Pushed(ctx, r.dir, n.Remote), n.Ref)
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
		r.remote.Pushed(ctx, r.dir, n.Remote), "+"+n.Ref+":"+n.Seen())
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

// comesFrom returns the last commit that two have come from, empty when there is none.
func (r *Repo) comesFrom(ctx context.Context, one, other string) (string, error) {
	out, _ := r.run(ctx, nil, "merge-base", one, other) // fails without one
	return strings.TrimSpace(out), ctx.Err()
}

// has reports whether a commit is here.
func (r *Repo) has(ctx context.Context, commit string) bool {
	_, err := r.run(ctx, nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil
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

// Authors says who has last changed each note, by uid, between two commits, the first of which
// may be empty.
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
		} else if uid, _, ok := strings.Cut(path.Base(line), "."); ok && authors[uid] == "" {
			authors[uid] = author
		}
	}
	return authors, err
}
