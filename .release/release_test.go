package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"blue/blue/setup"
)

// build builds the program of this tree for this system, and as the binary of all others one that
// does nothing and is small.
func build(t *testing.T) map[target]string {
	t.Helper()
	dir := t.TempDir()
	nothing, small, blue := filepath.Join(dir, "nothing.go"), filepath.Join(dir, "small"), filepath.Join(dir, "blue")
	if err := os.WriteFile(nothing, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for source, binary := range map[string]string{nothing: small, "..": blue} {
		c := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, source)
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	all := map[target]string{}
	for _, t := range targets {
		all[t] = small
	}
	all[target{runtime.GOOS, runtime.GOARCH}] = blue
	return all
}

// run runs a program in a directory with a home directory of its own, and returns what it says.
func run(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Stdin = dir, strings.NewReader(stdin)
	c.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "npm_config_offline=true", "npm_config_update_notifier=false"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// A commit is released whose tags name the version of the program, or that has none yet.
func TestTagOfAnotherVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ tag, says string }{{"", ""}, {"v9.9.9", "has the tag v9.9.9, but the version in blue/setup/build.go is " + setup.Version}, {"v" + setup.Version, ""}} {
		if c.tag == "" {
			run(t, ".", "", "git", "init", "--quiet")
			run(t, ".", "", "git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--allow-empty", "--message=One")
		} else {
			run(t, ".", "", "git", "tag", c.tag)
		}
		r := release{version: setup.Version, src: filepath.Join(t.TempDir(), "blue")}
		if err := r.checkout(t.Context()); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.tag, err)
		}
	}
}

// The packages for npm have the same bytes each time, can be packed again, and are installed
// without a network; npx runs the program with its streams and its exit code.
func TestNpm(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("SKIPPED: npm: %v", err)
	}
	first := release{version: "1.2.3", owner: "ann", src: "..", out: t.TempDir()}
	again := release{version: "1.2.3", owner: "ann", src: "..", out: t.TempDir()}
	binaries := build(t)
	for _, r := range []release{first, again} {
		if err := r.npm(t.Context(), binaries); err != nil {
			t.Fatal(err)
		}
	}
	built, _ := filepath.Glob(filepath.Join(first.out, "*.tgz"))
	if len(built) != 1+len(targets) {
		t.Fatal(built)
	}
	for _, path := range built {
		one, _ := os.ReadFile(path)
		two, _ := os.ReadFile(filepath.Join(again.out, filepath.Base(path)))
		if !bytes.Equal(one, two) {
			t.Errorf("%s has other bytes the second time", filepath.Base(path))
		}
	}

	name := "blue-notes-" + strings.NewReplacer("windows", "win32", "amd64", "x64").Replace(runtime.GOOS+"-"+runtime.GOARCH) + "-1.2.3.tgz"
	packed := t.TempDir()
	for _, archive := range []string{"blue-notes-1.2.3.tgz", name} {
		dir := t.TempDir()
		run(t, dir, "", "tar", "-xzf", filepath.Join(first.out, archive))
		if said := run(t, packed, "", "npm", "pack", "--silent", filepath.Join(dir, "package")); strings.TrimSpace(said) != archive {
			t.Errorf("npm pack makes %q of %s", said, archive)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "package", "README.md")); err == nil && (strings.Contains(string(text), "OWNER") || !strings.Contains(string(text), "github.com/ann/blue")) {
			t.Errorf("the lines of README are not those of the publisher: %s", text)
		}
	}
	empty := t.TempDir()
	run(t, empty, "", "npm", "install", "--no-audit", "--no-fund", filepath.Join(packed, "blue-notes-1.2.3.tgz"), filepath.Join(packed, name))
	if said := run(t, empty, "", "npx", "blue-notes", "init"); !strings.Contains(said, "Initialized "+empty) {
		t.Error(said)
	}
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
	if said := run(t, empty, initialize, "npx", "blue-notes", "mcp"); !strings.Contains(said, `"serverInfo"`) {
		t.Error(said)
	}
	c := exec.Command(filepath.Join(empty, "node_modules", ".bin", "blue"), "read", "nothing")
	c.Dir = empty
	if err := c.Run(); c.ProcessState.ExitCode() != 3 {
		t.Errorf("exit code %d, %v", c.ProcessState.ExitCode(), err)
	}

	alone := t.TempDir() // as with --omit=optional
	run(t, alone, "", "npm", "install", "--no-audit", "--no-fund", "--omit=optional", filepath.Join(packed, "blue-notes-1.2.3.tgz"))
	c = exec.Command(filepath.Join(alone, "node_modules", ".bin", "blue"), "version")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "is not installed") {
		t.Errorf("%v: %s", err, out)
	}
}

