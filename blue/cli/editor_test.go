package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue"
)

// editing is a project with one note, and an editor that runs a line of shell on the
// file it is given.
func editing(t *testing.T, note, script string) (p *place, file string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the editor of this test is a shell script")
	}
	p = newPlace(t, map[string]string{"n-aaaa": note})
	editor := filepath.Join(t.TempDir(), "editor")
	must(t, os.WriteFile(editor, []byte(script+"\n"), 0o644))
	top := filepath.Dir(p.dir)
	p.b = blue.New(blue.Options{Home: top, Cache: filepath.Join(top, "cache"), State: filepath.Join(top, "state"), Config: filepath.Join(top, "config"),
		Env: func(name string) string { return map[string]string{"EDITOR": "sh " + editor}[name] }})
	t.Cleanup(func() { _ = p.b.Close() })
	return p, filepath.Join(p.dir, ".blue", "notes", "n-aaaa.md")
}

// TestEditorKeepsBytes: what a person leaves as the editor shows it keeps its bytes,
// hidden characters, line ends and all.
func TestEditorKeepsBytes(t *testing.T) {
	t.Parallel()
	const head = "---\ntitle: T\n---\n\n"
	for name, row := range map[string]struct{ before, script, after string }{
		"unchanged":           {head + "a\u200bb\n\xff\n\x1b[31m\r\nend", "cat $1 >/dev/null", head + "a\u200bb\n\xff\n\x1b[31m\r\nend"},
		"written as it was":   {head + "a\u200bb\n\nend\n\n\n", "cat $1 >$1.x; mv $1.x $1", head + "a\u200bb\n\nend\n\n\n"},
		"a line end at last":  {head + "a\u200bb\nend", "echo >>$1", head + "a\u200bb\nend"},
		"line ends taken out": {head + "a\r\nb\nc\r\n", `tr -d '\r' <$1 >$1.x; mv $1.x $1`, head + "a\r\nb\nc\r\n"},
		"another line":        {head + "a\u200bb\nfix me\n\xffz\n", "sed s/fix/fixed/ $1 >$1.x; mv $1.x $1", head + "a\u200bb\nfixed me\n\xffz\n"},
		"line added":          {head + "a\u200bb\nend", "echo more >>$1", head + "a\u200bb\nendmore\n"},
		"line below the last": {head + "a\u200bb\nend", "printf '\\nmore\\n' >>$1", head + "a\u200bb\nend\nmore\n"},
		"lines moved":         {head + "a\u200bb\nc\n", "head -n 4 $1 >$1.x; tail -n +5 $1 | sort -r >>$1.x; mv $1.x $1", head + "c\na\u200bb\n"},
		"character taken out": {head + "a\u200bb\nc\n", `sed 's/.u{200B}//' $1 >$1.x; mv $1.x $1`, head + "ab\nc\n"},
		"spelled by a person": {head + "a\nc\n", `echo 'say \u{200B}' >>$1`, head + "a\nc\nsay \\u{200B}\n"},
		"spelled beside it":   {head + "a\u200bb\nc\n", `echo 'say \u{202E}' >>$1`, head + "a\u200bb\nc\nsay \\u{202E}\n"},
		"CRLF added to":       {"---\r\ntitle: T\r\n---\r\n\r\na\r\n", "echo b >>$1", "---\r\ntitle: T\r\n---\r\n\r\na\r\nb\r\n"},
		"no body yet":         {"---\ntitle: T\n---", "echo b >>$1", "---\ntitle: T\n---\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, file := editing(t, row.before, row.script)
			out, code := p.run("edit", "n-aaaa")
			data, err := os.ReadFile(file)
			if code != 0 || err != nil || string(data) != row.after {
				t.Errorf("exit %d, %v: %q instead of %q\n%s", code, err, data, row.after, out)
			}
			if unchanged := strings.HasPrefix(out, "Unchanged"); unchanged != (row.before == row.after) {
				t.Error(out)
			}
		})
	}
}

