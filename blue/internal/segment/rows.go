package segment

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"time"
)

// The stored data of a document apart from its words: a record of recordSize bytes with the numbers
// below, eight bytes each, and its texts, each preceded by its length: those below in this order,
// then its tags.
const (
	flagsNumber = iota
	secondNumber
	nanoNumber
	sizeNumber
	modTimeNumber
	changeTimeNumber
	inodeNumber
	numbers

	recordSize = 8 * numbers
)

const (
	nameText = iota
	typeText
	titleText
	idText
	revisionText
	extraText
	tagTexts
)

const (
	flagSuperseded = 1 << iota
	flagRacy
)

func (s *Segment) record(doc uint32) []byte { return s.records[recordSize*int(doc):][:recordSize] }

func (s *Segment) number(doc uint32, which int) uint64 {
	return binary.LittleEndian.Uint64(s.record(doc)[8*which:])
}

// Superseded reports whether a document is superseded by its own record.
func (s *Segment) Superseded(doc uint32) bool { return s.number(doc, flagsNumber)&flagSuperseded != 0 }

// Time returns the time of a document.
func (s *Segment) Time(doc uint32) time.Time {
	return time.Unix(int64(s.number(doc, secondNumber)), int64(s.number(doc, nanoNumber))).UTC()
}

// Stamp returns the stamp of the file of a document.
func (s *Segment) Stamp(doc uint32) Stamp {
	return Stamp{
		Size: int64(s.number(doc, sizeNumber)), ModTime: int64(s.number(doc, modTimeNumber)), ChangeTime: int64(s.number(doc, changeTimeNumber)),
		Inode: s.number(doc, inodeNumber), Racy: s.number(doc, flagsNumber)&flagRacy != 0,
	}
}

// fields is a sequence of texts, each preceded by its length.
type fields []byte

// next returns the next text without copying it.
func (f *fields) next() []byte {
	n, rest := uvarint(*f)
	*f = rest[n:]
	return rest[:n]
}

// fieldsFrom returns the texts of a document, starting at one of them.
func (s *Segment) fieldsFrom(doc uint32, which int) fields {
	f := fields(s.rowTexts(doc))
	for range which {
		f.next()
	}
	return f
}

// rowTexts returns the encoded texts of a document.
func (s *Segment) rowTexts(doc uint32) []byte {
	from := numberAt(s.places, int(doc))
	if int(doc)+1 == s.Docs {
		return s.texts[from:]
	}
	return s.texts[from:numberAt(s.places, int(doc)+1)]
}

func (s *Segment) text(doc uint32, which int) []byte {
	f := s.fieldsFrom(doc, which)
	return f.next()
}

// Name returns the name of a document without copying it. It must not be retained.
func (s *Segment) Name(doc uint32) []byte { return s.text(doc, nameText) }

// Type returns the type of a document without copying it.
func (s *Segment) Type(doc uint32) []byte { return s.text(doc, typeText) }

// Title returns the title of a document without copying it.
func (s *Segment) Title(doc uint32) []byte { return s.text(doc, titleText) }

// DocumentNumber returns the number of the document of that name, whether it lives or not. If there
// is none, it returns the number at which it would be inserted and false.
func (s *Segment) DocumentNumber(name string) (uint32, bool) {
	i := sort.Search(s.Docs, func(i int) bool { return string(s.Name(uint32(i))) >= name })
	return uint32(i), i < s.Docs && string(s.Name(uint32(i))) == name
}

// HasLabels reports whether a document has the type, or any type if kind is "", and all the tags.
func (s *Segment) HasLabels(doc uint32, kind string, tags []string) bool {
	if kind != "" && string(s.Type(doc)) != kind {
		return false
	}
	return !slices.ContainsFunc(tags, func(tag string) bool { return !s.hasTag(doc, tag) })
}

func (s *Segment) hasTag(doc uint32, tag string) bool {
	for f := s.fieldsFrom(doc, tagTexts); len(f) > 0; {
		if string(f.next()) == tag {
			return true
		}
	}
	return false
}

// Row decodes a document. The result does not refer to the memory of the segment.
func (s *Segment) Row(doc uint32) Row {
	f := s.fieldsFrom(doc, nameText)
	r := Row{
		Name: string(f.next()), Type: string(f.next()), Title: string(f.next()), ID: string(f.next()), Revision: string(f.next()),
		Extra: bytes.Clone(f.next()), Time: s.Time(doc), Superseded: s.Superseded(doc), Stamp: s.Stamp(doc),
	}
	for len(f) > 0 {
		r.Tags = append(r.Tags, string(f.next()))
	}
	return r
}

// encodeRecord encodes the numbers of a row.
func (r *Row) encodeRecord() (record []byte) {
	flags := uint64(0)
	if r.Superseded {
		flags |= flagSuperseded
	}
	if r.Stamp.Racy {
		flags |= flagRacy
	}
	for _, n := range [numbers]uint64{
		flags, uint64(r.Time.Unix()), uint64(r.Time.Nanosecond()),
		uint64(r.Stamp.Size), uint64(r.Stamp.ModTime), uint64(r.Stamp.ChangeTime), r.Stamp.Inode,
	} {
		record = binary.LittleEndian.AppendUint64(record, n)
	}
	return record
}

// encodeTexts encodes the texts of a row.
func (r *Row) encodeTexts() (texts []byte) {
	for _, text := range slices.Concat([]string{r.Name, r.Type, r.Title, r.ID, r.Revision, string(r.Extra)}, r.Tags) {
		texts = append(binary.AppendUvarint(texts, uint64(len(text))), text...)
	}
	return texts
}
