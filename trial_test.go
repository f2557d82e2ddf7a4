package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A trial is one write by the terminal door in a project with one note and one in
// the trash, in which something goes wrong.
type trial struct {
	p         place
	verb      string
	old, gone string            // ids
	texts     map[string]string // of the files, by what they are
}

// trials are the verbs of a trial, each with what lies where before and after it.
var trials = map[string]struct {
	send  []string
	after []string
}{
	"create": {[]string{"write", "--title", "New", "new text"}, []string{"notes/new notes/old trash/gone"}},
	"edit":   {[]string{"edit", "OLD", "--body", "new text"}, []string{"notes/edited trash/gone"}},
	"remove": {[]string{"remove", "OLD"}, []string{"trash/gone trash/old"}},
	// A link that is back may stay in the trash as well.
	"restore": {[]string{"remove", "GONE", "--restore"}, []string{"notes/gone notes/old", "notes/gone notes/old trash/gone"}},
}

const untried = "notes/old trash/gone"

// newTrial furnishes a project in an empty directory, by running Blue.
func newTrial(t testing.TB, p place) trial {
	t.Helper()
	tr := trial{p: p, texts: map[string]string{}}
	p.run(t, "init")
	id := func(title string) string {
		p.run(t, "write", "--title", title, "old text of "+title)
		names := p.notes(t)
		data, err := os.ReadFile(names[0])
		must(t, err)
		tr.texts[strings.ToLower(title)] = string(data)
		return strings.TrimSuffix(filepath.Base(names[0]), ".md")
	}
	tr.gone = id("Gone")
	p.run(t, "remove", tr.gone)
	tr.old = id("Old")
	tr.texts["edited"] = strings.Replace(tr.texts["old"], "old text of Old", "new text", 1)
	return tr
}

// again is the same project elsewhere, with a verb to try.
func (tr trial) again(t testing.TB, verb string, p place) trial {
	t.Helper()
	must(t, os.MkdirAll(p.project, 0o755))
	must(t, os.CopyFS(filepath.Join(p.project, ".blue"), os.DirFS(filepath.Join(tr.p.project, ".blue"))))
	tr.p, tr.verb = p, verb
	return tr
}

// command is the command line of the trial.
func (tr trial) command(t testing.TB) *exec.Cmd {
	args := append(slices.Clone(trials[tr.verb].send), "--json")
	for i := range args {
		args[i] = strings.NewReplacer("OLD", tr.old, "GONE", tr.gone).Replace(args[i])
	}
	return tr.p.command(t, args...)
}

var isNew = regexp.MustCompile(`^---\ntype: note\ntitle: New\ncreated: \S+\nstatus: active\n---\n\nnew text\n$`)

// shape says what lies where, byte for byte; what is torn is "torn".
func (tr trial) shape(t testing.TB) string {
	t.Helper()
	var all []string
	for _, dir := range []string{"notes", "trash"} {
		names, err := filepath.Glob(filepath.Join(tr.p.project, ".blue", dir, "[^.]*"))
		must(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			must(t, err)
			what := "torn"
			if isNew.Match(data) {
				what = "new"
			}
			for known, text := range tr.texts {
				if text == string(data) {
					what = known
				}
			}
			all = append(all, dir+"/"+what)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// outcome is what Blue said of a trial.
type outcome struct {
	killed  bool
	code    int // -1 when it was killed
	Error   string
	Durable bool
	log     string
}

// try runs the trial's command, under strace perhaps.
func try(c *exec.Cmd) (o outcome) {
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	_ = c.Run() // as the outcome says
	o.killed, o.code, o.log = !c.ProcessState.Exited(), c.ProcessState.ExitCode(), log.String()
	_ = json.Unmarshal(append(out.Bytes(), log.Bytes()...), &o)
	return o
}

// judge compares what Blue said with what is there: half a note, a fault that was
// not reported, a former text that is nowhere. It leaves no temporary file behind,
// unless it was killed.
func (tr trial) judge(t testing.TB, o outcome) (wrong []string) {
	t.Helper()
	shape := tr.shape(t)
	done := slices.Contains(trials[tr.verb].after, shape)
	if o.code == 0 && !done || o.Error == "disk" && shape != untried || !done && shape != untried {
		wrong = append(wrong, "there is "+shape)
	}
	if strings.Contains(shape, "edited") {
		if data, err := former(tr.p.project, tr.old, revisionOf([]byte(tr.texts["old"]))); err != nil || string(data) != tr.texts["old"] {
			wrong = append(wrong, "the former text is not in the history")
		}
	}
	if names := tr.p.temporary(t); !o.killed && len(names) > 0 {
		wrong = append(wrong, "temporary files: "+strings.Join(names, " "))
	}
	return wrong
}

// temporary are the temporary files of a place.
func (p place) temporary(t testing.TB) (names []string) {
	t.Helper()
	for _, pattern := range []string{"", "*", "*/*"} {
		some, err := filepath.Glob(filepath.Join(p.project, ".blue", pattern, ".tmp-*"))
		must(t, err)
		names = append(names, some...)
	}
	return names
}

// restores brings the former text back, as a person would after a crash, and
// reports whether that worked.
func (tr trial) restores(t testing.TB) bool {
	t.Helper()
	revision := revisionOf([]byte(tr.texts["old"]))
	if !strings.Contains(tr.shape(t), "edited") {
		return strings.Contains(tr.p.run(t, "list"), tr.old) || strings.Contains(tr.shape(t), "trash/old")
	}
	listed := strings.Contains(tr.p.run(t, "history", tr.old), revision)
	tr.p.run(t, "restore", tr.old, revision)
	return listed && strings.Contains(tr.shape(t), "notes/old")
}
