package registry

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/result"
	"blue/errors"
	"blue/marker"
)

// Projects are those of the user: the ones that they have opened, and the one of the notes
// about them.
type Projects struct {
	*Registry
	Rules    marker.Rules // of every call
	Apart    marker.Rules // the same for other projects than that of a call: what hangs there holds up no other call
	Personal string       // the directory of the notes about the user, empty when that is unknown
	Now      func() time.Time
	Log      *slog.Logger
}

// PersonalName is the name of the project of the notes about the user.
const PersonalName = "personal"

// Every is the word that means every project.
const Every = "*"

// All are the projects that the user has opened.
func (k Projects) All() ([]Project, error) {
	all, err := k.List()
	if err != nil {
		return nil, errors.Unreadable(filepath.Dir(k.dir), err)
	}
	return all, nil
}

// Within are the projects below some directories, everywhere when there are none, the one
// used last first. No disk but that of the list is touched.
func (k Projects) Within(allowed []string) (all []marker.Opened) {
	entries, _ := k.List()
	for _, p := range Served(entries, allowed) {
		all = append(all, marker.Opened{Name: p.Name, Root: p.Root})
	}
	return all
}

// Me is the project of the notes about the user; false when there is none.
func (k Projects) Me() (p Project, ok bool) {
	p = Project{Root: k.Personal, Name: PersonalName, Personal: true}
	if p.Root == "" {
		return p, false
	}
	info, err := os.Lstat(filepath.Join(p.Root, marker.Name))
	return p, err == nil && info.IsDir()
}

// Check lists the projects, and says of each whether it is still there.
func (k Projects) Check(ctx context.Context, allowed []string) (result.Projects, error) {
	all, err := k.All()
	if err != nil {
		return result.Projects{}, err
	}
	if me, ok := k.Me(); ok {
		all = append(all, me)
	}
	answer := result.Projects{Projects: []result.Known{}}
	for i, a := range AskAll(ctx, all, k.ReachFrom(allowed))() {
		shown := all[i].Shown()
		shown.Fault, shown.Missing = a.Reason, a.Reason == Gone
		if !shown.Personal {
			shown.Used, shown.Age = result.FormatTime(all[i].Used), result.FormatAge(all[i].Used, k.Now())
		}
		answer.Projects = append(answer.Projects, shown)
	}
	return answer, nil
}

// ReachFrom returns the question whether a project is still there and may be used by a call.
func (k Projects) ReachFrom(allowed []string) func(context.Context, Project) Answer {
	return func(ctx context.Context, p Project) Answer {
		rules := k.Apart
		rules.Allowed = allowed
		found, reason := Reach(ctx, rules, p)
		return Answer{Value: found, Reason: reason}
	}
}

// TakeOff takes a project off the list, by its root or as the list shows that. Its files stay.
func (k Projects) TakeOff(root string) (result.Projects, error) {
	all, err := k.All()
	if err != nil {
		return result.Projects{}, err
	}
	meant, err := FindRoot(all, root)
	if err != nil {
		return result.Projects{}, err
	}
	if err := k.Forget(meant.Root); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return result.Projects{}, errors.SaveFailed("the list of projects", err)
	}
	return result.Projects{Projects: []result.Known{}, Forgot: meant.Root}, nil
}

// Find returns the root of the project that a name means, among those that the user has
// opened and those in the directories open, which the client names. A name that means none
// or several is refused with the projects that could be meant.
func (k Projects) Find(ctx context.Context, allowed []string, name string, open []string) (root string, err error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.Missing("project", "give the name of a project, or its path")
	}
	entries, err := k.List()
	if err != nil {
		k.Log.Debug("list of projects not read", "err", err)
	}
	all := k.openedBy(ctx, allowed, open)
	for _, p := range Served(entries, allowed) {
		if !slices.ContainsFunc(all, func(o Project) bool { return o.Root == p.Root }) {
			all = append(all, p)
		}
	}
	return Choose(ctx, all, name, k.ReachFrom(allowed))
}

// openedBy are the projects in the directories that a client has open.
func (k Projects) openedBy(ctx context.Context, allowed []string, open []string) (all []Project) {
	rules := k.Rules
	rules.Allowed = allowed
	for _, dir := range open {
		found, err := marker.Choose(ctx, rules, slices.Values([]marker.Candidate{{Source: marker.Known, Value: dir}}))
		if err == nil {
			all = append(all, Project{Root: found.Root, Name: found.Name, ID: found.ID})
		}
	}
	return all
}

// Beside are the projects that a query of one project asks too: the notes about the user, and
// those that it names.
func (k Projects) Beside(allowed []string, own Project, words []string) (all []Project, err error) {
	if me, ok := k.Me(); ok {
		all = append(all, me)
	}
	if len(words) == 0 {
		return all, nil
	}
	entries, err := k.All()
	if err != nil {
		return nil, err
	}
	entries = Served(entries, allowed)
	for _, word := range words {
		meant := Named(entries, word)
		if word == Every {
			meant = entries
		} else if len(meant) == 0 && !own.IsNamed(word) {
			return nil, NotKnown(word, entries)
		}
		for _, other := range meant {
			if other.Root != own.Root && !slices.Contains(all, other) {
				all = append(all, other)
			}
		}
	}
	return all, nil
}
