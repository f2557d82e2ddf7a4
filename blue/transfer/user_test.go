package transfer_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// user is somebody with a home directory, who opens projects.
type user struct {
	home string
	log  strings.Builder // everything that Blue logged
}

func newUser(t testing.TB) *user {
	t.Helper()
	return &user{home: physical(t)}
}

func physical(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

// blue is a process that this user starts.
func (u *user) blue(t testing.TB) *blue.Blue {
	t.Helper()
	b := blue.New(blue.Options{
		Home: u.home, Cache: filepath.Join(u.home, "cache"), State: filepath.Join(u.home, "state"), Config: filepath.Join(u.home, "config"),
		User: "tester", Env: func(string) string { return "" }, Now: time.Now, // compared with the times of files
		Log: slog.New(slog.NewTextHandler(&u.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// open opens the project in a directory in a process of its own.
func (u *user) open(t testing.TB, dir string) *blue.Project {
	t.Helper()
	p, err := u.blue(t).Open(t.Context(), at(dir))
	must(t, err)
	return p
}

func at(dir string) blue.Call {
	return blue.Call{Cwd: dir, From: func(yield func(marker.Candidate) bool) {
		yield(marker.Candidate{Source: marker.Argument, Value: dir})
	}}
}

// project makes an empty project.
func (u *user) project(t testing.TB) (dir string) {
	t.Helper()
	dir = physical(t)
	_, err := u.blue(t).Init(t.Context(), blue.NewProject{Dir: dir, Name: "shop"})
	must(t, err)
	return dir
}

// put writes a file of a project as another program would.
func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isKind(t testing.TB, err error, kind errors.Kind, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: got %v, want an error of kind %s", what, err, kind)
	}
}

// tree is everything below a directory: names, modes, times, contents. The lock
// alone may change by a call that refuses.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".lock" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", path, info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %d %q", info.ModTime().UnixNano(), data)
		}
		b.WriteString("\n")
		return nil
	}))
	return b.String()
}
