package sessions

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"math"
	"os"
	"slices"

	"blue/errors"
)

// A database reads the tables of an SQLite file as they were at the last commit, with what is only
// in the write-ahead log yet. It takes no lock and writes nothing. A damaged page has no rows.
//
// See https://www.sqlite.org/fileformat2.html.
type database struct {
	file, log *os.File
	info      os.FileInfo       // of the file when it was opened
	size      int               // of a page
	usable    int               // bytes of a page, without those reserved for extensions
	pages     int               // in the file and in the log
	logged    map[uint32]int64  // where the log has the newest version of a page
	header    []byte            // of the log when it was opened
	cached    map[uint32][]byte // pages above the leaves and others of late
	budget    int               // pages that the current walk may still read
}

const (
	fileHeader  = 100
	logHeader   = 32
	frameHeader = 24
	cachedBytes = 4 << 20
	deepestTree = 20
)

var errChanged = errors.New("the database was changed while it was read")

func openDatabase(path string) (*database, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	d := &database{file: file, info: info, logged: map[uint32]int64{}, cached: map[uint32][]byte{}}
	var head [fileHeader]byte
	if d.log, err = os.Open(path + "-wal"); err == nil {
		d.readLog()
	}
	if page := d.logged[1]; page > 0 {
		_, err = d.log.ReadAt(head[:], page)
	} else {
		_, err = file.ReadAt(head[:], 0)
	}
	d.size = int(binary.BigEndian.Uint16(head[16:]))
	if d.size == 1 {
		d.size = 64 << 10
	}
	d.usable = d.size - int(head[20])
	sized := d.size >= 512 && d.size&(d.size-1) == 0 && d.usable >= 480
	if d.header != nil {
		sized = sized && d.size == int(binary.BigEndian.Uint32(d.header[8:]))
	}
	if err != nil || string(head[:16]) != "SQLite format 3\x00" || !sized || head[59] > 1 {
		d.close()
		return nil, errors.New("no SQLite database with texts in UTF-8")
	}
	d.pages = int(d.info.Size()/int64(d.size)) + len(d.logged)
	return d, nil
}

// close closes the files. It fails if a checkpoint has moved pages since they were opened.
func (d *database) close() (err error) {
	if now, e := d.file.Stat(); e != nil || now.Size() != d.info.Size() || !now.ModTime().Equal(d.info.ModTime()) {
		err = errChanged
	}
	if d.log != nil {
		if now := make([]byte, len(d.header)); len(now) > 0 {
			if _, e := d.log.ReadAt(now, 0); e != nil || !bytes.Equal(now, d.header) {
				err = errChanged
			}
		}
		d.log.Close()
	}
	d.file.Close()
	return err
}

// readLog notes where the pages of the commits in the log are. A frame is valid if it has the salt
// of the log and a checksum that continues that of the frame before.
func (d *database) readLog() {
	head := make([]byte, logHeader)
	if _, err := d.log.ReadAt(head, 0); err != nil {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	d.header = head
	size := int64(binary.BigEndian.Uint32(head[8:]))
	if size < 512 || size > 64<<10 {
		return
	}
	var sum checksum
	sum.add(order, head[:24])
	if !sum.equals(head[24:]) {
		return
	}
	in := io.NewSectionReader(d.log, logHeader, 1<<62)
	frame := make([]byte, frameHeader+size)
	open := map[uint32]int64{} // pages of a transaction that is not committed yet
	for at := int64(logHeader + frameHeader); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil || !bytes.Equal(frame[8:16], head[16:24]) {
			return
		}
		sum.add(order, frame[:8])
		sum.add(order, frame[frameHeader:])
		if !sum.equals(frame[16:]) {
			return
		}
		open[binary.BigEndian.Uint32(frame)] = at
		if commit := binary.BigEndian.Uint32(frame[4:]); commit > 0 {
			for page, at := range open {
				d.logged[page] = at
			}
			clear(open)
		}
	}
}

// checksum is that of the write-ahead log.
type checksum struct{ a, b uint32 }

func (c *checksum) add(order binary.ByteOrder, data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		c.a += order.Uint32(data) + c.b
		c.b += order.Uint32(data[4:]) + c.a
	}
}

func (c *checksum) equals(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c.a && binary.BigEndian.Uint32(stored[4:]) == c.b
}

// page returns a page, nil if there is none.
func (d *database) page(number uint32) []byte {
	if d.budget--; d.budget < 0 || number == 0 {
		return nil
	}
	if page := d.cached[number]; page != nil {
		return page
	}
	page := make([]byte, d.size)
	from, at := d.file, int64(number-1)*int64(d.size)
	if logged, found := d.logged[number]; found {
		from, at = d.log, logged
	}
	if _, err := from.ReadAt(page, at); err != nil {
		return nil
	}
	if len(d.cached) >= cachedBytes/d.size {
		clear(d.cached)
	}
	d.cached[number] = page
	return page
}

