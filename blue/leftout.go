package blue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"

	"blue/blue/internal/note"
	"blue/errors"
)

// leftOut are the files and directories of a project that one call goes on without,
// because they cannot be read.
type leftOut struct {
	mu  sync.Mutex // notes are read side by side
	all []unread
}

// unread is one of them.
type unread struct {
	name string // below .blue, with slashes
	err  error
}

// leaveOut goes on without a file or directory that cannot be read. It reports false
// when that may not be: without notes/ nothing is known of the project, and a process
// that has run out of files or memory would leave out what is in order.
func (p *Project) leaveOut(name string, err error) bool {
	code, _ := errors.AsType[syscall.Errno](err)
	if name == "" || name == "notes" || slices.Contains([]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, code) {
		return false
	}
	p.left.mu.Lock()
	defer p.left.mu.Unlock()
	if !slices.ContainsFunc(p.left.all, func(u unread) bool { return u.name == name }) {
		p.left.all = append(p.left.all, unread{name, err})
	}
	return true
}

// namedUnread is how many files the warning names.
const namedUnread = 3

// describeLeftOut says what was left out and why, empty when nothing was.
func (l *leftOut) describeLeftOut() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return ""
	}
	slices.SortFunc(l.all, func(a, b unread) int { return cmp.Compare(a.name, b.name) })
	var words []string
	for _, u := range l.all[:min(len(l.all), namedUnread)] {
		words = append(words, fmt.Sprintf("%s (%s)", errors.Short(issueFile(u.name), 80), errors.Short(u.shortReason(), 80)))
	}
	text := "left out, because it cannot be read: "
	if len(l.all) > 1 {
		text = "left out, because they cannot be read: "
	}
	text += strings.Join(words, ", ")
	if more := len(l.all) - len(words); more > 0 {
		text += fmt.Sprintf(", and %d more; blue check names them all", more)
	}
	return text
}

// shortReason returns the failure without the name of the file: the system's word where there is one.
func (u unread) shortReason() string {
	code, told := errors.AsType[syscall.Errno](u.err)
	switch {
	case told:
		return code.Error()
	case errors.Is(u.err, errors.BadMarker):
		return "not a real directory"
	case errors.Is(u.err, errors.Busy):
		return "it keeps changing"
	}
	return errors.Of(u.err).Message
}

// reasonFor returns why the note that a word names was left out, nil when it was not. The word is
// an id, or one with the directory before it.
func (l *leftOut) reasonFor(word string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.all {
		stem := strings.TrimSuffix(u.name, ".md")
		if stem == word || note.ScopeOf(u.name) != "." && note.BareID(stem) == word || strings.HasPrefix(word, u.name+"/") {
			return u.err
		}
	}
	return nil
}
