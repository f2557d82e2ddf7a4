package git

import (
	"bufio"
	"context"
	"io"
	"path"
	"strconv"
	"strings"
)

// versionsMost is the number of changes of a file among which a version is sought.
const versionsMost = 100

// FindVersion returns the newest commit with a file below a directory whose content has the hash by which notes
// cite it, and that content. The commit is "" if the last changes of the file do not have it; changed reports
// whether there are any. The error says that git did not answer in time.
func FindVersion(ctx context.Context, dir, name, hash string) (commit, text string, changed bool, err error) {
	if strings.ContainsAny(name, "\n") || hash == "" {
		return "", "", false, nil
	}
	file := path.Join(belowTop(dir), name)
	out, err := Command{Dir: dir, Args: []string{"rev-list", "--max-count=" + strconv.Itoa(versionsMost), "HEAD", "--", ":(top,literal)" + file}}.Output(ctx)
	commits := strings.Fields(out)
	if err != nil || len(commits) == 0 { // a repository without commits is an error of git
		return "", "", false, ifStuck(err)
	}
	asked := strings.Join(commits, ":"+file+"\n") + ":" + file + "\n"
	err = Command{Dir: dir, Args: []string{"cat-file", "--batch"}, In: strings.NewReader(asked)}.Stream(ctx, func(out io.Reader) error {
		in := bufio.NewReader(out)
		for _, each := range commits {
			head, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			fields := strings.Fields(head)
			size, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
			if err != nil { // "missing": the commit removed it
				continue
			}
			if size > hashLimit {
				if _, err := io.CopyN(io.Discard, in, size+1); err != nil {
					return err
				}
				continue
			}
			content := make([]byte, size+1) // with a newline at the end
			if _, err := io.ReadFull(in, content); err != nil {
				return err
			}
			if content = content[:size]; hashOf(content) == strings.ToLower(hash) {
				commit, text = each, string(content)
				return errFound
			}
		}
		return nil
	})
	if commit != "" {
		err = nil
	}
	return commit, text, true, ifStuck(err)
}
