package reply

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

// Unread are the files and directories of a project that one call goes on without,
// because they cannot be read.
type Unread struct {
	mu  sync.Mutex // notes are read side by side
	all []unreadFile
}

// unreadFile is one of them.
type unreadFile struct {
	name string // below .blue, with slashes
	err  error
}

// Add notes that a file or directory below .blue was left out, and why.
func (u *Unread) Add(name string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.ContainsFunc(u.all, func(f unreadFile) bool { return f.name == name }) {
		u.all = append(u.all, unreadFile{name, err})
	}
}

// LeaveOut goes on without a file or directory that cannot be read. It reports false
// when that may not be: without notes/ nothing is known of the project, and a process
// that has run out of files or memory would leave out what is in order.
func (u *Unread) LeaveOut(name string, err error) bool {
	code, _ := errors.AsType[syscall.Errno](err)
	if name == "" || name == "notes" || slices.Contains([]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, code) {
		return false
	}
	u.Add(name, err)
	return true
}

// namedUnread is how many files the warning names.
const namedUnread = 3

// Warning says what was left out and why, empty when nothing was.
func (u *Unread) Warning() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.all) == 0 {
		return ""
	}
	slices.SortFunc(u.all, func(a, b unreadFile) int { return cmp.Compare(a.name, b.name) })
	var words []string
	for _, file := range u.all[:min(len(u.all), namedUnread)] {
		words = append(words, fmt.Sprintf("%s (%s)", errors.Short(FileBelow(file.name), 80), errors.Short(file.shortReason(), 80)))
	}
	text := "left out, because it cannot be read: "
	if len(u.all) > 1 {
		text = "left out, because they cannot be read: "
	}
	text += strings.Join(words, ", ")
	if more := len(u.all) - len(words); more > 0 {
		text += fmt.Sprintf(", and %d more; blue check names them all", more)
	}
	return text
}

// shortReason returns the failure without the name of the file: the system's word where there is one.
func (f unreadFile) shortReason() string {
	code, told := errors.AsType[syscall.Errno](f.err)
	switch {
	case told:
		return code.Error()
	case errors.Is(f.err, errors.BadMarker):
		return "not a real directory"
	case errors.Is(f.err, errors.Busy):
		return "it keeps changing"
	}
	return errors.Of(f.err).Message
}

// Reason returns why the note that a word names was left out, nil when it was not. The word is
// an id, or one with the directory before it.
func (u *Unread) Reason(word string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, file := range u.all {
		stem := strings.TrimSuffix(file.name, ".md")
		if stem == word || note.ScopeOf(file.name) != "." && note.BareID(stem) == word || strings.HasPrefix(word, file.name+"/") {
			return file.err
		}
	}
	return nil
}
