package trust

import (
	"os"
	"time"

	"blue/errors"
)

const lockTimeout = time.Second // of waiting for another process

// lockFile takes the lock file for this process. On a file system without locks it
// returns at once and is not alone.
func lockFile(path string) (unlock func(), alone bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() } // which also gives the lock back
	for end := time.Now().Add(lockTimeout); ; time.Sleep(time.Millisecond) {
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
