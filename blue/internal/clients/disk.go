package clients

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"blue/blue/internal/atomicfile"
	"blue/errors"
	"blue/marker"
)

// maxConfig bounds what is read; the largest files of clients, which hold
// their history too, are far below.
const maxConfig = 64 << 20

// copySuffix is added to the name of a file for the copy of what it was.
const copySuffix = ".blue-backup"

// Load returns the bytes of a file that is no project's, as [ConfigFile.Load] does.
func Load(path string) ([]byte, error) { return ConfigFile{Path: path}.Load() }

// Load returns the bytes of the file, nil when it does not exist and an empty slice
// when it is empty. Kinds: disk, too_large, and invalid for what is not a regular
// file and for a link that leads out of the project.
func (f ConfigFile) Load() ([]byte, error) {
	real, err := f.resolve(f.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real) // first: opening a FIFO would wait for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, configDisk(f.Path, err)
	case !info.Mode().IsRegular():
		return nil, errors.BadConfig(f.Path, 0, "it is not a regular file")
	case info.Size() > maxConfig:
		return nil, errors.E(errors.TooLarge, "left %q untouched: it is larger than %d MiB", f.Path, maxConfig>>20).
			Hint("setup", "CLIENT --print", "show the entry and put it in by hand")
	}
	data, err := os.ReadFile(real)
	return data, f.failed(err)
}

// bound reports whether no link may lead out of top.
func (f ConfigFile) bound() bool { return f.Scope == Project }

// resolve follows all links of a path, whose last names need not exist, and
// refuses a place outside the bounds.
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

// follow refuses a link that leads nowhere: to write there would guess.
func follow(path string) (string, error) {
	real, err := marker.Resolve(path)
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

// Write replaces before, as Load returned it, by after. It writes a temporary
// file in the same directory, flushes it and renames it, so that at any moment
// the old or the new text is there whole; keeps mode and owner; and replaces
// what a link leads to, not the link. Missing directories are made. When the bytes
// are equal nothing is touched. Nil for after removes the file, with the directories
// below the project or the home that are empty then, and empties a file that a link
// leads to. Kinds: conflict when the file is no longer before, disk, and those of Load.
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
	return f.failed(f.in(filepath.Dir(real), func(dir *os.Root) error {
		file := atomicfile.Target{Dir: dir, Path: filepath.Base(real), Mode: f.Mode()}
		file.Check = func() error { return f.unchanged(before) }
		if after == nil {
			err := file.Check()
			if err == nil {
				err = dir.Remove(file.Path)
			}
			if err == nil {
				f.removeEmpty()
			}
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
	}))
}

// in calls do with a directory that resolve has returned, and makes it where it is
// missing. Within bounds it follows no link that has come since out of them.
func (f ConfigFile) in(real string, do func(dir *os.Root) error) error {
	mode := f.Mode() | f.Mode()&0o444>>2 | 0o100 // those who may read the file may search it
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

// unchanged fails when the file is no longer before.
func (f ConfigFile) unchanged(before []byte) error {
	now, err := f.Load()
	if err == nil && ((now == nil) != (before == nil) || !bytes.Equal(now, before)) {
		err = configChanged(f.Path)
	}
	return err
}

// gone returns err, as a change by others when the file has disappeared.
func (f ConfigFile) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return configChanged(f.Path)
	}
	return err
}

// failed returns err as one that people can read.
func (f ConfigFile) failed(err error) error {
	if _, known := errors.AsType[*errors.Error](err); err == nil || known {
		return err
	}
	return configDisk(f.Path, err)
}

// removeEmpty removes the directories of the file that are empty, up to the project or
// the home, or to a link. Elsewhere it is the one directory alone.
func (f ConfigFile) removeEmpty() {
	for dir := filepath.Dir(f.Path); dir != f.top; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || os.Remove(dir) != nil { // which fails when it holds something
			return
		}
		if rel, err := filepath.Rel(f.top, dir); f.top == "" || err != nil || !filepath.IsLocal(rel) {
			return
		}
	}
}

// Copied returns what KeepCopy has kept, nil when there is no copy.
func (f ConfigFile) Copied() []byte {
	f.Path += copySuffix
	data, _ := f.Load() // one that cannot be read restores nothing
	return data
}

// KeepCopy keeps the text of the file beside it, with its mode and owner, under its name
// and ".blue-backup".
func (f ConfigFile) KeepCopy(text []byte) error {
	real, err := f.resolve(f.Path)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return f.failed(f.gone(err))
	}
	return f.beside(func(dir *os.Root, name string) error {
		return atomicfile.Target{Dir: dir, Path: name, Mode: info.Mode().Perm(), Owner: info}.Replace(text)
	})
}

// DropCopy removes the copy of KeepCopy, if there is one.
func (f ConfigFile) DropCopy() error {
	if info, err := os.Lstat(f.Path + copySuffix); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	err := f.beside((*os.Root).Remove)
	if _, there := os.Lstat(f.Path); err == nil && errors.Is(there, fs.ErrNotExist) {
		f.removeEmpty()
	}
	return err
}

// beside calls do with the directory of the file and the name of its copy.
func (f ConfigFile) beside(do func(dir *os.Root, name string) error) error {
	real, err := f.resolve(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	name := filepath.Base(f.Path) + copySuffix
	return f.failed(f.in(real, func(dir *os.Root) error { return do(dir, name) }))
}

// configChanged: something else wrote the file between reading and writing it.
func configChanged(path string) *errors.Error {
	return errors.E(errors.Conflict, "left %q untouched: it changed meanwhile", path).
		Hint("", "", "run the same command again")
}

// configDisk: the file could not be read or written; err says why. What was
// there before is still there.
func configDisk(path string, err error) *errors.Error {
	return errors.E(errors.Disk, "left %q untouched: %w", path, err).
		Hint("", "", "check the owner, the mode and the free space of its directory").
		Hint("setup", "CLIENT --print", "or show the entry and put it in by hand")
}
