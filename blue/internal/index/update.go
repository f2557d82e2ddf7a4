package index

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"blue/errors"
)

// Update brings an index in line with the files that there are. It keeps every
// other change away until [Update.Commit] or [Update.Cancel], one of which must be
// called; searches go on and see the state before.
//
// A whole update names every file that there is, with [Update.Same] or
// [Update.Load], and what it does not name is dropped. Any other changes what it
// names.
type Update struct {
	x     *Index
	v     *view
	whole bool
	sure  bool       // the caller has looked at the files: Commit brings the index in line
	seen  [][]uint64 // by part: the documents that stay
	at    []uint32   // by part: the document after the last one asked for
	drops []string

	batch  []load
	size   int64
	slots  chan struct{}
	crew   crew
	mu     sync.Mutex
	made   []*part
	free   []*builder
	docs   int
	doubt  bool
	failed error
	over   bool
}

// Update begins an update.
func (x *Index) Update(whole bool) *Update {
	x.writing.Lock()
	u := &Update{x: x, v: x.now.Load(), whole: whole, sure: true, slots: make(chan struct{}, min(batches, runtime.GOMAXPROCS(0)))}
	if !whole {
		return u
	}
	u.v = x.adopt(u.v)
	u.at = make([]uint32, len(u.v.parts))
	u.seen = make([][]uint64, len(u.v.parts))
	for i, p := range u.v.parts {
		u.seen[i] = make([]uint64, (p.docs+63)/64)
	}
	return u
}

// Same reports, in a whole update, whether the document is there with that stamp,
// and one that can be relied on. It is quick when names ascend.
func (u *Update) Same(name string, stamp Stamp) (same bool) {
	err := guarded(func() error { // whether it is to be trusted, Commit finds out
		same = false
		for i, p := range u.v.parts {
			if doc, ok := u.number(i, name); ok && p.lives(doc) {
				if same = !stamp.Racy && p.stamp(doc) == stamp; same {
					u.seen[i][doc/64] |= 1 << (doc % 64)
				}
				break
			}
		}
		return nil
	})
	return same && err == nil
}

// number is [segment.number] beginning where the last name was.
func (u *Update) number(part int, name string) (uint32, bool) {
	p := u.v.parts[part]
	if doc := u.at[part]; doc < uint32(p.docs) && string(p.name(doc)) == name {
		u.at[part]++
		return doc, true
	}
	doc, ok := p.number(name)
	u.at[part] = doc
	if ok {
		u.at[part]++
	}
	return doc, ok
}

// Doubt says that not every file could be read: the next call looks at all of them
// again.
func (u *Update) Doubt() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.doubt = true
}

// Drop removes a document.
func (u *Update) Drop(name string) { u.drops = append(u.drops, name) }

// Cancel ends the update and changes nothing, unless it has ended.
func (u *Update) Cancel() {
	if !u.over {
		u.over = true
		u.crew.group.Wait()
		u.x.writing.Unlock()
	}
}

// Commit makes the changes seen, all at once. The error is of documents that could
// not be read; all others are in place. ErrDamaged means that files of the index
// were not to be trusted, and that the update has to be made again.
func (u *Update) Commit() error {
	defer u.Cancel()
	if len(u.batch) > 0 {
		u.make(u.batch)
	}
	u.crew.Wait()
	u.letGo()
	v := u.v.clone()
	read := &view{parts: slices.Concat(u.v.parts, u.made)}
	err := read.try(func() {
		u.remove(v)
		slices.SortFunc(u.made, func(a, b *part) int { return bytes.Compare(a.name(0), b.name(0)) }) // merged faster
	})
	if err != nil {
		u.x.giveUp(read)
		return ErrDamaged
	}
	v.parts = append(v.parts, u.made...)
	v.lacks = v.lacks && !u.whole
	u.x.publish(v)
	if u.sure {
		u.x.fresh.sure.Store(u.failed == nil && !u.doubt)
	}
	u.x.settle(u.docs)
	if u.whole {
		read.release()
	}
	return u.failed
}

// remove drops from the view what the update replaces or does not name.
func (u *Update) remove(v *view) {
	names := slices.Clone(u.drops)
	for _, made := range u.made {
		for doc := range uint32(made.docs) {
			if !u.whole {
				names = append(names, string(made.name(doc)))
			}
		}
	}
	if !u.whole {
		v.drop(names)
		return
	}
	for i, p := range v.parts {
		var gone []uint32
		for doc := range uint32(p.docs) {
			if p.lives(doc) && u.seen[i][doc/64]&(1<<(doc%64)) == 0 {
				gone = append(gone, doc)
			}
		}
		if len(gone) > 0 {
			v.parts[i] = p.without(gone)
		}
	}
}

// Put adds documents; each takes the place of one with the same name. Of two with
// one name in a call the later counts.
func (x *Index) Put(docs ...Document) error {
	last := map[string]int{}
	for i, d := range docs {
		last[d.Name] = i
	}
	return x.change(func(u *Update) {
		for i, d := range docs {
			if last[d.Name] == i {
				u.Load(d.Name, int64(len(d.Body)), func() (Document, bool, error) { return d, true, nil })
			}
		}
	})
}

// Drop removes documents. Names that are not there are passed over.
func (x *Index) Drop(names ...string) error {
	return x.change(func(u *Update) { u.drops = names })
}

func (x *Index) change(with func(u *Update)) error {
	for {
		u := x.Update(false)
		u.sure = false
		with(u)
		if err := u.Commit(); !errors.Is(err, ErrDamaged) {
			return err
		}
		if mend := x.mend.Load(); mend != nil {
			(*mend)()
		}
	}
}
