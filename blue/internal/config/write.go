package config

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
// directories are made. When the bytes are equal nothing is touched. Nil for after
// takes the file away without a copy, and empties one that a link leads to. Kinds:
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
		return os.Remove(path)
	}
	target, info, err := aim(path, before, mode)
	if err != nil {
		return err
	}
	if before == nil {
		err = os.MkdirAll(filepath.Dir(target), directoryMode(mode))
	} else {
		err = publish(path+backupSuffix, before, info, nil)
	}
	if err != nil {
		return err
	}
	return publish(target, after, info, same)
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

// owned is what a rewritten file keeps of the old one; info is nil for a new one.
type owned struct {
	mode fs.FileMode
	info fs.FileInfo
}

// aim resolves links and reads what the new file is to keep.
func aim(path string, before []byte, mode fs.FileMode) (string, owned, error) {
	if before == nil {
		return path, owned{mode, nil}, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", owned{}, errors.ConfigChanged(path)
	}
	if err != nil {
		return "", owned{}, errors.ConfigDisk(path, err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", owned{}, errors.ConfigDisk(path, err)
	}
	return target, owned{info.Mode().Perm(), info}, nil
}

// publish writes a temporary file and renames it to path; check, when given,
// is asked last before the rename. A failure leaves path as it was and no
// temporary file.
func publish(path string, data []byte, o owned, check func() error) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".blue-setup-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	if err = fill(tmp, data, o); err != nil {
		return err
	}
	if check != nil {
		if err = check(); err != nil {
			return err
		}
	}
	if err = rename(tmp.Name(), path); err != nil {
		return err
	}
	flushDir(dir)
	return nil
}

// fill writes, flushes and closes the temporary file.
func fill(tmp *os.File, data []byte, o owned) error {
	_, err := io.Copy(tmp, bytes.NewReader(data))
	if err == nil && o.info != nil {
		err = keepOwner(tmp, o.info)
	}
	if err == nil {
		err = tmp.Chmod(o.mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	return errors.Join(err, tmp.Close())
}
