package notesync

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/fixtures"
	"blue/marker"
)

var (
	sceneSeed = flag.Uint64("scene-seed", 1, "the first seed of TestScenes")
)

// act is what a user has done on a machine, with what that machine certainly had before.
type act struct {
	machine, at int
	knows       []int // acts of each machine
}

func (a *act) knew(other *act) bool { return a.knows[other.machine] >= other.at }

// given is a word that a text has got.
type given struct {
	by   *act
	ends []end
}

// end is why a word need not be found.
type end struct {
	by      *act
	removed bool // with the note
}

// scene is a short random life of three machines with few notes, within this process.
type scene struct {
	t        testing.TB
	random   *rand.Rand
	machines []*machine
	knows    map[string][][]int // of each machine, by uid
	remote   map[string][]int
	words    int
	given    map[string]*given
	edits    map[string][]*act // by uid
	removals map[string][]*act
	past     map[string][]string // texts by machine and uid
	copies   []func()            // each sets the remote back
	server   *pretender          // nil with git
	forgot   bool                // a machine has lost its state
	setBack  bool                // the remote was set back
	log      []string
}

// find returns the note of a uid on a machine.
func (s *scene) find(m int, uid string) (name, text string) {
	for name, text := range s.machines[m].texts() {
		if strings.Contains(text, "uid: "+uid) && !strings.Contains(text, "conflict-with:") {
			return name, text
		}
	}
	return "", ""
}

func (s *scene) word() string {
	s.words++
	word := fmt.Sprintf("w%dx", s.words)
	s.given[word] = &given{}
	return word
}

// act is what a user does with a note of which the machine has a text.
func (s *scene) act(m int, uid, text, what string, args ...any) *act {
	if s.knows[uid] == nil {
		s.remote[uid] = make([]int, len(s.machines))
		for range s.machines {
			s.knows[uid] = append(s.knows[uid], make([]int, len(s.machines)))
		}
	}
	knows := s.knows[uid][m]
	for _, word := range wordsOf(text) {
		if by := s.given[word].by; by != nil {
			join(knows, by.knows)
		}
	}
	knows[m]++
	a := &act{machine: m, at: knows[m], knows: slices.Clone(knows)}
	s.log = append(s.log, fmt.Sprintf("m%d ", m)+fmt.Sprintf(what, args...))
	return a
}

// join adds to what is known what others know.
func join(knows, others []int) {
	for i := range knows {
		knows[i] = max(knows[i], others[i])
	}
}

func wordsOf(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("wx0123456789", r) }), func(word string) bool {
		return !strings.HasPrefix(word, "w") || !strings.HasSuffix(word, "x") || len(word) < 3
	})
}

// gone ends the words of a text that are not in another one.
func (s *scene) gone(by *act, text, stay string, removed bool) {
	for _, word := range wordsOf(text) {
		if !slices.Contains(wordsOf(stay), word) {
			s.given[word].ends = append(s.given[word].ends, end{by, removed})
		}
	}
}

// back makes the words of a text count again.
func (s *scene) back(by *act, text string) {
	for _, word := range wordsOf(text) {
		s.given[word].ends = slices.DeleteFunc(s.given[word].ends, func(e end) bool { return by.knew(e.by) })
	}
}

// add adds an edit of a note and says of which act its new words are.
func (s *scene) add(uid string, a *act, text string) {
	s.edits[uid] = append(s.edits[uid], a)
	for _, word := range wordsOf(text) {
		if s.given[word].by == nil {
			s.given[word].by = a
		}
	}
}

func (s *scene) edit(m int, uid, name, before, after, what string) *act {
	s.machines[m].change(func(h *store.Held) error {
		_, err := h.Replace(name, store.Revision([]byte(before)), []byte(after))
		return err
	})
	a := s.act(m, uid, before, "%s %s -> %v", what, name, wordsOf(after))
	s.add(uid, a, after)
	return a
}

