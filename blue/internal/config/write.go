package config

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// maxConfig bounds what is read; the largest files of clients, which hold
// their history too, are far below.
const maxConfig = 64 << 20

// backupSuffix is added to the name of a file for the copy of what it was.
const backupSuffix = ".blue-backup"

// Load returns the bytes of a configuration file, nil when it does not exist
// and an empty slice when it is empty. Kinds: disk, too_large, and invalid for
// what is not a regular file.
func Load(path string) ([]byte, error) {
	info, err := os.Stat(path) // first: opening a FIFO would wait for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, dangling(path)
	case err != nil:
		return nil, errors.ConfigDisk(path, err)
	case !info.Mode().IsRegular():
		return nil, errors.BadConfig(path, 0, "it is not a regular file")
	case info.Size() > maxConfig:
		return nil, errors.ConfigTooLarge(path, maxConfig)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.ConfigDisk(path, err)
	}
	return data, nil
}

// dangling refuses a link that leads nowhere: to write there would guess.
func dangling(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return errors.BadConfig(path, 0, "it is a link to a file that does not exist")
	}
	return nil
}

// Write replaces before, as Load returned it, by after. It keeps a copy of
// before beside the file, under its name and ".blue-backup"; writes a temporary
// file in the same directory, flushes it and renames it, so that at any moment
// the old or the new text is there whole; keeps mode and owner; and replaces
// what a link leads to, not the link. A new file gets the mode, and missing
// directories are made. When the bytes are equal nothing is touched. When after is
// what the copy holds, as when Blue is taken out again, the copy goes. Nil for after
// takes the file away without a copy, and its directory when that is empty then, and empties one that a link leads to. Kinds:
// conflict when the file is no longer before, disk.
func Write(path string, before, after []byte, mode fs.FileMode) error {
	if before != nil && after != nil && bytes.Equal(before, after) {
		return nil
	}
	same := func() error {
		now, err := Load(path)
		if err == nil && ((now == nil) != (before == nil) || !bytes.Equal(now, before)) {
			err = errors.ConfigChanged(path)
		}
		return err
	}
	if err := replaceFile(path, before, after, mode, same); err != nil {
		if _, known := errors.AsType[*errors.Error](err); known {
			return err
		}
		return errors.ConfigDisk(path, err)
	}
	return nil
}

// replaceFile is Write without its errors; same is asked last.
func replaceFile(path string, before, after []byte, mode fs.FileMode, same func() error) error {
	if after == nil && !isLink(path) {
		if err := same(); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(path)) // fails when it holds something
		return nil
	}
	target, err := replacement(path, before, mode)
	if err != nil {
		return err
	}
	target.Check = same
	backup := target
	backup.Path, backup.Check = path+backupSuffix, nil
	switch copied := Copied(path); {
	case before == nil:
		err = os.MkdirAll(filepath.Dir(path), directoryMode(mode))
	case copied != nil && bytes.Equal(copied, after):
		if err = target.Replace(after); err != nil {
			return err
		}
		return os.Remove(backup.Path)
	default:
		err = backup.Replace(before)
	}
	if err != nil {
		return err
	}
	return target.Replace(after)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Copied returns what Write last replaced in the file, nil when there is no copy.
func Copied(path string) []byte {
	data, _ := Load(path + backupSuffix) // one that cannot be read restores nothing
	return data
}

// directoryMode lets those search a new directory who may read the file.
func directoryMode(file fs.FileMode) fs.FileMode { return file | file&0o444>>2 | 0o100 }

// replacement resolves links and reads what the new file is to keep of the old one.
func replacement(path string, before []byte, mode fs.FileMode) (atomicfile.File, error) {
	if before == nil {
		return atomicfile.File{Path: path, Mode: mode}, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.File{}, errors.ConfigChanged(path)
	}
	if err != nil {
		return atomicfile.File{}, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return atomicfile.File{}, err
	}
	return atomicfile.File{Path: target, Mode: info.Mode().Perm(), Owner: info}, nil
}
