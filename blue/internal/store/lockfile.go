package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"blue/errors"
)

// takeStandInLock creates the file that stands in for a lock and returns its line: host,
// process, time. One that a process of this host left behind is cleared away first.
func (s *Store) takeStandInLock() (line string, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	file, err := s.blue.OpenFile(standInLock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", s.breakAbandonedLock(host)
	}
	if err != nil {
		return "", errors.SaveFailed(filepath.Base(s.path)+"/"+standInLock, err)
	}
	line = fmt.Sprintf("%s %d %s\n", host, os.Getpid(), time.Now().UTC().Format(time.RFC3339Nano))
	_, err = file.WriteString(line)
	if err = cmp.Or(err, file.Close()); err != nil {
		s.blue.Remove(standInLock)
		return "", errors.SaveFailed(filepath.Base(s.path)+"/"+standInLock, err)
	}
	return line, nil
}

// breakAbandonedLock returns the error that names the process which holds the file, and
// breaks the lock when that process ran on this host and is gone; the caller tries again.
func (s *Store) breakAbandonedLock(host string) error {
	data, _, _ := loadFile(s.blue, standInLock)
	line := string(data)
	words := strings.Fields(line)
	if len(words) != 3 {
		return errors.LockedBy(s.pathOf(standInLock), "")
	}
	pid, err := strconv.Atoi(words[1])
	if err == nil && pid > 0 && words[0] == host && host != "unknown" && processIsGone(pid) {
		s.dropStandInLock(line)
	}
	return errors.LockedBy(s.pathOf(standInLock), fmt.Sprintf("process %s on %s since %s", words[1], words[0], words[2]))
}

// dropStandInLock removes the file if it still has this line. The file is moved aside
// first: between reading and removing another process may have taken the lock.
func (s *Store) dropStandInLock(line string) {
	aside := fmt.Sprintf("%s-%016x", standInLock, rand.Uint64())
	if rename(s.blue, standInLock, aside) != nil {
		return
	}
	if data, _, err := loadFile(s.blue, aside); err == nil && string(data) != line {
		linkOrRename(s.blue, aside, standInLock)
		return
	}
	s.blue.Remove(aside)
}
