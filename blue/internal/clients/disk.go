package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// maxConfig limits the size of a file that is read. The largest files of clients, which also
// hold their history, are far smaller.
const maxConfig = 64 << 20

// Load returns the bytes of a file outside any project, as [ConfigFile.Load] does.
func Load(path string) ([]byte, error) { return ConfigFile{Path: path}.Load() }

// Load returns the bytes of the file, nil if it does not exist and an empty slice if it is
// empty. The kinds of its errors are Disk, TooLarge, Untouched for a file that is not regular, and
// Invalid for a link that leads out of the project.
func (f ConfigFile) Load() ([]byte, error) {
	real, err := f.resolve(f.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real) // before opening, which would block on a FIFO
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, configDisk(f.Path, err)
	case !info.Mode().IsRegular():
		return nil, errors.BadConfig(f.Path, 0, "it is not a regular file")
	case info.Size() > maxConfig:
		return nil, errors.E(errors.TooLarge, "left %s untouched: it is larger than %d MiB", errors.Quote(f.Path), maxConfig>>20).
			Hint("setup", "CLIENT --print", "show the entry and put it in by hand")
	}
	data, err := os.ReadFile(real)
	return data, f.failed(err)
}

// bound reports whether the file must stay inside top, whatever links its path holds.
func (f ConfigFile) bound() bool { return f.Scope == Project }

// resolve follows all links of a path, which need not exist. It rejects a path that leads out
// of a project.
func (f ConfigFile) resolve(path string) (string, error) {
	real, err := follow(path)
	if err != nil || !f.bound() {
		return real, err
	}
	top, err := follow(f.top)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rel) {
		return "", errors.ConfigOutside(path, real, f.top)
	}
	return real, nil
}

// follow resolves a path. It rejects a dangling link, because writing there would be a guess.
func follow(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", configDisk(path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return "", errors.BadConfig(path, 0, "it is a link whose target does not exist")
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	if parent, err = follow(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// Write replaces the text before, as Load returned it, by after. It writes a temporary file in
// the same directory, syncs it and renames it, so that at any moment the file holds either the
// old or the new text. It keeps mode and owner, creates missing directories, and replaces the
// target of a link, not the link. If both texts are equal it does nothing. A nil after removes
// the file and the directories that become empty, up to the project or the home; the target of
// a link is emptied instead. The kinds of its errors are Conflict if the file no longer holds
// before, Disk, and those of Load.
func (f ConfigFile) Write(before, after []byte) error {
	if before != nil && after != nil && bytes.Equal(before, after) {
		return nil
	}
	if info, err := os.Lstat(f.Path); after == nil && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		after = []byte{}
	}
	real, err := f.resolve(f.Path)
	if err != nil {
		return err
	}
	removed := false
	err = f.in(filepath.Dir(real), func(dir *os.Root) error {
		file := atomicfile.Target{Dir: dir, Path: filepath.Base(real), Mode: f.Mode()}
		file.Check = func() error { return f.unchanged(before) }
		if after == nil {
			err := file.Check()
			if err == nil {
				err = dir.Remove(file.Path)
			}
			removed = err == nil
			return err
		}
		if before != nil {
			info, err := dir.Stat(file.Path)
			if err != nil {
				return f.gone(err)
			}
			file.Mode, file.Owner = info.Mode().Perm(), info
		}
		return file.Replace(after)
	})
	if removed { // now that the directory is closed, since Windows may keep one that is open
		f.removeEmpty()
	}
	return f.failed(err)
}

// in calls do with a directory that resolve has returned. It creates missing directories. For a
// bound file it does not follow links that have appeared since and lead out of top.
func (f ConfigFile) in(real string, do func(dir *os.Root) error) error {
	mode := f.Mode() | f.Mode()&0o444>>2 | 0o100 // search bits for its readers
	top, below := real, "."
	if f.bound() {
		var err error
		if top, err = follow(f.top); err != nil {
			return err
		}
		if below, err = filepath.Rel(top, real); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(top, mode); err != nil {
		return err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(below, mode); err != nil {
		return err
	}
	dir, err := root.OpenRoot(below)
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(dir)
}

// unchanged returns an error if the file no longer holds before.
func (f ConfigFile) unchanged(before []byte) error {
	now, err := f.Load()
	if err == nil && ((now == nil) != (before == nil) || !bytes.Equal(now, before)) {
		err = configChanged(f.Path)
	}
	return err
}

// gone returns err, or a conflict if the file has disappeared.
func (f ConfigFile) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return configChanged(f.Path)
	}
	return err
}

// failed turns err into an [errors.Error].
func (f ConfigFile) failed(err error) error {
	if _, known := errors.AsType[*errors.Error](err); err == nil || known {
		return err
	}
	return configDisk(f.Path, err)
}

// removeEmpty removes the empty directories above the file, up to the project or the home, or
// up to a link. Outside of these it removes at most one directory.
func (f ConfigFile) removeEmpty() {
	for dir := filepath.Dir(f.Path); dir != f.top; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || os.Remove(dir) != nil { // Remove fails if it is not empty
			return
		}
		if rel, err := filepath.Rel(f.top, dir); f.top == "" || err != nil || !filepath.IsLocal(rel) {
			return
		}
	}
}

// Originals is the directory, for this user alone, that keeps the texts which files had before
// Blue's first edit.
type Originals string

// original is a text that a file had, with the digests of the texts that Blue has left in its place,
// or was about to: one of the last two.
type original struct {
	Path  string   `json:"path"`
	Text  []byte   `json:"text"` // null if the file did not exist
	Left  []string `json:"left"`
	Stood bool     `json:"stood"` // the file existed
}

// digest returns the digest of a text, "" for a file that does not exist.
func digest(text []byte) string {
	if text == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func (o Originals) file(f ConfigFile) string {
	return filepath.Join(string(o), digest([]byte(f.Path))[:32]+".json")
}

// Of returns the text that the file had before Blue's first edit, nil if it did not exist. It
// returns false if that is not known, or the file has been changed by others since: now is not
// what Blue has left.
func (o Originals) Of(f ConfigFile, now []byte) (text []byte, known bool) {
	var was original
	data, err := os.ReadFile(o.file(f))
	if err != nil || json.Unmarshal(data, &was) != nil || !slices.Contains(was.Left, digest(now)) {
		return nil, false
	}
	if was.Text == nil && was.Stood {
		was.Text = []byte{}
	}
	return was.Text, true
}

// Keep records the text that the file had before Blue's first edit, before Blue replaces the text
// now by after.
func (o Originals) Keep(f ConfigFile, text, now, after []byte) error {
	data, err := json.Marshal(original{f.Path, text, []string{digest(now), digest(after)}, text != nil})
	if err == nil {
		err = atomicfile.Target{Path: o.file(f)}.Replace(data)
	}
	return err
}

// Drop forgets the text, if one is kept.
func (o Originals) Drop(f ConfigFile) { _ = os.Remove(o.file(f)) }

// configChanged returns the error for a file that was changed between reading and writing it.
func configChanged(path string) *errors.Error {
	return errors.E(errors.Conflict, "left %s untouched: another program has changed it", errors.Quote(path)).
		Hint("", "", "run the same command again")
}

// configDisk returns the error for a file that could not be read or written because of err. The
// file keeps its former content.
func configDisk(path string, err error) *errors.Error {
	return errors.E(errors.Disk, "left %s untouched: %w", errors.Quote(path), err).
		Hint("", "", "check the owner, the mode and the free space of its directory").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}
