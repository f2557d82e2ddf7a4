package git

import (
	"context"
	"strings"
)

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
