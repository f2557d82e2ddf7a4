package notebook

import (
	"context"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/git"
	"blue/errors"
)

// renamePatience bounds the time that git spends on finding renamed files for one answer.
const renamePatience = time.Second

// citedFiles returns the files that notes cite. It does not look for renamed files, which would
// start git.
func (nb *Notebook) citedFiles() *anchor.Files { return anchor.New(nb.Found.Root, nil) }

// followedFiles returns [Notebook.citedFiles] that follow renamed files with git.
func (nb *Notebook) followedFiles() *anchor.Files {
	left := renamePatience
	return anchor.New(nb.Found.Root, func(paths []string) map[string]string {
		if left <= 0 || git.FindCheckout(nb.Found.Root).Top == "" {
			return nil
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		now, err := git.Renamed(ctx, nb.Found.Root, paths, func(name string) bool { return git.IsMissing(nb.Found.Root, name) })
		nb.warnOfGit(err)
		left -= time.Since(began)
		return now
	})
}

// warnOfGit makes the results of this call name the file that git would wait for.
func (nb *Notebook) warnOfGit(err error) {
	if err != nil && nb.gitTrouble == "" {
		nb.gitTrouble = errors.Of(err).Message
		nb.o.Log.Warn("git not run", "project", nb.Found.Root, "err", err)
	}
}
