package mcp

import (
	"os"
	"path/filepath"
	"strconv"

	"blue/errors"
)

// announce writes the URL where `blue doctor` looks for running servers; forget
// takes it back.
func (f *front) announce(url string) (forget func(), err error) {
	path := filepath.Join(f.d.o.Blue.Directory("state"), "http", strconv.Itoa(os.Getpid()))
	_ = os.Remove(path) // left by a process of the same number
	if err := writePrivate(path, url+"\n"); err != nil {
		return func() {}, err
	}
	return func() { _ = os.Remove(path) }, nil
}

// writePrivate makes a file that only this user can read, and its directory. The
// name must not exist, not even as a link.
func writePrivate(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}
