package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// block is the unit in which a device keeps or loses what was written.
const block = 4096

// device is a block device with a cache that a power cut empties: what was
// written since the last flush may be on it, in part or not at all.
type device struct {
	mu             sync.Mutex
	size           int64
	stable, cached map[int64][]byte // blocks by number; none is ever changed, only replaced
}

func newDevice(size int64) *device {
	return &device{size: size, stable: map[int64][]byte{}, cached: map[int64][]byte{}}
}

func (d *device) block(n int64) []byte {
	if b, ok := d.cached[n]; ok {
		return b
	}
	if b, ok := d.stable[n]; ok {
		return b
	}
	return make([]byte, block)
}

func (d *device) read(at int64, size int) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	var data []byte
	end := min(at+int64(size), d.size)
	for at < end {
		n := min(end-at, block-at%block)
		data = append(data, d.block(at / block)[at%block:at%block+n]...)
		at += n
	}
	return data
}

func (d *device) write(at int64, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(data) > 0 {
		b := bytes.Clone(d.block(at / block))
		n := copy(b[at%block:], data)
		d.cached[at/block] = b
		at, data = at+int64(n), data[n:]
	}
}

func (d *device) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, b := range d.cached {
		d.stable[n] = b
	}
	clear(d.cached)
}

// cut is the device as a power cut at this instant leaves it: of the blocks that
// were not flushed, those that keep says.
func (d *device) cut(keep func() bool) *device {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := &device{size: d.size, stable: maps.Clone(d.stable), cached: map[int64][]byte{}}
	for n, b := range d.cached {
		if keep() {
			left.stable[n] = b
		}
	}
	return left
}

// mount is a file system served by this process: a directory with the file
// `disk`, whose bytes are those of a device.
type mount struct {
	dir  string
	disk *device
	fd   int
	hung atomic.Bool // nothing is answered while it is set
	end  func()      // unmounts it, after which what hangs has failed
}

// The requests of the FUSE protocol (linux/fuse.h) that are answered with more
// than "not supported".
const (
	opLookup, opForget, opGetattr, opSetattr          = 1, 2, 3, 4
	opOpen, opRead, opWrite, opRelease, opFsync       = 14, 15, 16, 18, 20
	opFlush, opInit, opOpendir, opReleasedir, opBatch = 25, 26, 27, 29, 42
	opInterrupt, opDestroy                            = 36, 38
	maxWrite                                          = 128 << 10
	bigWrites                                         = 1 << 5
)

// fuse mounts such a file system, or skips.
func fuse(t *testing.T, d *device) *mount {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("SKIPPED: /dev/fuse cannot be opened: %v", err)
	}
	m := &mount{dir: filepath.Join(t.TempDir(), "fuse"), disk: d, fd: fd}
	must(t, os.Mkdir(m.dir, 0o755))
	options := fmt.Sprintf("rootmode=40000,user_id=0,group_id=0,allow_other,fd=%d", fd)
	if err := unix.Mount("blue", m.dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		unix.Close(fd)
		t.Skipf("SKIPPED: mounting needs root: %v", err)
	}
	served := make(chan bool)
	go func() { m.serve(); close(served) }()
	m.end = sync.OnceFunc(func() {
		if unix.Unmount(m.dir, unix.MNT_FORCE) != nil { // busy; what hangs has failed
			must(t, unix.Unmount(m.dir, unix.MNT_DETACH))
		}
		<-served
		unix.Close(fd)
	})
	t.Cleanup(m.end)
	return m
}

func (m *mount) serve() {
	request := make([]byte, maxWrite+block)
	for {
		n, err := unix.Read(m.fd, request)
		if err == unix.EINTR || err == unix.ENOENT || err == unix.EAGAIN {
			continue
		}
		if err != nil {
			return // unmounted
		}
		op, unique := binary.LittleEndian.Uint32(request[4:]), request[8:16]
		if m.hung.Load() && op != opInit {
			continue
		}
		reply, code := m.answer(op, request[16], request[40:n])
		if op == opForget || op == opBatch || op == opInterrupt {
			continue
		}
		head := binary.LittleEndian.AppendUint32(nil, uint32(16+len(reply)))
		head = binary.LittleEndian.AppendUint32(head, uint32(-int32(code)))
		unix.Write(m.fd, append(append(head, unique...), reply...))
	}
}

// answer is the answer to one request about node, the root 1 or the file 2.
func (m *mount) answer(op uint32, node byte, in []byte) ([]byte, unix.Errno) {
	number := binary.LittleEndian
	switch op {
	case opInit:
		return pack(uint32(7), uint32(31), number.Uint32(in[8:]), uint32(bigWrites), uint16(16), uint16(12), uint32(maxWrite), uint32(1), make([]byte, 36)), 0
	case opLookup:
		if string(in) != "disk\x00" {
			return nil, unix.ENOENT
		}
		return pack(uint64(2), uint64(0), uint64(0), uint64(0), uint64(0), m.attributes(2)), 0
	case opGetattr, opSetattr:
		return pack(uint64(0), uint64(0), m.attributes(node)), 0
	case opOpen, opOpendir:
		return make([]byte, 16), 0
	case opRead:
		return m.disk.read(int64(number.Uint64(in[8:])), int(number.Uint32(in[16:]))), 0
	case opWrite:
		size := number.Uint32(in[16:])
		m.disk.write(int64(number.Uint64(in[8:])), in[40:40+size])
		return pack(size, uint32(0)), 0
	case opFsync:
		m.disk.flush()
		return nil, 0
	case opFlush, opRelease, opReleasedir, opDestroy:
		return nil, 0
	}
	return nil, unix.ENOSYS
}

func (m *mount) attributes(node byte) []byte {
	mode, size := uint32(unix.S_IFDIR|0o755), uint64(0)
	if node == 2 {
		mode, size = unix.S_IFREG|0o600, uint64(m.disk.size)
	}
	times := make([]byte, 36)
	return pack(uint64(node), size, size/512, times, mode, uint32(1), make([]byte, 12), uint32(block), uint32(0))
}

// pack lays out values as the protocol has them.
func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.LittleEndian, v) // numbers and bytes
	}
	return b.Bytes()
}
