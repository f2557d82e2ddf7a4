package notesync

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/git"
	"blue/errors"
)

const (
	localTime    = 60 * time.Second  // limit of a git command that talks to no remote
	remoteTime   = 120 * time.Second // limit of the silence of one that does
	transferTime = 30 * time.Minute  // limit of one that transfers objects
)

// oldestMajor and oldestMinor are the oldest version of git that has every command and option used
// here.
const oldestMajor, oldestMinor = 2, 31

// gitBackend keeps the notes of one project on a ref of its own, in the repository of the project
// and on a remote of it. It uses the plumbing commands of the user's git and touches neither a
// working tree nor git's index.
type gitBackend struct {
	dir    string
	sha256 bool   // object format of the repository
	shared string // git directory that all worktrees share
	remote *git.Remote

	remoteName string // empty without a remote
	remoteRef  string // ref of the notes on the remote
	project    string // id
	ours       bool   // this clone has synced with the ref before
	reached    bool   // so it has with the remote
	file       string // of the snapshot

	remoteTime time.Duration

	asked  *refs           // answer to Unchanged, for the next call of Heads
	trees  map[string]tree // that were read, by commit
	loaded *snapshot
	begun  begun
	local  string // commit of the local ref

	refetched, forget bool // steps that Heal has taken
}

// openGit opens the repository that contains dir. env returns environment variables.
func openGit(ctx context.Context, dir string, env func(string) string) (*gitBackend, error) {
	at := git.FindDirectories(dir)
	g := &gitBackend{dir: dir, shared: at.Shared, remoteTime: remoteTime}
	if at.Private == "" {
		return nil, errors.NoRepository(dir, "there is no directory .git in it or above it")
	}
	var format string
	var noFormat, noRemotes error
	var asking sync.WaitGroup
	asking.Go(func() { format, noFormat = git.Output(ctx, dir, "rev-parse", "--show-object-format") })
	asking.Go(func() { g.remote, noRemotes = git.ReadRemotes(ctx, dir, env) })
	asking.Wait()
	g.sha256 = strings.TrimSpace(format) == "sha256"
	err := cmp.Or(noFormat, noRemotes)
	if err == nil || errors.Is(err, errors.Timeout) {
		return g, err
	}
	if old := g.checkVersion(ctx); old != nil {
		return nil, old
	}
	return nil, errors.NoRepository(dir, errors.Of(err).Message)
}

// checkVersion returns an error if git is missing or too old.
func (g *gitBackend) checkVersion(ctx context.Context) error {
	version, err := git.Output(ctx, g.dir, "version")
	if err != nil {
		return err
	}
	var major, minor int
	_, _ = fmt.Sscanf(version, "git version %d.%d", &major, &minor)
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return errors.E(errors.Invalid, "%s is too old to carry notes; %s is needed",
			strings.TrimSpace(version), fmt.Sprintf("%d.%d", oldestMajor, oldestMinor)).
			Hint("", "", "install a newer git, or carry the notes another way: blue export")
	}
	return nil
}

// countTracked returns how many files below dir, relative to root, git tracks; 0 if git cannot
// tell.
func countTracked(ctx context.Context, root, dir string) int {
	below, err := filepath.Rel(git.FindDirectories(root).Top, root)
	if err != nil {
		return 0
	}
	out, _ := git.Output(ctx, root, "ls-files", "-z", "--", filepath.ToSlash(filepath.Join(below, dir)))
	return strings.Count(out, "\x00")
}

// askRemote runs a git command that talks to the remote.
func (g *gitBackend) askRemote(ctx context.Context, args ...string) (string, error) {
	limit := g.remoteTime
	if args[0] != "ls-remote" { // the others report progress
		limit = transferTime
	}
	var out strings.Builder
	c := git.Command{Dir: g.dir, Args: args, Remote: g.remote, Silence: g.remoteTime}
	err := streamWithin(ctx, limit, c, func(from io.Reader) error {
		_, err := io.Copy(&out, from)
		return err
	})
	return out.String(), err
}