// verbs are what happens at random, with how often.
var verbs = map[string]int{"sync": 25, "killed": 25, "write": 6, "restore": 6, "append": 4, "replace": 6, "undo": 8, "mv": 5, "resolve": 2, "theirs": 1, "remove": 12, "copy": 3, "back": 3, "clear": 1, "forget": 2}

// any does something.
func (s *scene) any() {
	m, uid := s.random.IntN(len(s.machines)), strings.Repeat(string("ab"[s.random.IntN(2)]), 26)
	n := 0
	for _, often := range verbs {
		n += often
	}
	n = s.random.IntN(n)
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		if n -= verbs[verb]; n < 0 {
			s.do(m, verb, uid)
			return
		}
	}
}

// do does something with a note on a machine, where that is possible.
func (s *scene) do(m int, verb, uid string) {
	name, text := s.find(m, uid)
	key := fmt.Sprint(m, uid)
	if text != "" && !slices.Contains(s.past[key], text) {
		s.past[key] = append(s.past[key], text)
	}
	switch {
	case verb == "sync":
		s.sync(m, 0)
	case verb == "killed":
		s.sync(m, 1+s.random.IntN(9))
	case verb == "copy" && s.server != nil && s.forgot:
	case verb == "copy":
		s.copies = append(s.copies, s.copyRemote())
		s.log = append(s.log, "the remote is copied")
	case verb == "back" && s.server != nil && s.setBack: // twice is more than a server's clone can know
	case verb == "back":
		if len(s.copies) > 0 {
			at := s.random.IntN(len(s.copies))
			s.copies[at]()
			s.copies, s.setBack = s.copies[:at+1], true
		}
	case verb == "clear":
		s.clearRemote()
	case verb == "forget" && s.server != nil && len(s.copies) > 0: // both are more than a server's clone can know
	case verb == "forget":
		if s.forgot = true; s.server != nil { // it keeps what was not sent
			s.sync(m, 0)
		}
		if err := os.RemoveAll(filepath.Dir(s.machines[m].replica.StateFile)); err != nil {
			s.t.Error(err)
		}
		s.log = append(s.log, fmt.Sprintf("m%d loses its state", m))
	case verb == "write" && len(s.edits[uid]) == 0:
		name, text = "notes/"+uid[:3]+".md", "---\nuid: "+uid+"\ntitle: "+uid[:1]+"\n---\n\nBorn "+s.word()+".\n"
		s.machines[m].change(func(h *store.Held) error { _, err := h.Create(name, []byte(text)); return err })
		s.add(uid, s.act(m, uid, "", "write %s %v", name, wordsOf(text)), text)
	case verb == "restore" && text == "":
		s.restore(m, uid)
	case text == "":
	case verb == "append":
		s.edit(m, uid, name, text, text+"\nLine "+s.word()+".\n", verb)
	case verb == "replace":
		if at := strings.LastIndex(text, "\nLine "); at >= 0 {
			after := text[:at] + "\nLine " + s.word() + ".\n"
			s.gone(s.edit(m, uid, name, text, after, verb), text, after, false)
		}
	case verb == "first":
		s.undo(m, uid, name, text, s.past[key][0])
	case verb == "theirs":
		s.resolve(m, uid, name, text, true)
	case verb == "undo":
		s.undo(m, uid, name, text, s.past[key][s.random.IntN(len(s.past[key]))])
	case verb == "mv":
		s.move(m, uid, name, text)
	case verb == "resolve":
		s.resolve(m, uid, name, text, false)
	case verb == "remove":
		s.machines[m].change(func(h *store.Held) error { _, _, err := h.Remove(name, store.Revision([]byte(text))); return err })
		a := s.act(m, uid, text, "remove %s %v", name, wordsOf(text))
		s.gone(a, text, "", true)
		s.removals[uid] = append(s.removals[uid], a)
	}
}

