package blue

import (
	"context"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/evidence"
	"blue/blue/internal/tree"
	"blue/marker"
)

// renamePatience is how long git is asked, for one answer, what files are called now that
// are gone.
const renamePatience = time.Second

// citedFiles are the files that notes cite, as one answer sees them. Renamed ones are not
// looked for: that would start git for each file that is gone.
func (p *Project) citedFiles() *evidence.Files { return evidence.New(p.found.Root, nil) }

// followedFiles are [Project.citedFiles] that git follows to their new names.
func (p *Project) followedFiles() *evidence.Files {
	left := renamePatience
	return evidence.New(p.found.Root, func(path string) string {
		if left <= 0 || marker.FindCheckout(p.found.Root).Top == "" {
			return ""
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		now := commits.Renamed(ctx, p.found.Root, path, func(name string) bool { return tree.IsMissing(p.found.Root, name) })
		left -= time.Since(began)
		return now
	})
}