// Run by npx, init says what is in its way, and leaves it.
func TestNpxFails(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("SKIPPED: node: %v", err)
	}
	dir, program := t.TempDir(), target{runtime.GOOS, runtime.GOARCH}.program()
	script, err := os.ReadFile("npm.js")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("windows", "win32", "amd64", "x64")
	for name, text := range map[string]string{
		"_npx/node_modules/blue-notes/blue.js": string(script),
		"_npx/node_modules/blue-notes-" + names.Replace(runtime.GOOS+"-"+runtime.GOARCH) + "/bin/" + program: "new",
		"file":             "",
		"other/" + program: "another program",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for bin, says := range map[string]string{"file/bin": "could not be written: ", "other": program + " is another program"} {
		command := exec.Command("node", filepath.Join(dir, "_npx", "node_modules", "blue-notes", "blue.js"), "init")
		command.Env = append(os.Environ(), "BLUE_BIN="+filepath.Join(dir, filepath.FromSlash(bin)))
		if out, err := command.CombinedOutput(); command.ProcessState.ExitCode() != 1 || !strings.HasPrefix(string(out), "blue: ") || !strings.Contains(string(out), says) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v: %s", bin, err, out)
		}
	}
}

// install.sh says what is in its way, and leaves nothing of its own.
func TestInstallFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: install.sh is for Linux and macOS")
	}
	r := offer(t)
	script, err := os.ReadFile(filepath.Join(r.out, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	full := t.TempDir() // a cp that writes a part and then finds the disk full
	if err := os.WriteFile(filepath.Join(full, "cp"), []byte("#!/bin/sh\necho part >\"$2\"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, says string }{
		"a directory": {"", "/blue is a directory; nothing was installed"},
		"a full disk": {full + ":", "could not be written; nothing was installed"},
	} {
		bin := t.TempDir()
		if name == "a directory" {
			if err := os.Mkdir(filepath.Join(bin, "blue"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		before, _ := os.ReadDir(bin)
		command := exec.Command("/bin/sh")
		command.Stdin = bytes.NewReader(script)
		command.Env = []string{"HOME=" + t.TempDir(), "PATH=" + c.path + os.Getenv("PATH"), "BLUE_BIN=" + bin, "BLUE_URL=file://" + r.out, "TMPDIR=" + t.TempDir()}
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		if left, _ := os.ReadDir(bin); len(left) != len(before) {
			t.Errorf("%s: left behind: %v", name, left)
		}
		if inside, _ := os.ReadDir(filepath.Join(bin, "blue")); len(inside) > 0 {
			t.Errorf("%s: installed inside: %v", name, inside)
		}
	}
}

// offer makes a release with archives of a program that only says its version, and install.sh.
func offer(t *testing.T) release {
	t.Helper()
	r := release{version: "1.2.3", owner: "OWNER", src: "..", out: t.TempDir()}
	for _, system := range targets {
		err := r.archive(system, []file{{name: system.program(), data: []byte("#!/bin/sh\necho version 1.2.3\n"), mode: 0o755}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.installer("install.sh")(); err != nil {
		t.Fatal(err)
	}
	return r
}

// install.sh installs what has the checksum that it knows, over what was there; it refuses
// anything else, and then leaves what was there.
func TestInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: install.sh is for Linux and macOS")
	}
	r := offer(t)
	script, _ := os.ReadFile(filepath.Join(r.out, "install.sh"))
	if regexp.MustCompile(`SHA256\(|VERSION`).Match(script) {
		t.Errorf("install.sh has placeholders left:\n%s", script)
	}
	tools := t.TempDir() // without anything that makes checksums
	for _, tool := range []string{"cat", "chmod", "cp", "curl", "cut", "gzip", "mkdir", "mktemp", "mv", "rm", "sh", "tar", "uname"} {
		if path, err := exec.LookPath(tool); err == nil {
			_ = os.Symlink(path, filepath.Join(tools, tool))
		}
	}
	serve := func(change func(w http.ResponseWriter, archive []byte)) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			archive, err := os.ReadFile(filepath.Join(r.out, filepath.Base(q.URL.Path)))
			if err != nil {
				http.NotFound(w, q)
				return
			}
			change(w, archive)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	whole := serve(func(w http.ResponseWriter, archive []byte) { _, _ = w.Write(archive) })
	for name, c := range map[string]struct{ url, path, script, says string }{
		"right":         {whole, "", "", "Installed "},
		"another blue":  {whole, "", "", "is another program"},
		"a local file":  {"file://" + r.out, "", "", "Installed "},
		"other bytes":   {serve(func(w http.ResponseWriter, archive []byte) { _, _ = w.Write(append(archive, 0)) }), "", "", "the checksum of "},
		"another file":  {serve(func(w http.ResponseWriter, _ []byte) { _, _ = io.WriteString(w, "<html>") }), "", "", "the checksum of "},
		"cut off short": {serve(func(w http.ResponseWriter, archive []byte) { _, _ = w.Write(archive[:50]) }), "", "", "the checksum of "},
		"cut off": {serve(func(w http.ResponseWriter, archive []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
			_, _ = w.Write(archive[:50])
		}), "", "", "could not be downloaded"},
		"nothing there":    {serve(func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusNotFound) }), "", "", "could not be downloaded"},
		"no checksum tool": {whole, tools, "", "there is no sha256sum, shasum or openssl"},
		"half a script":    {whole, "", string(script[:len(script)/2]), ""},
	} {
		t.Run(name, func(t *testing.T) {
			bin, shell := t.TempDir(), string(script)
			if c.script != "" {
				shell = c.script
			}
			before := []byte("#!/bin/sh\necho blue 0.9.0\n")
			if c.says == "is another program" {
				before = []byte("what was there")
			}
			if err := os.WriteFile(filepath.Join(bin, "blue"), before, 0o755); err != nil {
				t.Fatal(err)
			}
			path := c.path
			if path == "" {
				path = os.Getenv("PATH")
			}
			command := exec.Command("/bin/sh")
			command.Stdin = strings.NewReader(shell) // as with curl … | sh
			command.Env = []string{"HOME=" + t.TempDir(), "PATH=" + path, "BLUE_BIN=" + bin, "BLUE_URL=" + c.url, "TMPDIR=" + t.TempDir()}
			out, err := command.CombinedOutput()
			if !strings.Contains(string(out), c.says) {
				t.Errorf("%v: %s", err, out)
			}
			kept, _ := os.ReadFile(filepath.Join(bin, "blue"))
			installed := strings.HasPrefix(c.says, "Installed")
			if installed != (err == nil) && c.script == "" || installed == bytes.Equal(kept, before) {
				t.Errorf("%v: %s; there is now %q", err, out, kept)
			}
			left, _ := os.ReadDir(bin)
			if len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
			if said, err := exec.Command(filepath.Join(bin, "blue")).Output(); installed && string(said) != "version 1.2.3\n" {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
}
