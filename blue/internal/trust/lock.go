package trust

import (
	"os"
	"time"

	"blue/errors"
)

const patience = time.Second // of waiting for another process

// lock takes the lock file for this process. On a file system without locks it
// returns at once and is not alone.
func lock(path string) (unlock func(), alone bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() } // which also gives the lock back
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		taken, err := try(f)
		if err != nil || taken {
			return unlock, taken, nil
		}
		if time.Now().After(end) {
			unlock()
			return nil, false, errors.E(errors.Busy, "another process holds %q", path).Hint("", "", "try again")
		}
	}
}
