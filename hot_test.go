package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// revisionOf is the revision of a file with these bytes.
func revisionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// greet starts a server that was prepared, under strace perhaps, and shakes hands.
func greet(t testing.TB, c *exec.Cmd) *server {
	t.Helper()
	in, err := c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	s := &server{cmd: c, in: in, out: bufio.NewReader(out)}
	_, err = io.WriteString(in, hello)
	must(t, err)
	_, err = s.out.ReadBytes('\n')
	must(t, err)
	return s
}

// saved is the answer to a write.
type saved struct {
	Error, ID, Revision string
	Created, Durable    bool
}

// save calls a tool that writes; the error is that of a server that is gone.
func (s *server) save(tool string, arguments map[string]any) (a saved, err error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return a, err
	}
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_%s","arguments":%s}}`+"\n", s.id, tool, raw); err != nil {
		return a, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return a, err
	}
	var reply struct {
		Result struct{ StructuredContent saved }
	}
	err = json.Unmarshal(line, &reply)
	return reply.Result.StructuredContent, err
}

// A hot note is created, edited over and over, and removed at last. Its states
// are numbered from 1 on; 0 is the note that is not there yet.
type hot struct {
	key         string
	id          string
	sent, acked int      // the state that was asked for last, and the one that was answered last
	removed     int      // the state that is the removal, 0 until it is asked for
	revisions   []string // of the states that were answered, by number
}

// hotText is the body of a note in one state; its last line is the sum of the rest.
func hotText(key string, n int) string {
	text := fmt.Sprintf("hot %s %d\n%s\n", key, n, strings.Repeat("word ", n*37%700))
	return text + revisionOf([]byte(text)) + "\n"
}

// pen writes 20 hot notes through one server at a time, and knows at each moment
// what must be there and what may.
type pen struct {
	name string
	mu   sync.Mutex
	at   map[string]hot // by key, all notes that there ever were; changed by the writer alone
	live [20]string
	next int
	gate sync.RWMutex // held by who wants the pen to pause
}

func newPen(name string) *pen { return &pen{name: name, at: map[string]hot{}} }

// known is a copy of what the pen knows now.
func (p *pen) known() map[string]hot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.at)
}

func (p *pen) put(h hot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at[h.key] = h
}

// write writes until the server is gone; the error is its refusal of a write.
func (p *pen) write(s *server) error {
	for {
		p.gate.RLock()
		gone, err := p.step(s)
		p.gate.RUnlock()
		if gone || err != nil {
			return err
		}
	}
}

// step brings one note to its next state and waits for the answer.
func (p *pen) step(s *server) (gone bool, err error) {
	slot := rand.IntN(len(p.live))
	h := p.at[p.live[slot]]
	if h.key == "" || h.removed > 0 {
		p.next++
		h = hot{key: fmt.Sprint(p.name, p.next), revisions: []string{""}}
		p.live[slot] = h.key
	}
	h.sent = h.acked + 1
	tool, arguments := "edit", map[string]any{"id": h.id, "body": hotText(h.key, h.sent)}
	switch {
	case h.acked == 0:
		tool, arguments = "write", map[string]any{"title": "Hot " + h.key, "body": hotText(h.key, 1)}
	case h.acked > 60 || rand.IntN(8) == 0:
		tool, arguments = "remove", map[string]any{"id": h.id}
		h.removed = h.sent
	}
	p.put(h)
	a, err := s.save(tool, arguments)
	for err == nil && a.Error == "busy" { // the rate limit of a session
		time.Sleep(20 * time.Millisecond)
		a, err = s.save(tool, arguments)
	}
	if err != nil {
		return true, nil
	}
	if a.Error != "" || a.ID == "" || !a.Durable {
		return false, fmt.Errorf("%s %v: %+v", tool, arguments["id"], a)
	}
	h.id, h.acked = a.ID, h.sent
	h.revisions = append(slices.Clip(h.revisions), a.Revision)
	p.put(h)
	return false, nil
}

