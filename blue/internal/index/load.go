package index

import (
	"cmp"
	"os"
	"runtime/debug"
	"slices"

	"blue/errors"
)

// load is a document that is still to be read.
type load struct {
	name string
	read func() (Document, bool, error)
}

const (
	batchBytes = 256 << 10 // of text that is made a segment at once
	batchDocs  = 4096
	batches    = 2       // made at once on any number of processors, so that memory is bounded
	spillBytes = 5 << 20 // of segments that are kept in memory while more are made
)

// Load puts in the document that read returns. It is called in a goroutine of its
// own, at the latest by Commit, and reports false when the file is gone; the document
// is dropped then. One that cannot be read stays as it is. The size, in bytes, bounds
// how many are held at once.
func (u *Update) Load(name string, size int64, read func() (Document, bool, error)) {
	u.batch = append(u.batch, load{name, read})
	if u.size += size; u.size >= batchBytes || len(u.batch) >= batchDocs {
		u.start()
	}
}

// start makes a segment of the batch beside the caller.
func (u *Update) start() {
	batch := u.batch
	u.batch, u.size = nil, 0
	u.slots <- struct{}{}
	u.crew.Go(func() {
		defer func() { <-u.slots }()
		u.make(batch)
	})
}

// make reads a batch of documents and makes a segment of them.
func (u *Update) make(batch []load) {
	var docs []Document
	var gone, kept []string
	var failed error
	for _, l := range batch {
		d, ok, err := l.read()
		switch {
		case err != nil:
			failed, kept = errors.Join(failed, err), append(kept, l.name)
		case ok:
			docs = append(docs, d)
		default:
			gone = append(gone, l.name)
		}
	}
	slices.SortFunc(docs, func(a, b Document) int { return cmp.Compare(a.Name, b.Name) })
	s, err := u.segment(docs)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed = errors.Join(u.failed, failed, err)
	u.drops = append(u.drops, gone...)
	for i := 0; u.whole && i < len(kept); i++ {
		u.keep(kept[i])
	}
	if err == nil && len(docs) > 0 {
		u.docs += len(docs)
		u.made = append(u.made, newPart(s))
		u.spill()
	}
}

// segment makes one of documents that are in order.
func (u *Update) segment(docs []Document) (*segment, error) {
	if len(docs) == 1 && docs[0].made != nil {
		return docs[0].made.marked(&docs[0].Row), nil
	}
	b := u.builder()
	s, err := b.build(docs)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.free = append(u.free, b)
	return s, err
}

// builder is one that nobody uses. That of the index serves the first batch.
func (u *Update) builder() *builder {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n := len(u.free); n > 0 {
		b := u.free[n-1]
		u.free = u.free[:n-1]
		return b
	}
	return u.x.takeBuilder()
}

func (x *Index) takeBuilder() *builder {
	if b := x.builder.Swap(nil); b != nil {
		return b
	}
	return &builder{}
}

// giveBuilder keeps one that is small for the next.
func (x *Index) giveBuilder(b *builder) {
	if len(b.words) <= knownWords {
		x.builder.Store(b)
	}
}

// Prepare makes all that an [Update] will need of a document but its time and stamp, beside
// the caller: before the file is in place, while the disk flushes it. The function that it
// returns waits for that; what it returns serves one document alone in an update.
func (x *Index) Prepare(document func() (Document, error)) (ready func() (Document, error)) {
	var d Document
	var err error
	var crew crew
	crew.Go(func() {
		if d, err = document(); err == nil {
			b := x.takeBuilder()
			d.made, err = b.build([]Document{d})
			x.giveBuilder(b)
		}
	})
	return func() (Document, error) {
		crew.Wait()
		return d, err
	}
}

// keep lets the document stay that could not be read.
func (u *Update) keep(name string) {
	_ = u.v.try(func() {
		for i, p := range u.v.parts {
			if doc, ok := p.number(name); ok && p.lives(doc) {
				u.seen[i][doc/64] |= 1 << (doc % 64)
			}
		}
	})
}

// spill merges what has gathered in memory into a file that has no name any more.
func (u *Update) spill() {
	size := 0
	for _, p := range u.made {
		if p.file == nil {
			size += len(p.data) + len(p.texts) + len(p.terms) + len(p.entries) + len(p.records)
		}
	}
	if size < spillBytes {
		return
	}
	from := slices.IndexFunc(u.made, func(p *part) bool { return p.file == nil })
	name, err := u.x.disk.write(u.made[from:], identity{}, nil)
	if err != nil {
		return
	}
	if s, err := openFile(name, 0); err == nil {
		u.made = append(u.made[:from:from], newPart(s))
		(&view{parts: u.made}).release()
	}
	os.Remove(name)
}

// letGo gives up the builders, but for one that is small. To make so many parts that they
// were spilled took more memory than to merge them will.
func (u *Update) letGo() {
	free := u.free
	u.free = nil
	if slices.ContainsFunc(u.made, func(p *part) bool { return p.file != nil }) {
		debug.FreeOSMemory()
	} else if len(free) == 1 {
		u.x.giveBuilder(free[0])
	}
}
