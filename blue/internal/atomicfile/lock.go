package atomicfile

import (
	"os"
	"path/filepath"
	"time"

	"blue/errors"
)

// Lock locks the lock file and makes its directory. It waits up to patience for another process.
// On a file system without locks it returns at once and alone is false.
func Lock(path string, patience time.Duration) (unlock func(), alone bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() } // which also unlocks it
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		taken, err := tryLock(f)
		if err != nil || taken {
			return unlock, taken, nil
		}
		if time.Now().After(end) {
			unlock()
			return nil, false, errors.E(errors.Busy, "another process holds %q", path).Hint("", "", "try again")
		}
	}
}
