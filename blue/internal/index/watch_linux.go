package index

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// watch is an inotify queue for a few directories. It needs one read per call, and neither a
// goroutine nor a library.
type watch struct {
	fd      int
	subs    []string       // names of the directories below dir
	dirs    map[int]string // by watch descriptor; "" is dir itself
	cleanup runtime.Cleanup
	b       []byte
}

const (
	selfEvents = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	fileEvents = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE
	dirEvents  = unix.IN_CREATE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE
	doubts     = unix.IN_Q_OVERFLOW | unix.IN_IGNORED | unix.IN_UNMOUNT | selfEvents
)

// startWatching starts watching. It returns nil if that fails or is unreliable.
func startWatching(dir string, subs []string) *watch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w := &watch{fd: fd, subs: subs, dirs: map[int]string{}, b: make([]byte, 1<<14)}
	if !w.watchDirectory(dir, "", dirEvents) {
		w.close()
		return nil
	}
	for _, sub := range subs {
		if _, err := os.Lstat(filepath.Join(dir, sub)); err != nil {
			continue // its creation will be seen in dir
		}
		if !w.watchDirectory(filepath.Join(dir, sub), sub, fileEvents) {
			w.close()
			return nil
		}
	}
	w.cleanup = runtime.AddCleanup(w, func(fd int) { _ = unix.Close(fd) }, fd)
	return w
}

func (w *watch) watchDirectory(path, sub string, events uint32) bool {
	n, err := unix.InotifyAddWatch(w.fd, path, events|selfEvents|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
	w.dirs[n] = sub
	return err == nil && isLocal(path)
}

// isLocal reports whether a path is on a file system of which all changes pass through this kernel.
func isLocal(path string) bool {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return false
	}
	local := []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, zfs, bcachefs}
	return slices.Contains(local, int64(s.Type))
}

const (
	zfs      = 0x2fc12fc1
	bcachefs = 0xca451a4e
)

// drainEvents empties the queue and returns the names of the touched files, without duplicates. It
// returns false if the queue may be incomplete.
func (w *watch) drainEvents() (names []string, ok bool) {
	ok = true
	seen := map[string]bool{}
	for {
		n, err := unix.Read(w.fd, w.b)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return names, ok
		case err != nil || n <= 0:
			return nil, false
		}
		for rest := w.b[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			number, mask := int(int32(binary.NativeEndian.Uint32(rest))), binary.NativeEndian.Uint32(rest[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			base := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:size], "\x00"))
			rest = rest[size:]
			sub := w.dirs[number]
			switch {
			case mask&doubts != 0 || base == "" || sub == "" && slices.Contains(w.subs, base): // an event without a name is about a directory itself
				ok = false
			case sub != "" && base != "" && !seen[sub+"/"+base]:
				seen[sub+"/"+base] = true
				names = append(names, sub+"/"+base)
			}
		}
	}
}

// close must be called only once.
func (w *watch) close() {
	w.cleanup.Stop()
	_ = unix.Close(w.fd)
}

// stampOf returns the stamp of a file; gone means that it does not exist or is not a regular file.
func stampOf(path string) (s Stamp, gone bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeType != 0 {
		return s, true
	}
	s = Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ChangeTime, s.Inode = sys.Ctim.Nano(), sys.Ino
	}
	return s, false
}
