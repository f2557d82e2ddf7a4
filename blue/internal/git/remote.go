package git

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"blue/errors"
)

// Remote holds what a command needs to talk to a remote: SSH, credential helpers and proxies as set
// by the user for all repositories. Settings of the repository itself are not used, because they
// would run a program that the user has not chosen. Hooks are disabled.
type Remote struct {
	env  []string
	urls map[string]string // by the key of the setting

	split bool // some remote may have different URLs for push and fetch
}

// outer lists the variables that git sets for itself when it runs this process as a hook.
var outer = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_REFLOG_ACTION", "GIT_LITERAL_PATHSPECS",
	"GIT_EXTERNAL_DIFF", "GIT_IMPLICIT_WORK_TREE"}

// transports are the programs at the other end, which a repository must not choose: those of a
// remote on this machine would run here.
var transports = map[string]string{"ls-remote": "--upload-pack=git-upload-pack", "fetch": "--upload-pack=git-upload-pack", "push": "--receive-pack=git-receive-pack"}

// ReadRemotes reads from git's settings around a directory how to talk to remotes. env returns
// environment variables.
func ReadRemotes(ctx context.Context, dir string, env func(string) string) (*Remote, error) {
	out, err := Output(ctx, dir, "config", "-z", "--show-scope", "--get-regexp", `^(core\.(sshcommand|gitproxy)|credential\.(.*\.)?helper|remote\..*\.(url|pushurl)|url\..*\.pushinsteadof)$`)
	if errors.Is(err, errors.Timeout) {
		return nil, err // otherwise there are no such settings
	}
	r := &Remote{urls: map[string]string{}}
	ssh := ""
	var helpers [][2]string // set by the user
	reset := false          // the repository sets credential helpers
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		ofUser := fields[i] != "local" && fields[i] != "worktree"
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch {
		case strings.HasPrefix(key, "remote."):
			r.urls[key] = value
			r.split = r.split || strings.HasSuffix(key, ".pushurl")
		case strings.HasPrefix(key, "url."):
			r.split = true
		case key == "core.gitproxy" && !ofUser:
			r.env = append(r.env, "GIT_PROXY_COMMAND="+env("GIT_PROXY_COMMAND"))
		case key == "core.sshcommand" && ofUser:
			ssh = strings.TrimSpace(value)
		case strings.HasPrefix(key, "credential.") && ofUser:
			helpers = append(helpers, [2]string{key, value})
		case strings.HasPrefix(key, "credential."):
			reset = true
		}
	}
	r.useSSH(ssh, env)
	if reset { // repeat the user's helpers after an empty one, which clears the list
		n, _ := strconv.Atoi(env("GIT_CONFIG_COUNT")) // entries set by the user come first
		for i, s := range append([][2]string{{"credential.helper", ""}}, helpers...) {
			r.env = append(r.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n+i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n+i, s[1]))
		}
		r.env = append(r.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+1+len(helpers)))
	}
	return r, nil
}

// useSSH makes git run SSH as the environment says, or else by the given command, and disables the
// prompts of OpenSSH.
func (r *Remote) useSSH(command string, env func(string) string) {
	command = cmp.Or(env("GIT_SSH_COMMAND"), command)
	if program := env("GIT_SSH"); program != "" && env("GIT_SSH_COMMAND") == "" {
		command = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	}
	command = cmp.Or(command, "ssh")
	if first, _, _ := strings.Cut(command, " "); strings.TrimSuffix(filepath.Base(first), ".exe") == "ssh" {
		command += " -o BatchMode=yes"
	}
	r.env = append(r.env, "GIT_SSH_COMMAND="+command)
}

// Has reports whether a remote has a URL.
func (r *Remote) Has(name string) bool { return r.url(name) != "" }

// Pushed returns the name or URL of the remote that pushes to the named remote go to.
func (r *Remote) Pushed(ctx context.Context, dir, name string) string {
	if !r.split {
		return name
	}
	out, err := Output(ctx, dir, "remote", "get-url", "--push", name)
	to := strings.TrimSpace(out)
	if err != nil || to == "" || to == r.url(name) {
		return name
	}
	r.urls["remote."+to+".url"] = to
	return to
}

func (r *Remote) url(name string) string { return r.urls["remote."+name+".url"] }

// Inside returns the push URL of a remote if it is a directory in the working tree or the
// repository around dir, because the hooks there came with the repository. Otherwise it returns "".
func Inside(ctx context.Context, dir, remote string) (string, error) {
	out, err := Output(ctx, dir, "remote", "get-url", "--push", "--all", remote)
	if err != nil {
		return "", err
	}
	at := FindDirectories(dir)
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		path, ok := localPath(line)
		if !ok {
			continue
		}
		path = absolute(at.Top, path)
		if physical, err := filepath.EvalSymlinks(path); err == nil {
			path = physical
		}
		for _, dir := range []string{at.Top, at.Shared} {
			if physical, err := filepath.EvalSymlinks(dir); err == nil {
				dir = physical
			}
			if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
				return line, nil
			}
		}
	}
	return "", nil
}

// absolute returns a path, joined to a directory if it is relative.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// localPath returns the local directory that a URL names, as git interprets it.
func localPath(remote string) (path string, ok bool) {
	if rest, ok := strings.CutPrefix(remote, "file://"); ok {
		path, err := url.PathUnescape(rest)
		return filepath.FromSlash(path), err == nil
	}
	host, _, colon := strings.Cut(remote, ":")
	return filepath.FromSlash(remote), !colon || strings.Contains(host, "/") || filepath.VolumeName(remote) != ""
}
