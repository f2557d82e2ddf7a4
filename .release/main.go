// Command release builds what is published of Blue: an archive and an SBOM for each system, the
// bundle for Claude Desktop, packages for npm, the plugin for coding agents, server.json for the
// MCP registry, the Homebrew formula, install.sh, and the checksums of all of them. The same commit
// gives the same bytes, wherever and whenever it is built by the same version of Go. .ci/release
// runs it.
//
//	go run ./.release -out dist                     builds the current commit
//	go run ./.release -schema SCHEMA.json FILE...   validates JSON files against a schema
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"blue/blue/setup"
)

// limit is the maximum size of a binary in bytes.
const limit = 26_000_000

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := release{version: setup.Version}
	flag.StringVar(&r.owner, "owner", "OWNER", "the `NAME` at GitHub that publishes")
	flag.StringVar(&r.out, "out", "dist", "an empty or new `DIR` for what is built")
	schema := flag.String("schema", "", "only hold the files named against this JSON `SCHEMA`")
	flag.Parse()
	run := r.run
	if *schema != "" {
		run = func(context.Context) error { return validate(*schema, flag.Args()) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is the state of one release.
type release struct {
	version, owner, out string
	src                 string // a clean checkout of the commit
	licenses            map[string]string
}

// target is a system to build for.
type target struct{ os, arch string }

func (t target) program() string {
	if t.os == "windows" {
		return "blue.exe"
	}
	return "blue"
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (r *release) run(ctx context.Context) error {
	if kept, _ := os.ReadDir(r.out); len(kept) > 0 {
		return fmt.Errorf("%s is not empty", r.out)
	}
	tmp, err := os.MkdirTemp("", "blue-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	r.src = filepath.Join(tmp, "blue")
	if err := r.checkout(ctx); err != nil {
		return err
	}
	if r.licenses, err = licenses(filepath.Join(r.src, ".release", "licenses.txt")); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	binaries := map[target]string{}
	for _, t := range targets {
		binaries[t] = filepath.Join(tmp, t.os+"-"+t.arch, t.program())
		if err := r.publish(ctx, t, binaries[t]); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	if err := r.bundle(ctx, binaries); err != nil {
		return err
	}
	if err := r.npm(ctx, binaries); err != nil {
		return err
	}
	if err := r.plugin(ctx, binaries[target{runtime.GOOS, runtime.GOARCH}], filepath.Join(tmp, "plugin")); err != nil {
		return err
	}
	for _, write := range []func() error{r.registry, r.installer("blue.rb"), r.installer("install.sh"), r.checksums} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// publish builds one binary and writes its archive and its SBOM.
func (r *release) publish(ctx context.Context, t target, binary string) error {
	if err := r.build(ctx, t, binary); err != nil {
		return err
	}
	notices, err := r.notices(ctx, binary)
	if err != nil {
		return err
	}
	readme, err := r.filled("README.md")
	if err != nil {
		return err
	}
	files := []file{{name: "README.md", data: readme}, {name: t.program(), path: binary, mode: 0o755}, {name: "THIRD_PARTY_LICENSES", data: notices}}
	for _, name := range []string{"CHANGELOG.md", "LICENSE"} {
		files = append(files, file{name: name, path: filepath.Join(r.src, name)})
	}
	if err := r.archive(t, files); err != nil {
		return err
	}
	return r.sbom(t, binary)
}

// base returns the name of a target's files without extension.
func (r *release) base(t target) string {
	return strings.Join([]string{"blue", r.version, t.os, t.arch}, "_")
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}
