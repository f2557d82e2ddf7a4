package blue

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

const (
	askedMost    = 64              // other projects that one call may ask, or a failure name
	answerTime   = 3 * time.Second // for all projects that one call asks, concurrently
	everyProject = "*"
	personalName = "personal" // name of the project of the notes about the user
)

// Reasons to leave a project out. A project that a server does not serve has no reason, because
// it is not named either.
const (
	gone     = "gone"
	replaced = "another project is there now"
	silent   = "no answer in time"
)

// Projects lists the projects that this user has opened, and whether each still exists.
func (b *Blue) Projects(ctx context.Context, c Call) (list result.Projects, err error) {
	all, err := b.known.list()
	if err != nil {
		return list, err
	}
	if me, ok := b.personal(); ok {
		all = append(all, me)
	}
	list.Projects = []result.Known{}
	for i, a := range askAll(ctx, all, b.reachFrom(c))() {
		k := showKnown(all[i])
		if k.Fault, k.Missing = a.reason, a.reason == gone; !k.Personal {
			k.Age = result.FormatAge(k.Used, b.o.Now())
		}
		list.Projects = append(list.Projects, k)
	}
	return list, nil
}

// ForgetProject removes a project from the list, by its root or as the list shows the root. It
// does not touch the project's files.
func (b *Blue) ForgetProject(root string) (list result.Projects, err error) {
	all, err := b.known.list()
	if err != nil {
		return list, err
	}
	at := slices.IndexFunc(all, func(p result.Known) bool { return p.Root == root || p.Root == filepath.Clean(root) })
	if at < 0 {
		at = slices.IndexFunc(all, func(p result.Known) bool { return errors.Visible(p.Root) == root })
	}
	if at < 0 {
		return list, notKnown(root, all)
	}
	if err := b.known.forget(all[at].Root); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return list, errors.SaveFailed("the list of projects", err)
	}
	return result.Projects{Projects: []result.Known{}, Forgot: all[at].Root}, nil
}

// KnownProjects returns the projects that this user has opened, for a shell that completes
// names and roots. It reads only the registry and does not look at the projects.
func (b *Blue) KnownProjects() []result.Known {
	all, _ := b.known.list()
	for i := range all {
		all[i] = showKnown(all[i])
	}
	return all
}

// showKnown makes an entry safe to show, because its name may be any text of a repository.
func showKnown(p result.Known) result.Known {
	p.Name, p.ID = errors.Clip(errors.Visible(p.Name), 80), errors.Short(p.ID, 200)
	return p
}

// FindProject returns the root of the project that a name means, among those that the user has
// opened and those in the directories that a client has open. If the name means none or
// several, the error lists the projects that could be meant.
func (b *Blue) FindProject(ctx context.Context, c Call, name string, open []string) (root string, err error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.Missing("project", "give the name of a project, or its path")
	}
	entries, err := b.known.list()
	if err != nil {
		b.o.Log.Debug("list of projects not read", "err", err)
	}
	rules := b.rules
	rules.Allowed = c.Allowed
	var all []result.Known
	for _, dir := range open {
		if found, err := marker.Choose(ctx, rules, candidate(marker.Known, dir)); err == nil {
			all = append(all, result.Known{Address: found.Address})
		}
	}
	for _, p := range served(entries, c.Allowed) {
		if !slices.ContainsFunc(all, func(o result.Known) bool { return o.Root == p.Root }) {
			all = append(all, p)
		}
	}
	meant := named(all, name)
	if len(meant) == 0 {
		return "", notKnown(name, all)
	}
	var there []result.Known
	for i, a := range askAll(ctx, meant, b.reachFrom(c))() {
		if a.reason != gone && a.reason != replaced {
			there = append(there, meant[i])
		}
	}
	switch len(there) {
	case 0:
		return "", errors.E(errors.NotDetected, "project %s is gone: there is no such project at %s any more",
			errors.Quote(name), errors.Quote(meant[0].Root)).
			Hint("projects", "--forget "+errors.Argument(meant[0].Root), "take it off the list")
	case 1:
		return there[0].Root, nil
	}
	lines, roots := describeKnown(there)
	return "", errors.E(errors.Invalid, "%d projects are named %s: %s", len(there), errors.Quote(name), lines).
		Hint("", "", "give the path of the one that is meant").With(roots)
}

// notKnown returns the error for a word that means none of the projects.
func notKnown(word string, all []result.Known) error {
	lines, roots := describeKnown(all)
	e := errors.E(errors.NotFound, "no project %s was opened on this machine", errors.Quote(word)).With(roots)
	if len(all) > 0 {
		e.Hint("", "", "name one of these, or give an absolute path: "+lines)
	}
	return e.Hint("projects", "", "see all that were opened")
}

// describeKnown lists the first projects that could be meant, and returns the detail of a
// failure that names them.
func describeKnown(all []result.Known) (text string, detail map[string]any) {
	var lines []string
	roots := []string{}
	for i, p := range all {
		lines = append(lines, result.NameProject(p.Name)+" at "+p.Root)
		if i < askedMost {
			roots = append(roots, p.Root)
		}
	}
	return errors.List(errors.Lines(lines, 20, 200), 8), map[string]any{"candidates": roots}
}

