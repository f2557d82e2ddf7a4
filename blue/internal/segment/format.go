package segment

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"blue/errors"
)

// The format of a segment: a header, the sections, and a footer with their offsets. The two
// sections that grow with the text are written as the data arrives, the others at the end.
//
//	header   magic, version of the format, version of the words
//	texts, data, places, records, lengths, titles, entries, terms, gone
//	footer   offset and size of each section, parent, magic, checksum of all before it
//
// The parent of a delta is the checksum of its base, otherwise 0; gone lists the documents of the
// base that the delta replaces or drops.
const (
	magic         = "blue\x00idx"
	formatVersion = 9 // of this file, segment.go, terms.go and rows.go, and of what rows hold
	wordsVersion  = 5 // of blue/internal/words, of its use in build.go, and of the keys of documents

	headerSize = len(magic) + 8
	footerSize = sections*16 + 4 + len(magic) + 4
)

const (
	textSection = iota
	dataSection
	placeSection
	recordSection
	lengthSection
	titleSection
	entrySection
	termSection
	goneSection
	sections
)

func newChecksum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// errTooLarge reports that offsets of a segment would overflow.
var errTooLarge = errors.New("too many documents for one segment")

// segmentWriter writes a segment: first its rows by ascending name, then its terms in ascending
// order.
type segmentWriter struct {
	out     *bufio.Writer // also writes to the checksum
	sum     hash.Hash32
	at      uint64
	begins  [sections]uint64
	sizes   [sections]uint64
	columns [sections]bytes.Buffer // sections written at the end
	list    encoder
	table   termTable
	err     error // set if a section is too large
}

func newWriter(out io.Writer) *segmentWriter {
	w := &segmentWriter{sum: newChecksum()}
	w.out = bufio.NewWriter(io.MultiWriter(out, w.sum))
	header := binary.LittleEndian.AppendUint32([]byte(magic), formatVersion)
	w.writeBytes(binary.LittleEndian.AppendUint32(header, wordsVersion))
	w.begins[textSection] = w.at
	return w
}

func (w *segmentWriter) writeBytes(b []byte) {
	w.at += uint64(len(b))
	_, _ = w.out.Write(b) // Flush returns the first error
}

// writeSection writes to a section whose offsets must fit into 32 bits.
func (w *segmentWriter) writeSection(section int, b []byte) {
	w.writeBytes(b)
	if w.sizes[section] += uint64(len(b)); w.sizes[section] > math.MaxUint32 {
		w.err = errTooLarge
	}
}

func (w *segmentWriter) addNumber(section int, n uint32) {
	column := &w.columns[section]
	column.Write(binary.LittleEndian.AppendUint32(column.AvailableBuffer(), n))
}

// addRow writes a document: its record and texts, and the number of words in its text and title.
func (w *segmentWriter) addRow(record, texts []byte, length, title uint32) {
	w.addNumber(placeSection, uint32(w.sizes[textSection]))
	w.columns[recordSection].Write(record)
	w.writeSection(textSection, texts)
	w.addNumber(lengthSection, length)
	w.addNumber(titleSection, title)
}

func (w *segmentWriter) addTerm(key string, l []posting) {
	if w.begins[dataSection] == 0 {
		w.begins[dataSection] = w.at
	}
	parts, size := w.list.encodePostings(l), 0
	for _, part := range parts {
		size += len(part)
	}
	line, block := w.table.addTerm(key, size)
	if block {
		w.addNumber(entrySection, uint32(w.columns[termSection].Len()))
		w.addNumber(entrySection, uint32(w.sizes[dataSection]))
	}
	w.columns[termSection].Write(line)
	for _, part := range parts {
		w.writeSection(dataSection, part)
	}
}

func (w *segmentWriter) finish(parent uint32, gone []uint32) error {
	if w.columns[termSection].Len() > math.MaxUint32 {
		w.err = errTooLarge
	}
	for _, doc := range gone {
		w.addNumber(goneSection, doc)
	}
	for section := placeSection; section < sections; section++ {
		column := w.columns[section].Bytes()
		w.begins[section], w.sizes[section] = w.at, uint64(len(column))
		w.writeBytes(column)
	}
	var footer []byte
	for i := range w.begins {
		footer = binary.LittleEndian.AppendUint64(footer, w.begins[i])
		footer = binary.LittleEndian.AppendUint64(footer, w.sizes[i])
	}
	footer = binary.LittleEndian.AppendUint32(footer, parent)
	w.writeBytes(append(footer, magic...))
	_ = w.out.Flush() // also completes the checksum
	w.writeBytes(binary.LittleEndian.AppendUint32(nil, w.sum.Sum32()))
	return cmp.Or(w.err, w.out.Flush())
}

// parseSegment parses the bytes of a segment. It reads only the header and the footer.
func parseSegment(b []byte) (*Segment, error) {
	if len(b) < headerSize+footerSize || string(b[:len(magic)]) != magic {
		return nil, errDamaged
	}
	versions := b[len(magic):]
	if binary.LittleEndian.Uint32(versions) != formatVersion || binary.LittleEndian.Uint32(versions[4:]) != wordsVersion {
		return nil, errors.New("the index is of another version")
	}
	footer := b[len(b)-footerSize:]
	if !bytes.HasPrefix(footer[sections*16+4:], []byte(magic)) {
		return nil, errDamaged
	}
	var parts [sections][]byte
	for i := range parts {
		from, size := binary.LittleEndian.Uint64(footer[16*i:]), binary.LittleEndian.Uint64(footer[16*i+8:])
		if from > uint64(len(b)) || size > uint64(len(b))-from {
			return nil, errDamaged
		}
		parts[i] = b[from:][:size:size]
	}
	s := &Segment{
		texts: parts[textSection], data: parts[dataSection], places: parts[placeSection], records: parts[recordSection], lengths: parts[lengthSection],
		titles: parts[titleSection], entries: parts[entrySection], terms: parts[termSection], gone: parts[goneSection],
	}
	s.Docs = len(s.lengths) / 4
	s.parent = binary.LittleEndian.Uint32(footer[sections*16:])
	if len(s.records) != recordSize*s.Docs || len(s.places) != len(s.lengths) || len(s.titles) != len(s.lengths) || len(s.entries)%entrySize != 0 {
		return nil, errDamaged
	}
	return s, nil
}