// copyRemote returns a function that sets the remote back to what it has now.
func (s *scene) copyRemote() (restore func()) {
	known := map[string][]int{}
	for uid, of := range s.remote {
		known[uid] = slices.Clone(of)
	}
	back := func() {
		s.log = append(s.log, "the remote is set back")
		for uid := range s.remote {
			s.remote[uid] = make([]int, len(s.machines))
			copy(s.remote[uid], known[uid])
		}
	}
	if s.server != nil {
		restore := s.server.copy()
		return func() { restore(); back() }
	}
	commit, _ := s.remoteGit("rev-parse", "-q", "--verify", marker.DefaultSync().Ref)
	return func() {
		if commit == "" {
			s.clearRemote()
		} else if _, err := s.remoteGit("update-ref", marker.DefaultSync().Ref, commit); err != nil {
			s.t.Error(err)
		}
		back()
	}
}

// clearRemote deletes the ref of the notes.
func (s *scene) clearRemote() {
	if s.server != nil {
		return
	}
	_, _ = s.remoteGit("update-ref", "-d", marker.DefaultSync().Ref)
	for uid := range s.remote {
		s.remote[uid] = make([]int, len(s.machines))
	}
	s.log = append(s.log, "the ref of the remote is deleted")
}

// remoteGit runs git in the remote.
func (s *scene) remoteGit(args ...string) (string, error) {
	dir := filepath.Join(filepath.Dir(s.machines[0].replica.Found.Root), "remote")
	out, err := exec.Command("git", append([]string{"--git-dir", dir}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// undo brings the body of an earlier text back.
func (s *scene) undo(m int, uid, name, text, earlier string) {
	front, body := func(text string) (front, body string) {
		front, body, _ = strings.Cut(strings.TrimPrefix(text, "---\n"), "---\n")
		return front, body
	}, ""
	now, _ := front(text)
	if _, body = front(earlier); text != "---\n"+now+"---\n"+body {
		after := "---\n" + now + "---\n" + body
		a := s.edit(m, uid, name, text, after, "undo")
		s.gone(a, text, after, false)
		s.back(a, after)
	}
}

func (s *scene) restore(m int, uid string) {
	trashed, err := s.machines[m].store.Trash()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, one := range trashed {
		data, _, err := s.machines[m].store.ReadTrashed(one.File)
		text := string(data)
		if err != nil || !strings.Contains(text, "uid: "+uid) || strings.Contains(text, "conflict-with:") {
			continue
		}
		var failed error
		s.machines[m].change(func(h *store.Held) error { _, failed = h.Untrash(one.Name); return nil })
		if failed == nil {
			if all := s.removals[uid]; len(all) == 1 { // it is the one that has put it there
				join(s.knows[uid][m], all[0].knows)
			}
			a := s.act(m, uid, text, "restore %s %v", one.Name, wordsOf(text))
			s.add(uid, a, text)
			s.back(a, text)
		}
		return
	}
}

func (s *scene) move(m int, uid, name, text string) {
	s.words++
	to := fmt.Sprintf("notes/%s-%d.md", uid[:3], s.words)
	n := note.ParseText(name, []byte(text))
	if n.SetKey("aliases", note.InlineList(append(n.Aliases, strings.TrimSuffix(strings.TrimPrefix(name, "notes/"), ".md")))) != nil {
		return
	}
	after := n.Bytes()
	s.machines[m].change(func(h *store.Held) error {
		_, err := h.Replace(name, store.Revision([]byte(text)), after)
		if err == nil {
			_, err = h.Create(to, after)
		}
		if err == nil {
			_, _, err = h.Remove(name, store.Revision(after))
		}
		return err
	})
	s.add(uid, s.act(m, uid, text, "mv %s %s", name, to), text)
}

// resolve takes what a conflict copy alone has into the note, or the text of it, and removes it.
func (s *scene) resolve(m int, uid, name, text string, theirs bool) {
	for other, aside := range s.machines[m].texts() {
		if !strings.Contains(aside, "conflict-with: "+strings.TrimSuffix(strings.TrimPrefix(name, "notes/"), ".md")+"\n") {
			continue
		}
		after := text
		for _, word := range wordsOf(aside) {
			if !slices.Contains(wordsOf(text), word) {
				after += "\nLine " + word + ".\n"
			}
		}
		if theirs {
			s.undo(m, uid, name, text, aside)
		} else if after != text {
			s.edit(m, uid, name, text, after, "resolve")
		}
		s.machines[m].change(func(h *store.Held) error { _, _, err := h.Remove(other, store.Revision([]byte(aside))); return err })
		s.act(m, uid, aside, "drop %s", other)
		return
	}
}

func (s *scene) sync(m, alive int) bool {
	out, ok := s.machines[m].sync(alive)
	s.log = append(s.log, fmt.Sprintf("m%d sync %v: came %v went %v removed %v returned %v merged %v conflicts %v", m, ok, out.Came, out.Went, out.Removed, out.Returned, out.Merged, out.Conflicts))
	if !ok {
		s.log[len(s.log)-1] = fmt.Sprintf("m%d sync killed at %d", m, alive)
		return false
	}
	for uid := range s.knows {
		join(s.knows[uid][m], s.remote[uid])
		join(s.remote[uid], s.knows[uid][m])
	}
	return len(out.Came)+len(out.Went)+len(out.Removed)+len(out.Returned)+len(out.Merged) > 0
}

// judge reports what is lost, twice there or back, and machines that differ.
func (s *scene) judge() (faults []string) {
	for round := range 4 {
		for m := range s.machines {
			if s.sync(m, 0) && round == 3 {
				faults = append(faults, "restless")
			}
		}
	}
	want := s.machines[0].texts()
	for _, m := range s.machines[1:] {
		if got := m.texts(); !maps.Equal(got, want) {
			faults = append(faults, fmt.Sprintf("unequal: %q, %q", want, got))
		}
	}
	found, there := map[string]bool{}, map[string]int{}
	for _, text := range want {
		for _, word := range wordsOf(text) {
			found[word] = true
		}
		if !strings.Contains(text, "conflict-with:") {
			n := note.ParseText("x.md", []byte(text))
			there[n.Identity()]++
		}
	}
	for uid, n := range there {
		if n > 1 || s.edits[uid] == nil {
			faults = append(faults, fmt.Sprintf("twins: %q", want))
		}
		for _, removal := range s.removals[uid] {
			if !slices.ContainsFunc(s.edits[uid], func(a *act) bool { return !removal.knew(a) }) {
				faults = append(faults, "resurrected: "+uid)
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(s.given)) {
		known := found[word] || (s.setBack || s.forgot && s.server != nil) && s.inTrash(word)
		if !known && len(s.given[word].ends) == 0 {
			faults = append(faults, "lost: "+word)
		}
	}
	return faults
}

// Short random lives of three machines with two notes, whose
// syncs are killed at any step.
func TestScenes(t *testing.T) {
	for _, with := range []string{"server", "git"} {
		seeds := sceneSeeds()
		if with == "git" {
			seeds /= 10
		}
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			for n := range seeds {
				seed := *sceneSeed + uint64(n)
				t.Run(fmt.Sprint(seed), func(t *testing.T) { liveScene(t, seed, with == "server") })
			}
		})
	}
}

func newScene(t *testing.T, seed uint64, server bool) *scene {
	url := ""
	var pretends *pretender
	if server {
		url, pretends = newPretender(t)
	}
	s := &scene{t: t, server: pretends, random: rand.New(rand.NewPCG(seed, 25)), machines: newMachines(t, 3, url), knows: map[string][][]int{}, remote: map[string][]int{},
		given: map[string]*given{}, edits: map[string][]*act{}, removals: map[string][]*act{}, past: map[string][]string{}}
	return s
}

func liveScene(t *testing.T, seed uint64, server bool) {
	s := newScene(t, seed, server)
	for range sceneSteps {
		s.any()
	}
	s.report()
}

func (s *scene) report() {
	s.t.Helper()
	if faults := s.judge(); len(faults) > 0 {
		s.t.Errorf("%s\n\t%s", strings.Join(faults, "\n"), strings.Join(s.log, "\n\t"))
	}
}

// play does what lines of "machine verb" say with one note; with the verb other, writes another one.
func (s *scene) play(script string) {
	for line := range strings.SplitSeq(script, ",") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		for _, m := range fields[0] {
			if fields[1] == "other" {
				s.do(int(m-'0'), "write", strings.Repeat("b", 26))
			} else {
				s.do(int(m-'0'), fields[1], strings.Repeat("a", 26))
			}
		}
	}
}

// A remote that is set back to what it had at any point of a life, or deleted, neither brings back
// what was removed nor loses anything, and the next sync of each machine that saw more says so.
func TestRemoteSetBack(t *testing.T) {
	const life = "0 write, 0 sync, 1 sync, 0 other, 0 sync, 12 sync, 1 append, 1 sync, 0 sync, 2 sync, 2 remove, 2 sync, 0 sync, 1 sync, 1 restore, 1 append, 1 sync, 02 sync, 0 remove, 0 sync, 1 sync, 2 sync"
	steps := strings.Split(life, ",")
	for at := -1; at < len(steps); at++ {
		for _, with := range []string{"git", "server"} {
			if with == "git" && at%fixtures.Size(6, 3, 1) != 0 {
				continue
			}
			t.Run(fmt.Sprint(with, " ", at), func(t *testing.T) {
				t.Parallel()
				s := newScene(t, 1, with == "server")
				restore := s.clearRemote
				for i, step := range steps {
					if s.play(step); i == at {
						restore = s.copyRemote()
					}
				}
				seen, _ := s.remoteGit("rev-parse", marker.DefaultSync().Ref)
				restore()
				now, _ := s.remoteGit("rev-parse", marker.DefaultSync().Ref)
				out, _ := s.machines[0].sync(0)
				if with == "git" && out.SetBack != (now != seen) {
					t.Errorf("set back: %v, from %s to %s", out.SetBack, seen, now)
				}
				s.report()
			})
		}
	}
}

// The first sync with a server removes nothing there, whatever the trash of this machine holds.
func TestFirstSyncWithAServer(t *testing.T) {
	s := newScene(t, 1, true)
	s.play("1 write, 1 remove")
	name, text := "notes/aaa.md", ""
	trashed, err := s.machines[1].store.Trash()
	if err == nil {
		var data []byte
		data, _, err = s.machines[1].store.ReadTrashed(trashed[0].File)
		text = string(data)
	}
	must(t, err)
	s.machines[0].change(func(h *store.Held) error { _, err := h.Create(name, []byte(text)); return err })
	for _, m := range []int{0, 1, 0} {
		if out, _ := s.machines[m].sync(0); out.SetBack {
			t.Errorf("machine %d: the server was set back", m)
		}
	}
	for m := range 2 {
		if s.machines[m].texts()[name] != text {
			t.Errorf("machine %d has %q", m, s.machines[m].texts())
		}
	}
}

// A removed note stays removed when the server is set back, also if the trash was emptied.
func TestSetBackAfterTheTrashWasEmptied(t *testing.T) {
	s := newScene(t, 1, true)
	s.play("0 write, 01 sync")
	back := s.copyRemote()
	s.play("0 remove, 01 sync")
	for _, m := range s.machines[:2] {
		trashed, err := m.store.Trash()
		if err != nil || len(trashed) != 1 {
			t.Fatal(trashed, err)
		}
		m.change(func(h *store.Held) error { return h.Delete([]string{trashed[0].File}) })
	}
	back()
	for _, m := range []int{0, 1, 0} {
		if out, _ := s.machines[m].sync(0); out.SetBack != (m == 0 && len(out.Went) > 0) {
			t.Errorf("machine %d: %+v", m, out)
		}
	}
	for m := range 2 {
		if texts := s.machines[m].texts(); len(texts) > 0 {
			t.Errorf("machine %d has %q", m, texts)
		}
	}
}

// A removal that one machine has carried to a remote that was set back counts on the others, too,
// where the remote has lost an edit before it.
func TestRemovalAfterALostEdit(t *testing.T) {
	s := newScene(t, 1, false)
	s.play("0 write, 012 sync")
	back := s.copyRemote()
	s.play("0 append, 012 sync, 0 remove, 0 sync")
	back()
	s.play("0 sync, 1 sync, 2 sync, 0 sync")
	for m := range 3 {
		if texts := s.machines[m].texts(); len(texts) > 0 {
			t.Errorf("machine %d has %q", m, texts)
		}
	}
}

// What one machine has done last counts on the others, too, after it has synced with a remote that was
// set back: it shares what it knows, though it may have no text to send.
func TestUndoneAtARemoteSetBack(t *testing.T) {
	for _, early := range []bool{false, true} {
		s := newScene(t, 1, false)
		s.play("0 other, 0 sync")
		back := s.copyRemote()
		if s.play("0 write, 012 sync"); early {
			back = s.copyRemote()
		}
		want := s.machines[0].texts()
		s.play("0 append, 012 sync, 0 first")
		back()
		s.play("0 sync, 1 sync, 2 sync, 0 sync")
		for m := range 3 {
			if texts := s.machines[m].texts(); !maps.Equal(texts, want) {
				t.Errorf("set back to a time with the note: %v; machine %d has %q, want %q", early, m, texts, want)
			}
		}
	}
}

// A note that was edited and removed here after a killed first sync stays removed.
func TestRemovedAfterAKilledFirstSync(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 8; at++ {
		playInterrupted(t, false, [3]string{"0 write", "", "0 append, 0 remove"}, true, at)
	}
}

// inTrash reports whether a machine has a word in its trash. When the remote was set back and has
// lost that a note was restored, the note may be removed again.
func (s *scene) inTrash(word string) bool {
	for _, m := range s.machines {
		trashed, _ := m.store.Trash()
		for _, one := range trashed {
			if text, _, err := m.store.ReadTrashed(one.File); err == nil && slices.Contains(wordsOf(string(text)), word) {
				return true
			}
		}
	}
	return false
}

// TestInterrupted: a sync that ends at any step, or during which others sync, neither takes
// back what others have done since, nor what was done on its own machine.
func TestInterrupted(t *testing.T) {
	fixtures.Slow(t)
	for name, script := range map[string][3]string{ // what comes before the sync of machine 0, in it, and after it
		"taken removal, restored there":   {"0 write, 012 sync, 1 remove, 1 sync", "1 restore, 1 sync", ""},
		"taken removal, restored here":    {"0 write, 012 sync, 1 remove, 1 sync", "", "0 restore"},
		"taken removal, restored later":   {"0 write, 012 sync, 1 remove, 12 sync", "2 restore, 2 sync", "1 sync"},
		"sent removal, restored here":     {"0 write, 012 sync, 0 remove", "", "0 restore"},
		"sent removal, restored there":    {"0 write, 012 sync, 0 remove", "1 sync, 1 restore, 1 sync", ""},
		"sent restoration, removed there": {"0 write, 012 sync, 0 remove, 012 sync, 0 restore", "1 sync, 1 remove, 1 sync", ""},
		"sent restoration, another note":  {"0 write, 012 sync, 0 remove, 012 sync, 0 restore", "1 other, 1 sync", ""},
		"sent undo, another note":         {"0 write, 0 append, 012 sync, 0 replace, 012 sync, 0 first", "1 replace, 1 sync", ""},
		"sent restoration, removed here":  {"0 write, 012 sync, 0 remove, 012 sync, 0 restore", "1 sync", "0 remove"},
		"sent note, removed here":         {"0 write", "1 sync", "0 remove"},
		"sent note, removed there":        {"0 write", "1 sync, 1 remove, 1 sync", ""},
		"taken note, removed here":        {"1 write, 1 sync", "", "0 remove"},
		"taken note, removed there":       {"1 write, 1 sync", "1 remove, 1 sync", ""},
		"taken note, edited there":        {"1 write, 1 sync", "1 append, 1 sync", ""},
		"sent edit, undone here":          {"0 write, 012 sync, 0 append", "1 sync", "0 first, 0 sync"},
		"sent edit, undone there":         {"0 write, 0 append, 012 sync, 0 replace", "1 sync, 1 first, 1 sync", ""},
		"sent edit, removed there":        {"0 write, 012 sync, 0 append", "1 sync, 1 remove, 1 sync", ""},
		"taken edit, undone there":        {"0 write, 0 append, 012 sync, 1 replace, 1 sync", "1 first, 1 sync", ""},
		"taken edit, removed there":       {"0 write, 012 sync, 1 append, 1 sync", "1 remove, 1 sync", ""},
		"taken edit, removed here":        {"0 write, 012 sync, 1 append, 1 sync", "", "0 remove"},
		"sent name, edited there":         {"0 write, 012 sync, 0 mv", "1 append, 1 sync", ""},
		"sent name, renamed there":        {"0 write, 012 sync, 0 mv", "1 sync, 1 mv, 1 sync", ""},
		"sent name, removed there":        {"0 write, 012 sync, 0 mv", "1 sync, 1 remove, 1 sync", ""},
		"sent name, removed here":         {"0 write, 012 sync, 0 mv", "1 sync", "0 remove"},
		"taken name, renamed there":       {"0 write, 012 sync, 1 mv, 1 sync", "1 mv, 1 sync", ""},
		"taken name, removed there":       {"0 write, 012 sync, 1 mv, 1 sync", "1 remove, 1 sync", ""},
		"taken name, removed here":        {"0 write, 012 sync, 1 mv, 1 sync", "", "0 remove"},
		"sent choice, renamed there":      {"0 write, 0 append, 012 sync, 0 replace, 1 replace, 1 sync, 012 sync, 0 theirs", "1 mv, 1 sync", ""},
		"taken conflict, resolved there":  {"0 write, 0 append, 012 sync, 0 replace, 1 replace, 1 sync", "1 sync, 1 resolve, 1 sync", "0 sync, 0 resolve"},
	} {
		for at := 1; at <= 6; at++ {
			for _, how := range []string{"killed", "beside"}[:fixtures.Size(1+at%2, 1+at%2, 2)] {
				t.Run(fmt.Sprintf("server/%s/%s at %d", name, how, at), func(t *testing.T) {
					t.Parallel()
					playInterrupted(t, true, script, how == "killed", at)
				})
			}
			if fixtures.Size(at%2 == 0 && strings.HasSuffix(name, "removal, restored here"), at%2 == 0, true) {
				t.Run(fmt.Sprintf("git/%s/killed at %d", name, at), func(t *testing.T) {
					t.Parallel()
					playInterrupted(t, false, script, true, at)
				})
			}
		}
	}
}

// playInterrupted plays what comes before a sync of machine 0, in or after it, and after that.
func playInterrupted(t *testing.T, server bool, script [3]string, killed bool, at int) {
	s := newScene(t, 1, server)
	s.play(script[0])
	if killed {
		s.sync(0, at)
		s.play(script[1])
	} else {
		s.machines[0].beside = func() { s.play(script[1]) }
		s.sync(0, at)
	}
	s.play(script[2])
	s.report()
}

// sceneSeeds is the number of seeds of TestScenes with a server; with git it is a tenth.
func sceneSeeds() int { return fixtures.Size(3, 6, 200) }

// sceneSteps is the number of steps of each.
const sceneSteps = 40

var must = fixtures.Must