// A cell is an entry of a page of a tree.
type cell struct {
	kind   byte   // of the page
	child  uint32 // page with smaller keys, in a node
	rowid  int64  // in a tree of a table: of the record, or the greatest one in child
	length int    // of the record
	data   []byte // the record, or its beginning and where it goes on
}

// Kinds of pages.
const (
	indexNode = 2
	tableNode = 5
	indexLeaf = 10
	tableLeaf = 13
)

// cells returns the kind of a page, and yields its cells, those of a node with the last child.
func (d *database) cells(number uint32) (kind byte, cells iter.Seq[cell]) {
	page := d.page(number)
	if page == nil {
		return 0, nil
	}
	head := page
	if number == 1 {
		head = page[fileHeader:]
	}
	kind = head[0]
	pointers := head[8:]
	if kind == indexNode || kind == tableNode {
		pointers = head[12:]
	}
	count := min(int(binary.BigEndian.Uint16(head[3:])), len(pointers)/2)
	return kind, func(yield func(cell) bool) {
		for i := range count {
			at := int(binary.BigEndian.Uint16(pointers[2*i:]))
			if at > d.usable {
				continue
			}
			if c, ok := decodeCell(kind, page[at:d.usable]); ok && !yield(c) {
				return
			}
		}
		if kind == indexNode || kind == tableNode {
			yield(cell{kind: kind, child: binary.BigEndian.Uint32(head[8:]), rowid: math.MaxInt64})
		}
	}
}

// decodeCell decodes the cell with which data begins. One with a record that is too long is none.
func decodeCell(kind byte, data []byte) (c cell, ok bool) {
	c.kind = kind
	if kind == indexNode || kind == tableNode {
		if len(data) < 4 {
			return c, false
		}
		c.child, data = binary.BigEndian.Uint32(data), data[4:]
	}
	var length, rowid uint64
	if kind != tableNode {
		length, data = varint(data)
	}
	if kind == tableNode || kind == tableLeaf {
		rowid, data = varint(data)
	}
	c.length, c.rowid, c.data = int(length), int64(rowid), data
	return c, length <= longestRecord
}

// record returns the record of a cell, of which a long one goes on in a chain of other pages. It
// is nil if it is damaged.
func (d *database) record(c cell) []byte {
	most := d.usable - 35
	if c.kind != tableLeaf {
		most = (d.usable-12)*64/255 - 23
	}
	if c.length <= most {
		if c.length > len(c.data) {
			return nil
		}
		return c.data[:c.length:c.length]
	}
	least := (d.usable-12)*32/255 - 23
	local := least + (c.length-least)%(d.usable-4)
	if local > most {
		local = least
	}
	if local+4 > len(c.data) {
		return nil
	}
	record := slices.Grow(slices.Clone(c.data[:local]), c.length-local)
	next := binary.BigEndian.Uint32(c.data[local:])
	for len(record) < c.length {
		page := d.page(next)
		if page == nil {
			return nil
		}
		record = append(record, page[4:min(d.usable, 4+c.length-len(record))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return record
}

// varint decodes an integer of at most nine bytes. Where data ends it returns the greatest one.
func varint(data []byte) (n uint64, rest []byte) {
	for i := range min(9, len(data)) {
		if i == 8 {
			return n<<8 | uint64(data[i]), data[9:]
		}
		if n = n<<7 | uint64(data[i]&0x7f); data[i] < 0x80 {
			return n, data[i+1:]
		}
	}
	return 1<<64 - 1, nil
}

// values returns the columns of a record: texts and blobs as bytes, integers as int64, else nil.
func values(record []byte) (all []any) {
	length, rest := varint(record)
	if length > uint64(len(record)) || uint64(len(record)-len(rest)) > length {
		return nil
	}
	types, data := record[len(record)-len(rest):length], record[length:]
	for len(types) > 0 {
		var kind uint64
		kind, types = varint(types)
		size := [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[min(kind, 11)]
		if kind >= 12 {
			size = (kind - 12) / 2
		}
		if size > uint64(len(data)) {
			return all
		}
		value := data[:size]
		data = data[size:]
		switch {
		case kind >= 12:
			all = append(all, value)
		case kind == 8 || kind == 9:
			all = append(all, int64(kind-8))
		case kind >= 1 && kind <= 6:
			n := int64(int8(value[0]))
			for _, b := range value[1:] {
				n = n<<8 | int64(b)
			}
			all = append(all, n)
		default:
			all = append(all, nil)
		}
	}
	return all
}
