package segment

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"sort"
	"strings"
	"time"
)

// What is kept of a document: a record of fixed size with the numbers, and its
// texts one after another, each behind its length: name, type, tags behind their
// number, id, title, revision, the caller's own. An id that is part of the name is
// kept as its offset there, and a revision of 16 hex digits as 8 bytes.
const (
	atTexts  = 0 // where the texts are
	atFlags  = 4
	atNano   = 5
	atSecond = 9 // of the document's time
	atSize   = 17
	atMod    = 25
	atChange = 33
	atInode  = 41

	recordSize = 49
)

const (
	flagSuperseded = 1 << iota
	flagRacy
)

const hashSize = 8 // bytes of a revision that is a hash

func (s *Segment) record(doc uint32) []byte {
	return s.records[recordSize*int(doc):][:recordSize]
}

// Superseded reports whether another document has taken the place of one.
func (s *Segment) Superseded(doc uint32) bool { return s.record(doc)[atFlags]&flagSuperseded != 0 }

// Time is that of a document.
func (s *Segment) Time(doc uint32) time.Time {
	r := s.record(doc)
	return time.Unix(int64(binary.LittleEndian.Uint64(r[atSecond:])), int64(binary.LittleEndian.Uint32(r[atNano:]))).UTC()
}

// Stamp is that of the file of a document.
func (s *Segment) Stamp(doc uint32) Stamp {
	r := s.record(doc)
	n := func(at int) uint64 { return binary.LittleEndian.Uint64(r[at:]) }
	return Stamp{Size: int64(n(atSize)), ModTime: int64(n(atMod)), ChangeTime: int64(n(atChange)), Inode: n(atInode), Racy: r[atFlags]&flagRacy != 0}
}

// textFields is the texts of a document from the name on.
func (s *Segment) textFields(doc uint32) fields {
	return fields(s.texts[binary.LittleEndian.Uint32(s.record(doc)[atTexts:]):])
}

// rowText is the texts of a document, whole.
func (s *Segment) rowText(doc uint32) []byte {
	from := binary.LittleEndian.Uint32(s.record(doc)[atTexts:])
	if int(doc)+1 == s.Docs {
		return s.texts[from:]
	}
	return s.texts[from:binary.LittleEndian.Uint32(s.record(doc + 1)[atTexts:])]
}

// Name is that of a document in place; it must not be kept.
func (s *Segment) Name(doc uint32) []byte {
	f := s.textFields(doc)
	return f.nextText()
}

// Type is the type of a document, in place.
func (s *Segment) Type(doc uint32) []byte {
	f := s.textFields(doc)
	f.nextText() // name
	return f.nextText()
}

// DocumentNumber returns the number of the document with the file name.
func (s *Segment) DocumentNumber(name string) (uint32, bool) {
	i := sort.Search(s.Docs, func(i int) bool { return string(s.Name(uint32(i))) >= name })
	return uint32(i), i < s.Docs && string(s.Name(uint32(i))) == name
}

// fields are texts behind their lengths.
type fields []byte

func (f *fields) nextNumber() (n uint32) {
	n, *f = uvarint(*f)
	return n
}

func (f *fields) nextText() []byte { return f.nextBytes(f.nextNumber()) }

func (f *fields) nextBytes(n uint32) []byte {
	text := (*f)[:n]
	*f = (*f)[n:]
	return text
}

// Title is that of a document in place.
func (s *Segment) Title(doc uint32) []byte {
	f := s.textFields(doc)
	f.nextText() // name
	f.skipToTitle()
	return f.nextText()
}

// skipToTitle passes over what stands between the name and the title.
func (f *fields) skipToTitle() {
	f.nextText() // type
	for range f.nextNumber() {
		f.nextText() // tags
	}
	if f.nextNumber() > 0 {
		f.nextNumber() // of an id that is part of the name
	} else {
		f.nextText()
	}
}

// HasLabels reports whether a document is of a type, "" for any, and has all of some tags.
func (s *Segment) HasLabels(doc uint32, kind string, tags []string) bool {
	if kind == "" && len(tags) == 0 {
		return true
	}
	f := s.textFields(doc)
	f.nextText() // name
	if text := f.nextText(); kind != "" && string(text) != kind {
		return false
	}
	for _, tag := range tags {
		if !f.beginsWithTag(tag) {
			return false
		}
	}
	return true
}

// beginsWithTag reports whether a tag is among those that the fields begin with.
func (f fields) beginsWithTag(tag string) bool {
	for range f.nextNumber() {
		if string(f.nextText()) == tag {
			return true
		}
	}
	return false
}

// Row decodes a document; nothing of it points into the segment.
func (s *Segment) Row(doc uint32) Row {
	f := s.textFields(doc)
	r := Row{Name: string(f.nextText()), Type: string(f.nextText()), Time: s.Time(doc), Superseded: s.Superseded(doc), Stamp: s.Stamp(doc)}
	for range f.nextNumber() {
		r.Tags = append(r.Tags, string(f.nextText()))
	}
	if at := f.nextNumber(); at > 0 {
		r.ID = r.Name[at-1:][:f.nextNumber()]
	} else {
		r.ID = string(f.nextText())
	}
	r.Title = string(f.nextText())
	r.Revision = f.nextRevision()
	r.Extra = bytes.Clone(f.nextText())
	return r
}

func (f *fields) nextRevision() string {
	if f.nextNumber() == hashSize {
		return hex.EncodeToString(f.nextBytes(hashSize))
	}
	return string(f.nextText())
}

// Revision returns the name and the revision of a document alone.
func (s *Segment) Revision(doc uint32) (name, revision string) {
	f := s.textFields(doc)
	name = string(f.nextText())
	f.skipToTitle()
	f.nextText() // title
	return name, f.nextRevision()
}

// encodeRow appends the texts of a row and fills its record but for the place.
func (r *Row) encodeRow(record, texts []byte) []byte {
	if r.Superseded {
		record[atFlags] |= flagSuperseded
	}
	r.encodeStamp(record)
	texts = appendText(appendText(texts, r.Name), r.Type)
	texts = binary.AppendUvarint(texts, uint64(len(r.Tags)))
	for _, tag := range r.Tags {
		texts = appendText(texts, tag)
	}
	if at := strings.Index(r.Name, r.ID); at >= 0 {
		texts = binary.AppendUvarint(texts, uint64(at+1))
		texts = binary.AppendUvarint(texts, uint64(len(r.ID)))
	} else {
		texts = appendText(append(texts, 0), r.ID)
	}
	texts = appendText(texts, r.Title)
	if hash, err := hex.DecodeString(r.Revision); err == nil && len(hash) == hashSize && hex.EncodeToString(hash) == r.Revision {
		texts = append(append(texts, hashSize), hash...)
	} else {
		texts = appendText(append(texts, 0), r.Revision)
	}
	return appendText(texts, string(r.Extra))
}

// encodeStamp fills in the time and the stamp of a record that had no stamp.
func (r *Row) encodeStamp(record []byte) {
	if r.Stamp.Racy {
		record[atFlags] |= flagRacy
	}
	binary.LittleEndian.PutUint32(record[atNano:], uint32(r.Time.Nanosecond()))
	put := func(at int, n uint64) { binary.LittleEndian.PutUint64(record[at:], n) }
	put(atSecond, uint64(r.Time.Unix()))
	put(atSize, uint64(r.Stamp.Size))
	put(atMod, uint64(r.Stamp.ModTime))
	put(atChange, uint64(r.Stamp.ChangeTime))
	put(atInode, r.Stamp.Inode)
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}