// run runs a local git command and returns its output.
func (g *gitBackend) run(ctx context.Context, in io.Reader, args ...string) (string, error) {
	var out strings.Builder
	err := g.stream(ctx, in, func(from io.Reader) error { _, err := io.Copy(&out, from); return err }, args...)
	return out.String(), err
}

// stream runs a local git command and passes its output to read. It returns the error of read or
// of git, with git's message.
func (g *gitBackend) stream(ctx context.Context, in io.Reader, read func(io.Reader) error, args ...string) error {
	c := git.Command{Dir: g.dir, Args: args, In: in}
	switch args[0] {
	case "fast-import": // its time depends on its input
		c.Silence = localTime
		return c.Stream(ctx, read)
	case "diff-tree", "rev-list", "pack-objects": // may work for long before they print
		c.Silence = localTime
	}
	return streamWithin(ctx, localTime, c, read)
}

func streamWithin(ctx context.Context, limit time.Duration, c git.Command, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.GitSlow(c.Args[0]))
	defer cancel()
	return c.Stream(ctx, read)
}

// localRef returns the local ref of the notes.
func (g *gitBackend) localRef() string { return "refs/blue/" + g.refSuffix() }

// trackingRef returns the local ref of the last known state of the remote.
func (g *gitBackend) trackingRef() string {
	return "refs/blue/remotes/" + g.remoteName + "/" + g.refSuffix()
}

func (g *gitBackend) refSuffix() string {
	return strings.TrimPrefix(strings.TrimPrefix(g.remoteRef, "refs/"), "blue/")
}

// localHeads returns the commits of the local and the tracking ref, empty for a missing ref.
func (g *gitBackend) localHeads(ctx context.Context) (local, tracking string, err error) {
	format := "--format=%(objectname) %(objecttype) %(refname)"
	out, err := g.run(ctx, nil, "for-each-ref", format, g.localRef(), g.trackingRef())
	for line := range strings.Lines(out) {
		switch words := strings.Fields(line); {
		case len(words) != 3 || words[1] != "commit":
		case words[2] == g.localRef():
			local = words[0]
		case words[2] == g.trackingRef():
			tracking = words[0]
		}
	}
	return local, tracking, err
}

// remoteHead returns the commit of the ref on the remote, empty for a missing ref.
func (g *gitBackend) remoteHead(ctx context.Context) (string, error) {
	out, err := g.askRemote(ctx, "ls-remote", "--quiet", g.remote.Pushed(ctx, g.dir, g.remoteName), g.remoteRef)
	if err != nil {
		return "", remoteSilent(g.remoteName, errors.Of(err).Message)
	}
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) == 2 && words[1] == g.remoteRef {
			return words[0], nil
		}
	}
	return "", nil
}

// fetch fetches the ref of the remote to the tracking ref.
func (g *gitBackend) fetch(ctx context.Context, options ...string) error {
	args := append([]string{"fetch", "--progress"}, options...)
	args = append(args, "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules",
		"--no-auto-maintenance", "--no-filter")
	source := g.remote.Pushed(ctx, g.dir, g.remoteName)
	_, err := g.askRemote(ctx, append(args, source, "+"+g.remoteRef+":"+g.trackingRef())...)
	if err != nil && !git.FailedHere(err) {
		return remoteSilent(g.remoteName, errors.Of(err).Message)
	}
	return err
}