// TestEditorKeepsTheText: what was typed and is not taken stays in its file.
func TestEditorKeepsTheText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, script string
		code           int
		kept           string // empty when nothing was typed
	}{
		"a hidden character in a changed line": {"fix a\u200bb\n", "sed s/fix/fixed/ $1 >$1.x; mv $1.x $1", 6, "fixed a\\u{200B}b\n"},
		"changed meanwhile":                    {"a\n", "echo mine >>$1; echo theirs >NOTE", 5, "a\nmine\n"},
		"the editor fails":                     {"a\n", "echo mine >>$1; exit 1", 2, "a\nmine\n"},
		"the editor is left":                   {"a\n", "exit 1", 2, ""},
		"nothing is left":                      {"a\n", ": >$1", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, file := editing(t, row.before, "true")
			script := strings.ReplaceAll(row.script, "NOTE", file)
			must(t, os.WriteFile(strings.TrimPrefix(p.b.Env("EDITOR"), "sh "), []byte(script+"\n"), 0o644))
			out, code := p.run("edit", "n-aaaa")
			if code != row.code {
				t.Errorf("exit %d: %s", code, out)
			}
			_, path, named := strings.Cut(out, "your text is kept in ")
			path, _, _ = strings.Cut(path, "\n")
			if named != (row.kept != "") {
				t.Fatal(out)
			}
			if named {
				defer os.Remove(path)
				if data, err := os.ReadFile(path); err != nil || string(data) != row.kept {
					t.Errorf("%v: %q", err, data)
				}
			}
		})
	}
}

// TestWriteInTheEditor: without text on a terminal the editor opens.
func TestWriteInTheEditor(t *testing.T) {
	t.Parallel()
	p, _ := editing(t, "a\n", "echo Typed >>$1")
	p.std.Typed = true
	if out, code := p.run("write"); code != 0 || !strings.HasPrefix(out, "Wrote typed-") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestKeepsEditing: what puts text above the front matter, or breaks it, is refused with the line, and the
// person may go on with it or leave it.
func TestKeepsEditing(t *testing.T) {
	t.Parallel()
	const before = "---\ntitle: T\ntype: note\nstatus: active\n---\n\na\n"
	for name, row := range map[string]struct {
		script, typed, says, after string
		code                       int
	}{
		"above it":      {"if grep -q '^Above' $1; then sed 1d $1 >$1.x; else { echo Above; cat $1; echo b; } >$1.x; fi; mv $1.x $1", "\n", "text stands above the front matter of \"n-aaaa\", which begins on line 2\n", before + "b\n", 0},
		"broken":        {"if grep -q '^title: \\[' $1; then sed 's/\\[//' $1 >$1.x; else sed 's/title: /title: [/' $1 >$1.x; fi; mv $1.x $1; echo b >>$1", "yes\n", "is broken: line 2: ", before + "b\nb\n", 0},
		"left":          {"{ echo Above; cat $1; } >$1.x; mv $1.x $1", "n\n", "your text is kept in ", before, 2},
		"few keys":      {"{ echo Above; sed '/^title/d' $1; } >$1.x; mv $1.x $1", "n\n", "begins on line 2\n", before, 2},
		"nothing typed": {"{ echo; cat $1; } >$1.x; mv $1.x $1", "", "begins on line 2\n", before, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, file := editing(t, before, row.script)
			typed, err := os.CreateTemp(t.TempDir(), "") // a file, which the editor can share as it does a terminal
			must(t, err)
			defer typed.Close()
			_, _ = typed.WriteString(row.typed)
			_, _ = typed.Seek(0, io.SeekStart)
			p.std.Typed, p.std.Watched, p.std.In = true, true, typed
			out, code := p.run("edit", "n-aaaa")
			data, err := os.ReadFile(file)
			if code != row.code || err != nil || string(data) != row.after || !strings.Contains(out, row.says) || !strings.Contains(out, "keep editing? [Y/n] ") {
				t.Errorf("exit %d, %v: %q\n%s", code, err, data, out)
			}
			if _, path, named := strings.Cut(out, "your text is kept in "); named {
				path, _, _ = strings.Cut(path, "\n")
				_ = os.Remove(path)
			}
		})
	}
}
