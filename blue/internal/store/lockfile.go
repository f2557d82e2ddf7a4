package store

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"blue/errors"
)

// lockFile stands in for the lock where the file system has none: whoever creates
// it holds the lock.
const lockFile = tempStart + "lock"

// takeLockFile creates the lock file and returns its line: host, process, time.
// One that a process of this host left behind is cleared away first.
func (s *Store) takeLockFile() (line string, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	file, err := s.blue.OpenFile(lockFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", s.heldBy(host)
	}
	if err != nil {
		return "", errors.SaveFailed(marker+"/"+lockFile, err)
	}
	line = fmt.Sprintf("%s %d %s\n", host, os.Getpid(), time.Now().UTC().Format(time.RFC3339Nano))
	_, err = file.WriteString(line)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		s.blue.Remove(lockFile)
		return "", errors.SaveFailed(marker+"/"+lockFile, err)
	}
	return line, nil
}

// heldBy says who holds the lock file, and breaks it when that is a process of
// this host which is gone; the caller tries again.
func (s *Store) heldBy(host string) error {
	data, _, _ := load(s.blue, lockFile)
	line := string(data)
	words := strings.Fields(line)
	if len(words) != 3 {
		return errors.LockedBy(s.place(lockFile), "")
	}
	pid, err := strconv.Atoi(words[1])
	if err == nil && pid > 0 && words[0] == host && host != "unknown" && gone(pid) {
		s.dropLockFile(line)
	}
	return errors.LockedBy(s.place(lockFile), fmt.Sprintf("process %s on %s since %s", words[1], words[0], words[2]))
}

// dropLockFile removes the lock file if it still has this line. It is moved aside
// first: between reading and removing another process may have taken the lock.
func (s *Store) dropLockFile(line string) {
	aside := fmt.Sprintf("%s-%016x", lockFile, rand.Uint64())
	if rename(s.blue, lockFile, aside) != nil {
		return
	}
	if data, _, err := load(s.blue, aside); err == nil && string(data) != line {
		settle(s.blue, aside, lockFile)
		return
	}
	s.blue.Remove(aside)
}