// lying is a hot note as it lies on the disk.
type lying struct {
	id, revision string
	text         int // the state whose text it has
	trashed      bool
}

var (
	hotLine = regexp.MustCompile(`(?m)^hot (\S+) (\d+)$`)
	binned  = regexp.MustCompile(`-\d{8}T\d{6}\.\d{9}Z$`)
)

// survey reads all hot notes of a project; torn are the files that are no hot note.
func survey(t testing.TB, project string) (found map[string]lying, torn []string) {
	t.Helper()
	found = map[string]lying{}
	for _, dir := range []string{"notes", "trash"} {
		names, err := filepath.Glob(filepath.Join(project, ".blue", dir, "[^.]*.md"))
		must(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			must(t, err)
			line := hotLine.FindSubmatch(data)
			if line == nil {
				torn = append(torn, name)
				continue
			}
			key := string(line[1])
			n, _ := strconv.Atoi(string(line[2])) // digits
			_, twin := found[key]
			if twin || !strings.HasSuffix(string(data), "\n"+hotText(key, n)) {
				torn = append(torn, name)
			}
			id := strings.TrimSuffix(filepath.Base(name), ".md")
			found[key] = lying{binned.ReplaceAllString(id, ""), revisionOf(data), n, dir == "trash"}
		}
	}
	return found, torn
}

// state is the number of the state that a note is in.
func (l lying) state(h hot) int {
	if l.trashed {
		return h.removed
	}
	return l.text
}

// lost names what is not in the project though it was acknowledged before, and
// what is there though nobody asked for it until after: torn files, twins, notes
// that were rolled back, former texts that are nowhere.
func lost(t testing.TB, project string, before, after map[string]hot) (faults []string) {
	t.Helper()
	found, torn := survey(t, project)
	for _, name := range torn {
		faults = append(faults, name+" is torn or a twin")
	}
	for key, h := range after {
		l := found[key]
		n := l.state(h)
		switch {
		case n < before[key].acked || n > h.sent:
			faults = append(faults, fmt.Sprintf("%s is in state %d, %d was acknowledged, %d asked for: %+v", key, n, before[key].acked, h.sent, l))
			continue
		case l.trashed && l.text != n-1:
			faults = append(faults, fmt.Sprintf("%s has state %d in the trash, not %d", key, l.text, n-1))
			continue
		}
		for state, revision := range h.revisions[:min(l.text+1, len(h.revisions))] {
			if state == 0 || state == l.text && revision == l.revision {
				continue
			}
			if data, err := former(project, h.id, revision); err != nil || revisionOf(data) != revision {
				faults = append(faults, fmt.Sprintf("the former text %d of %s: %v", state, key, err))
			}
		}
		delete(found, key)
	}
	for key := range found {
		if _, asked := after[key]; !asked {
			faults = append(faults, key+" is there and nobody wrote it")
		}
	}
	return faults
}

// former reads a revision of a note in the history.
func former(project, id, revision string) ([]byte, error) {
	paths, err := filepath.Glob(filepath.Join(project, ".blue", "history", id, "*-"+revision+".md"))
	if err != nil || len(paths) != 1 {
		return nil, fmt.Errorf("the history has it as %q: %v", paths, err)
	}
	return os.ReadFile(paths[0])
}

// resume tells a pen what became of the writes whose answers it did not get.
func (p *pen) resume(found map[string]lying) {
	for key, h := range p.known() {
		l, ok := found[key]
		n := l.state(h)
		if !ok || h.acked == n && h.sent == n {
			h.sent = n
			p.put(h)
			continue
		}
		h.id, h.acked, h.sent = l.id, n, n
		if !l.trashed {
			h.removed = 0
		}
		for len(h.revisions) <= n {
			h.revisions = append(slices.Clip(h.revisions), l.revision)
		}
		p.put(h)
	}
}

// acknowledged is the number of all writes that were acknowledged.
func acknowledged(known map[string]hot) (n int) {
	for _, h := range known {
		n += h.acked
	}
	return n
}
