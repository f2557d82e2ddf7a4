package blue

import (
	"context"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/git"
	"blue/errors"
)

// renamePatience is how long git is asked, for one answer, what files are called now that
// are gone.
const renamePatience = time.Second

// citedFiles are the files that notes cite, as one answer sees them. Renamed ones are not
// looked for: that would start git.
func (p *Project) citedFiles() *anchor.Files { return anchor.New(p.found.Root, nil) }

// followedFiles are [Project.citedFiles] that git follows to their new names.
func (p *Project) followedFiles() *anchor.Files {
	left := renamePatience
	return anchor.New(p.found.Root, func(paths []string) map[string]string {
		if left <= 0 || git.FindCheckout(p.found.Root).Top == "" {
			return nil
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		now, err := git.Renamed(ctx, p.found.Root, paths, func(name string) bool { return git.IsMissing(p.found.Root, name) })
		p.warnOfGit(err)
		left -= time.Since(began)
		return now
	})
}

// warnOfGit makes the replies of this call say which file git would wait for.
func (p *Project) warnOfGit(err error) {
	if err != nil && p.gitTrouble == "" {
		p.gitTrouble = errors.Of(err).Message
		p.b.o.Log.Warn("git not run", "project", p.found.Root, "err", err)
	}
}
