package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"blue/blue/internal/trust"
	"blue/errors"
	"blue/fixtures"
)

func TestTrustIsOfTheDirectoryNotOfItsName(t *testing.T) {
	config, root := filepath.Join(t.TempDir(), "blue"), directory(t, "p")
	running := trust.OpenList(config)
	if running.Opens(root) {
		t.Fatal("trusted before it was added")
	}
	if err := trust.OpenList(config).Add(root, ""); err != nil {
		t.Fatal(err)
	}
	if !running.Opens(root) {
		t.Error("a running server does not see what was added")
	}
	if running.Opens(filepath.Dir(root)) || running.Opens(filepath.Join(root, ".blue")) {
		t.Error("trust spreads to other directories")
	}
	if err := os.Rename(root, root+"-old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if running.Opens(root) || running.Opens(root+"-old") {
		t.Error("trusted after the directory was replaced or renamed")
	}
	if err := running.Add(root, ""); err != nil || !running.Opens(root) {
		t.Errorf("not trusted again: %v", err)
	}
	if n := strings.Count(read(t, config), "\n"); n != 1 {
		t.Errorf("the entry that was replaced is kept: %d lines", n)
	}
}

func TestEverything(t *testing.T) {
	config := t.TempDir()
	l := trust.OpenList(config)
	if err := l.Add("*", ""); err != nil {
		t.Fatal(err)
	}
	if !l.Opens(t.TempDir()) || read(t, config) != "*\n" {
		t.Errorf("* does not trust everything: %q", read(t, config))
	}
}

func TestAddKeepsOtherLinesAndIsPrivate(t *testing.T) {
	config := t.TempDir()
	old := fmt.Sprintf("# containers\n\n1:2 \"\" %q\n*", fixtures.Abs("/gone"))
	write(t, config, old, 0o644)
	l, root := trust.OpenList(config), directory(t, "äö \"q\"\nline")
	for range 2 {
		if err := l.Add(root, ""); err != nil {
			t.Fatal(err)
		}
	}
	text := read(t, config)
	if added, ok := strings.CutPrefix(text, old+"\n"); !ok || strings.Count(added, "\n") != 1 {
		t.Errorf("other lines are changed, or one is added twice: %q", text)
	}
	info, err := os.Stat(filepath.Join(config, "trust"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(config); len(entries) != 2 {
		t.Errorf("%d files are left, not the list and its lock", len(entries))
	}
	write(t, config, strings.Replace(text, "*\n", "", 1), 0o600)
	if !l.Opens(root) {
		t.Error("a path with quotes and newlines is not read back")
	}
}

func TestAddFollowsALinkToTheList(t *testing.T) {
	config, elsewhere := t.TempDir(), t.TempDir()
	write(t, elsewhere, "# dotfiles\n", 0o600)
	if err := os.Symlink(filepath.Join(elsewhere, "trust"), filepath.Join(config, "trust")); err != nil {
		t.Skip("SKIPPED: no symbolic links here")
	}
	root := directory(t, "p")
	if err := trust.OpenList(config).Add(root, ""); err != nil || !trust.OpenList(elsewhere).Opens(root) {
		t.Errorf("the file behind the link was not written: %v", err)
	}
}

func TestDamagedListIsEmptyAndSaid(t *testing.T) {
	for name, text := range map[string]string{
		"words":         "/home/me/p\n",
		"not quoted":    "1:2 /p\n",
		"cut off":       "1:2 \"\" \"/p",
		"more after it": "1:2 \"\" \"/p\" 3\n",
		"relative":      "1:2 \"\" \"p\"\n",
		"binary":        "\x00\x01\n",
		"one of two":    "*\n1:2 x \"/p\"\n",
		"too long":      "*\n" + strings.Repeat("# padding\n", 1<<17),
	} {
		config := t.TempDir()
		write(t, config, text, 0o600)
		l, root := trust.OpenList(config), directory(t, "p")
		if l.Opens(root) || !strings.Contains(l.Warning(), "not used") {
			t.Errorf("%s: used, warning %q", name, l.Warning())
		}
		if err := l.Add(root, ""); !errors.Is(err, errors.Invalid) || read(t, config) != text {
			t.Errorf("%s: %v; a damaged list must stay as it is", name, err)
		} else if file := filepath.Join(config, "trust"); !strings.Contains(err.Error(), file) || !strings.Contains(l.Warning(), file) {
			t.Errorf("%s: neither %q nor %q may leave out the file", name, err, l.Warning())
		}
		write(t, config, "*\n# mended\n", 0o600)
		if !l.Opens(root) || l.Warning() != "" {
			t.Errorf("%s: not used after it was mended: %q", name, l.Warning())
		}
	}
}

func TestListThatOthersCanWriteIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: modes mean nothing on Windows")
	}
	config := t.TempDir()
	write(t, config, "*\n", 0o666)
	if l := trust.OpenList(config); l.Opens(config) || l.Warning() == "" {
		t.Errorf("used; warning %q", l.Warning())
	}
	config = t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "trust"), 0o700); err != nil {
		t.Fatal(err)
	}
	if l := trust.OpenList(config); l.Opens(config) || l.Warning() == "" {
		t.Errorf("a directory is used as the list; warning %q", l.Warning())
	}
}

func TestAddRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	config := t.TempDir()
	for _, dir := range []string{"", ".", "p/q", file, filepath.Join(config, "missing")} {
		if err := trust.OpenList(config).Add(dir, ""); !errors.Is(err, errors.BadPath) {
			t.Errorf("%q: %v", dir, err)
		}
	}
	want := errors.Invalid
	if runtime.GOOS == "windows" {
		want = errors.Disk // what lies below a file is not there
	}
	if err := trust.OpenList(file).Add(config, ""); !errors.Is(err, want) {
		t.Errorf("a list that cannot be read: %v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(config, "a", "b"), nowhere); err == nil {
		if err := trust.OpenList(nowhere).Add(config, ""); !errors.Is(err, errors.Disk) {
			t.Errorf("a list that cannot be saved: %v", err)
		}
	}
	if entries, _ := os.ReadDir(config); len(entries) != 0 {
		t.Error("a refused Add wrote something")
	}
}

// Trust is of the project's id and of the very directory; another one that gets its
// path, or its id, is asked anew.
func TestTrustIsOfIdAndDirectory(t *testing.T) {
	state, root := t.TempDir(), directory(t, "p")
	l := trust.OpenList(state)
	for _, id := range []string{"one", "another"} {
		if err := l.Add(root, id); err != nil || !l.Trusts(id, root) {
			t.Fatalf("%s: %v", id, err)
		}
	}
	copied := directory(t, "p")
	if l.Trusts("third", root) || l.Trusts("", root) || l.Trusts("one", copied) || l.Opens(root) {
		t.Error("trust spreads to other ids, directories, or to what others may write")
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	for range 50 { // one of them is given the inode again
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if l.Trusts("one", root) {
			t.Error("another directory at the same path is trusted")
		}
		_ = os.Remove(root)
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(root, "one"); err != nil || l.Trusts("another", root) || strings.Count(read(t, state), "\n") != 1 {
		t.Errorf("%v: the lines of a directory that is gone stay: %q", err, read(t, state))
	}
	for _, want := range []bool{true, false} {
		if removed, err := l.Remove(root); err != nil || removed != want || l.Trusts("one", root) {
			t.Errorf("removed %v, %v", removed, err)
		}
	}
}

// Two processes that trust a project at once keep both.
func TestListIsLocked(t *testing.T) {
	state, all := t.TempDir(), sync.WaitGroup{}
	for n := range 8 {
		root := directory(t, "p")
		all.Go(func() {
			if err := trust.OpenList(state).Add(root, fmt.Sprint(n)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(read(t, state), "\n"); n != 8 {
		t.Errorf("%d of 8 entries are kept", n)
	}
}

// directory makes a directory of the name and returns its physical path.
func directory(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		name = "p"
	}
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, config, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(config, "trust")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, config string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(config, "trust"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
