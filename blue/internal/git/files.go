package git

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"blue/errors"
)

// HashFile returns the hash by which notes cite a file below a directory, or "" if the file cannot
// be read.
func HashFile(dir, name string) string {
	text, ok := ReadFile(dir, name, hashLimit)
	if !ok {
		return ""
	}
	return hashOf(text)
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ReadFile returns the content of a regular file below a directory; ok is false if the file is
// larger than the limit, not regular or unreadable.
func ReadFile(dir, name string, limit int64) (text []byte, ok bool) {
	f := openRegular(dir, name, limit)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	return text, err == nil && int64(len(text)) <= limit
}

// IsMissing reports whether nothing with that name exists below a directory, not even a link.
func IsMissing(dir, name string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(filepath.FromSlash(name))
	return errors.Is(err, fs.ErrNotExist)
}

// openRegular opens a regular file below a directory. It returns nil on failure.
func openRegular(dir, name string, limit int64) *os.File {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	if stat, err := root.Stat(name); err != nil || !stat.Mode().IsRegular() || stat.Size() > limit {
		return nil
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a FIFO by now
	if err != nil {
		return nil
	}
	if stat, err := f.Stat(); err != nil || !stat.Mode().IsRegular() {
		f.Close()
		return nil
	}
	return f
}

// Relative returns the slash-separated path of a file relative to the first of several directories
// that contains it; ok is false if none does.
func Relative(file string, dirs ...string) (name string, ok bool) {
	for _, dir := range dirs {
		name := file
		if filepath.IsAbs(file) {
			var err error
			if name, err = filepath.Rel(dir, file); err != nil {
				continue
			}
		}
		if name = path.Clean(filepath.ToSlash(name)); name != "." && filepath.IsLocal(filepath.FromSlash(name)) {
			return name, true
		}
	}
	return "", false
}

// Physical resolves the symbolic links in the directory of an absolute path, as was done for the
// root of a project. The file itself need not exist.
func Physical(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		return filepath.Join(dir, filepath.Base(file))
	}
	return file
}
