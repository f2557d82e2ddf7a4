package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// checkout clones the current commit, without uncommitted changes, and tags the clone, because
// Go stamps the version of the tag on the binary. It fails if the commit has a tag of another version.
func (r *release) checkout(ctx context.Context) error {
	const where = "blue/setup/build.go"
	tags, err := command(ctx, ".", "git", "tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return err
	}
	if tag := "v" + r.version; tags != "" && !slices.Contains(strings.Fields(tags), tag) {
		return fmt.Errorf("the commit has the tag %s, but the version in %s is %s: tag it %s, or change the version", strings.ReplaceAll(tags, "\n", " "), where, r.version, tag)
	}
	if _, err := command(ctx, ".", "git", "diff", "--quiet", "HEAD", "--", where); err != nil {
		return fmt.Errorf("%s, which holds the version, has changes that are not committed", where)
	}
	if changed, err := command(ctx, ".", "git", "status", "--porcelain"); err == nil && changed != "" {
		fmt.Fprintln(os.Stderr, "release: what is not committed is left out")
	}
	if _, err := command(ctx, ".", "git", "clone", "--quiet", "--no-tags", ".", r.src); err != nil {
		return err
	}
	_, err = command(ctx, r.src, "git", "tag", "--no-sign", "v"+r.version)
	return err
}

// build builds one binary. It fixes every setting that could differ between machines; -trimpath
// removes the paths.
func (r *release) build(ctx context.Context, t target, binary string) error {
	_, err := command(ctx, r.src, "env", "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-buildvcs=true", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
		"go", "build", "-trimpath", "-tags=nethttpomithttp2,nopgxregisterdefaulttypes", "-ldflags=-s -w", "-o", binary, ".")
	if err != nil {
		return err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	fmt.Printf("%9d %s/%s\n", info.Size(), t.os, t.arch)
	if info.Size() > limit {
		return fmt.Errorf("the binary has %d bytes, more than %d", info.Size(), limit)
	}
	return nil
}

// command runs a program in a directory and returns its output.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var failure bytes.Buffer
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, failure.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
