package sessions

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/index"
	"blue/errors"
)

// Settings are what a person has decided about past sessions. They are kept in files of a directory
// for this user alone, which need not exist.
type Settings string

// Names of the files. Only one of the first two exists.
const (
	onFile     = "on"
	offFile    = "off" // the person has said no
	forgotFile = "forgotten"

	forgotLimit = 1 << 20   // bytes of the last one
	beforeLine  = "before " // begins a line with a day
)

func (s Settings) path(name string) string { return filepath.Join(string(s), name) }

// On reports whether past sessions are searched.
func (s Settings) On() bool {
	_, err := os.Lstat(s.path(onFile))
	return err == nil
}

// Decided reports whether the person has ever switched them on or off.
func (s Settings) Decided() bool {
	_, err := os.Lstat(s.path(offFile))
	return err == nil || s.On()
}

// Switch switches past sessions on or off.
func (s Settings) Switch(on bool) error {
	now, before := offFile, onFile
	if on {
		now, before = onFile, offFile
	}
	if err := os.Remove(s.path(before)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Target{Path: s.path(now)}.Replace(nil)
}

// forgotten is what is never read again.
type forgotten struct {
	names  map[string]bool // of sessions
	before time.Time       // of exchanges; zero for none
	stamp  index.Stamp     // of the file
}

// forgotten returns what was forgotten.
func (s Settings) forgotten() (f forgotten, err error) {
	f.names = map[string]bool{}
	info, err := os.Lstat(s.path(forgotFile))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = atomicfile.Check(info, forgotLimit)
	}
	if err != nil {
		return f, err
	}
	f.stamp = index.Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	text, err := os.ReadFile(s.path(forgotFile))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if day, ok := strings.CutPrefix(line, beforeLine); ok {
			if at, err := time.Parse(time.DateOnly, day); err == nil && at.After(f.before) {
				f.before = at
			}
		} else {
			f.names[line] = true
		}
	}
	return f, err
}

// ForgetSession makes every shelf leave out a session from now on.
func (s Settings) ForgetSession(name string) error { return s.forget(name) }

// ForgetBefore makes every shelf leave out what was said before a day.
func (s Settings) ForgetBefore(day time.Time) error {
	return s.forget(beforeLine + day.Format(time.DateOnly))
}

func (s Settings) forget(line string) error {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return err
	}
	_, err := atomicfile.Append(s.path(forgotFile), line+"\n")
	return err
}