// named returns the projects that a word means, by name, directory name or root.
func named(all []result.Known, word string) []result.Known {
	return slices.DeleteFunc(slices.Clone(all), func(p result.Known) bool {
		return word != p.Name && word != filepath.Base(p.Root) && word != p.Root
	})
}

// served returns the projects in the directories that a server may serve, or all if there are
// no such directories. It only compares paths.
func served(all []result.Known, allowed []string) []result.Known {
	return slices.DeleteFunc(slices.Clone(all), func(p result.Known) bool {
		holds := func(dir string) bool {
			below, err := filepath.Rel(dir, p.Root)
			return err == nil && filepath.IsLocal(below)
		}
		return len(allowed) > 0 && !slices.ContainsFunc(allowed, holds)
	})
}

// within returns the projects below some directories, or all if there are none, most recently
// used first.
func (b *Blue) within(allowed []string) (all []marker.Opened) {
	entries, _ := b.known.list()
	for _, p := range served(entries, allowed) {
		all = append(all, marker.Opened{Name: p.Name, Root: p.Root})
	}
	return all
}

// reachFrom returns a function that checks, by the rules of a call, whether a project that was
// opened before still exists and is still the same. If not, the function returns the reason to
// leave it out.
func (b *Blue) reachFrom(c Call) func(context.Context, result.Known) (marker.Found, string) {
	rules := b.apart
	rules.Allowed = c.Allowed
	return func(ctx context.Context, p result.Known) (found marker.Found, reason string) {
		if p.Personal {
			found, err := findPersonal(ctx, rules, p.Root)
			return found, reasonOf(err)
		}
		found, err := marker.Choose(ctx, rules, candidate(marker.Known, p.Root))
		switch {
		case err != nil:
			return marker.Found{}, reasonOf(err)
		case found.Root != p.Root: // its marker is gone, and the project above it is another one
			return marker.Found{}, gone
		case found.ID != p.ID:
			return marker.Found{}, replaced
		}
		return found, ""
	}
}

// reasonOf describes in a few words why a project is left out. It is empty for a project that
// is not served.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	switch e := errors.Of(err); {
	case e.Kind == errors.OutsideAllowedRoots:
		return ""
	case e.Kind == errors.UntrustedProject:
		return "not trusted"
	case e.Kind == errors.NotDetected, e.Kind == errors.NoProject:
		return gone
	case e.Kind == errors.FSTimeout, errors.Is(err, context.DeadlineExceeded):
		return silent
	default:
		return errors.Short(strings.TrimSuffix(e.Message, "."), 120)
	}
}

// answer is the answer of one project.
type answer[T any] struct {
	value  T
	reason string // why it is left out; also empty if there is nothing to report
	fault  error  // from a panic
}

// askAll asks all projects concurrently. The returned function waits for the answers, which are
// in the order of the projects, but no longer than answerTime from now. A project that hangs is
// abandoned, with the reason silent.
func askAll[T any](ctx context.Context, all []result.Known, ask func(context.Context, result.Known) (T, string)) (wait func() []answer[T]) {
	type numbered struct {
		at int
		answer[T]
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	given := make(chan numbered, len(all))
	answers := make([]answer[T], len(all))
	for i, p := range all {
		answers[i].reason = silent
		go func() {
			mine := numbered{at: i}
			defer func() {
				if fault := recover(); fault != nil { // of another project: it does not fail the call
					mine.fault, mine.reason = fmt.Errorf("%v\n%s", fault, debug.Stack()), "it cannot be read"
				}
				given <- mine
			}()
			mine.value, mine.reason = ask(ctx, p)
		}()
	}
	return func() []answer[T] {
		defer cancel()
		for range all {
			select {
			case a := <-given:
				answers[a.at] = a.answer
			case <-ctx.Done():
				return answers
			}
		}
		return answers
	}
}

// Notes about the user, independent of any project, are kept in one project in the user's data
// directory. It is found only by its place: a call must ask for it, and no call falls back to
// it.

// personal returns the project of the notes about the user, and false if there is none.
func (b *Blue) personal() (p result.Known, ok bool) {
	p = result.Known{Address: marker.Address{Root: b.personalDir, Name: personalName}, Personal: true}
	if p.Root == "" {
		return p, false
	}
	info, err := os.Lstat(filepath.Join(p.Root, marker.Name))
	return p, err == nil && info.IsDir()
}

// OpenPersonal opens the project of the notes about the user, whatever the candidates of the
// call are.
func (b *Blue) OpenPersonal(ctx context.Context, c Call) (*Project, error) {
	p, ok := b.personal()
	if !ok {
		return nil, errors.NoPersonal()
	}
	found, err := findPersonal(ctx, b.rulesOf(c), p.Root)
	if err != nil {
		return nil, err
	}
	return b.openProject(found, c)
}

// findPersonal finds the project of the notes about the user in that directory, but not above
// it.
func findPersonal(ctx context.Context, rules marker.Rules, dir string) (marker.Found, error) {
	found, err := marker.Choose(ctx, rules, candidate(marker.Personal, dir))
	if err == nil && found.Root != found.Start {
		return marker.Found{}, errors.NoPersonal()
	}
	return found, err
}