// has reports whether the repository has a commit.
func (g *gitBackend) has(ctx context.Context, commit string) bool {
	_, err := g.run(ctx, nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// refs are the commits of the refs of the notes, empty for a missing ref.
type refs struct {
	local, tracking string
	remote          string // empty if it was not asked
	err             error
}

// readRefs returns the commits of the local refs. With ask it asks the remote at the same time.
func (g *gitBackend) readRefs(ctx context.Context, ask bool) *refs {
	var r refs
	var silent error
	var asking sync.WaitGroup
	if ask && g.remoteName != "" {
		asking.Go(func() { r.remote, silent = g.remoteHead(ctx) })
	}
	r.local, r.tracking, r.err = g.localHeads(ctx)
	asking.Wait()
	r.err = cmp.Or(r.err, silent)
	return &r
}

// Unchanged reports whether the remote and the local ref are both at commit. The next call of Heads
// does not ask again.
func (g *gitBackend) Unchanged(ctx context.Context, commit string) bool {
	g.asked = g.readRefs(ctx, true)
	return g.asked.err == nil && g.asked.local == commit && (g.remoteName == "" || g.asked.remote == commit)
}

// Heads returns the heads of the notes. With ask it asks the remote and fetches its commit.
func (g *gitBackend) Heads(ctx context.Context, ask bool) (h heads, err error) {
	var checking sync.WaitGroup
	if ask {
		checking.Go(func() { err = g.checkVersion(ctx) })
	}
	if g.loaded == nil {
		s := load[snapshot](g.file, snapshotLimit)
		g.loaded = &s
	}
	checking.Wait()
	if err != nil {
		return h, err
	}
	g.trees = map[string]tree{}
	now := g.asked
	if g.asked = nil; now == nil {
		now = g.readRefs(ctx, ask)
	}
	if now.err != nil {
		return h, now.err
	}
	g.local, h.base = now.local, cmp.Or(now.local, g.loaded.Commit) // the snapshot outlives the ref
	g.ours = h.base != ""
	if g.forget || g.loaded.Commit != h.base && !g.has(ctx, h.base) {
		g.loaded, h.base = &snapshot{}, ""
	}
	if h.fork = h.base; !ask || g.remoteName == "" {
		return h, nil
	}
	if h.remote = now.remote; h.remote != "" && h.remote != now.tracking && h.remote != now.local {
		if err = g.fetch(ctx); err == nil {
			_, h.remote, err = g.localHeads(ctx)
		}
		if err == nil && h.remote == "" {
			err = notNotes(g.remoteRef, "it is no commit")
		}
	}
	if err == nil && h.remote != "" && h.base != "" && h.remote != h.base && g.has(ctx, h.base) {
		out, _ := g.run(ctx, nil, "merge-base", h.base, h.remote) // fails if there is none
		h.fork, err = strings.TrimSpace(out), ctx.Err()
	}
	// The local ref may be ahead because a push did not arrive; then both sides have the fork.
	seen := g.loaded.Commit
	h.setBack = seen != "" && g.reached && (h.remote == "" || h.fork != h.base && !g.isAncestor(ctx, seen, h.fork))
	switch {
	case h.fork != h.base && !h.setBack && seen != "":
		h.base = h.fork
	case h.fork != h.base && err == nil:
		if h.since, err = g.objectsSince(ctx, h.fork, h.remote); err == nil {
			h.ownSince, err = g.objectsSince(ctx, h.fork, h.base)
		}
	}
	g.begun = loadBegun(g.file, h.base)
	for _, taken := range g.begun.Taken {
		if g.isAncestor(ctx, taken.Commit, h.remote) {
			h.taken = append(h.taken, taken)
		}
	}
	return h, err
}

// objectsSince returns the names of the objects that commits after from, up to to, have added. from
// may be empty.
func (g *gitBackend) objectsSince(ctx context.Context, from, to string) (map[string]bool, error) {
	args := []string{"rev-list", "--objects", "--no-object-names", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	out, err := g.run(ctx, nil, args...)
	all := map[string]bool{}
	for line := range strings.Lines(out) {
		all[strings.TrimSpace(line)] = true
	}
	return all, err
}

func (g *gitBackend) isAncestor(ctx context.Context, commit, of string) bool {
	_, err := g.run(ctx, nil, "merge-base", "--is-ancestor", commit, of)
	return err == nil
}

// Heal repairs the local copy of the notes after an error of git. In turn it moves unreadable
// object files away, fetches everything from the remote again, and forgets the base. It returns
// err if nothing is left to try.
func (g *gitBackend) Heal(ctx context.Context, err error) error {
	moved := g.moveDamaged(ctx, err.Error())
	if !errors.IsGitFailed(err) && !moved || g.remoteName == "" {
		return err
	}
	switch {
	case g.forget:
		return err
	case moved, g.refetched:
		g.forget = !moved
		for _, ref := range []string{g.localRef(), g.trackingRef(), pendingRef} { // the next fetch brings back those that are dropped
			if _, unreadable := g.run(ctx, nil, "cat-file", "-e", ref+"^{tree}"); unreadable != nil {
				_, _ = g.run(ctx, nil, "update-ref", "-d", ref)
			}
		}
		return nil
	}
	g.refetched = true
	_ = g.fetch(ctx, "--refetch")
	return nil
}

var objectName = regexp.MustCompile(`\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b`)

// moveDamaged moves the files of unreadable objects that an error message of git names to the
// state directory, since git fetches no object whose file exists.
func (g *gitBackend) moveDamaged(ctx context.Context, message string) (moved bool) {
	for _, id := range objectName.FindAllString(message, -1) {
		if _, err := g.run(ctx, nil, "cat-file", "-p", id); err == nil {
			continue
		}
		file := filepath.Join(g.shared, "objects", id[:2], id[2:])
		kept := atomicfile.Target{Path: g.file + "." + id + ".damaged"}
		if text, err := os.ReadFile(file); err == nil && kept.Replace(text) == nil {
			moved = os.Remove(file) == nil || moved
		}
	}
	return moved
}

// ReadTree returns the notes of a commit, none for an empty commit. It refuses a commit that does
// not hold notes of this project.
func (g *gitBackend) ReadTree(ctx context.Context, commit string) (tree, error) {
	if t, known := g.trees[commit]; known || commit == "" {
		return t.clone(), nil
	}
	if g.loaded.Commit == commit {
		g.trees[commit] = g.loaded.tree
		return g.loaded.tree.clone(), nil
	}
	t, from := newTree(), ""
	if g.loaded.Commit != "" && g.has(ctx, g.loaded.Commit) {
		t, from = g.loaded.tree.clone(), g.loaded.Commit
	}
	format, err := g.readChanges(ctx, &t, from, commit)
	if err != nil {
		return t, err
	}
	if format == "" && from == "" {
		return t, notNotes(g.remoteRef, "it has no file named format")
	}
	if format != "" {
		err = g.ReadTexts(ctx, []string{format}, func(_ string, text []byte) error { return g.checkFormat(string(text)) })
	}
	g.trees[commit] = t
	return t.clone(), err
}

// checkFormat refuses unknown formats and the notes of other projects.
func (g *gitBackend) checkFormat(text string) error {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		keys[key] = strings.TrimSpace(value)
	}
	switch {
	case keys["format"] != "2":
		return notNotes(g.remoteRef, fmt.Sprintf("its format is %q, this Blue knows 2", errors.Short(keys["format"], 20)))
	case keys["project"] != "" && keys["project"] != g.project:
		return notNotes(g.remoteRef, fmt.Sprintf("they are of the project %q", errors.Short(keys["project"], 80)))
	case keys["project"] == "" && !g.ours:
		return notNotes(g.remoteRef, "they are of a project without an id; sync first from a clone that has synced with them, after blue sync --on there")
	}
	return nil
}

// Authors returns the author of the last change of each note between two commits, by uid. from may
// be empty.
func (g *gitBackend) Authors(ctx context.Context, from, to string) (map[string]string, error) {
	if from == to {
		return nil, nil
	}
	args := []string{"log", "--format=%x01%an", "--name-only", "--no-renames", "-m", "--first-parent", "--max-count=2000", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	authors, author := map[string]string{}, ""
	out, err := g.run(ctx, nil, append(args, "--", ":(top)notes/")...)
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "\x01"); ok {
			author = name
		} else if uid, _, ok := strings.Cut(path.Base(line), "."); ok && authors[uid] == "" {
			authors[uid] = author
		}
	}
	return authors, err
}

// Had returns false: the base is a commit, which no loss of state forgets.
func (g *gitBackend) Had(context.Context, string, string) (bool, error) { return false, nil }

// Take records that files are about to be written from a commit.
func (g *gitBackend) Take(_ context.Context, now taking, _ tree) error {
	g.begun.Taken = append(g.begun.Taken, now)
	return g.begun.save(g.file)
}

// Move moves the local ref to commit and saves the snapshot t of it. It returns [errMoved] if
// another sync has moved the ref.
func (g *gitBackend) Move(ctx context.Context, commit string, t tree) error {
	if err := g.moveLocal(ctx, commit); err != nil {
		return err
	}
	if g.loaded == nil || g.loaded.Commit != commit {
		g.loaded = &snapshot{Commit: commit, tree: t.clone()}
		if err := save(atomicfile.Target{Path: g.file}, g.loaded); err != nil {
			return err
		}
	}
	g.begun.drop(g.file)
	return nil
}

// moveLocal moves the local ref to commit, if it has not moved since Heads.
func (g *gitBackend) moveLocal(ctx context.Context, commit string) error {
	if g.local == commit {
		return nil
	}
	from := cmp.Or(g.local, strings.Repeat("0", len(commit))) // zeros stand for no ref
	_, err := g.run(ctx, nil, "update-ref", g.localRef(), commit, from)
	if err == nil {
		g.local = commit
	} else if local, _, again := g.localHeads(ctx); again == nil && local != g.local {
		return errMoved
	}
	return err
}

// Push commits t and pushes it in place of the commit that the remote had. It returns no error
// only if the remote, asked again, has the commit.
func (g *gitBackend) Push(ctx context.Context, h heads, t tree, texts textSource, message string) (commit string, err error) {
	commit, err = g.commit(ctx, h, t, texts, message)
	if err == nil { // if this is the end, Heads tells by the local ref whether the push has arrived
		err = g.moveLocal(ctx, commit)
	}
	if err != nil || g.remoteName == "" {
		return commit, err
	}
	inside, failed := git.Inside(ctx, g.dir, g.remoteName)
	if failed == nil && inside != "" {
		failed = errors.E(errors.Denied, "the remote %s is a directory of the project: %s",
			errors.Quote(g.remoteName), errors.Quote(inside)).
			Hint("", "", "a push would run its hooks, which have come with the project: name a remote elsewhere")
	} else {
		_, failed = g.askRemote(ctx, "push", "--progress", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
			"--force-with-lease="+g.remoteRef+":"+h.remote, g.remoteName, commit+":"+g.remoteRef)
	}
	now, err := g.remoteHead(ctx)
	switch {
	case err != nil:
		return commit, err
	case now == commit:
		return commit, nil
	case now != h.remote:
		return commit, errMoved
	case failed != nil:
		return commit, errors.RemoteRefused(g.remoteName, g.remoteRef, errors.Of(failed).Message)
	}
	return commit, notTaken(g.remoteName, g.remoteRef)
}

// remoteSilent returns the error for a remote that cannot be reached.
func remoteSilent(remote, reason string) *errors.Error {
	return errors.E(errors.Timeout, "remote %s does not answer: %s", errors.Quote(remote), errors.Reason(reason)).
		Hint("", "", "the notes stay here; see what git says: git ls-remote "+errors.Visible(remote)).
		Hint("sync", "", "try again when it can be reached")
}

// notTaken returns the error for a remote that has confirmed a push but does not have it.
func notTaken(remote, ref string) *errors.Error {
	return errors.E(errors.Invalid, "remote %s confirmed the push, and %s is not what was pushed", errors.Quote(remote), errors.Quote(ref)).
		Hint("", "", "nothing is lost here; ask who runs that server").
		Hint("sync", "", "try again")
}

// notNotes returns the error for a ref that cannot contain notes of this project.
func notNotes(ref, reason string) *errors.Error {
	return errors.E(errors.Invalid, "%s does not hold the notes of this project: %s", errors.Quote(ref), reason).
		Hint("", "", "name another ref after the key ref of .blue/project.yaml, such as refs/blue/notes-of-app")
}
