package index

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// Mapped memory is the memory of others: a file that shrinks takes its pages away,
// one that is written to changes under the reader. So nothing is believed before
// it has been read to the end and the file is found untouched; a fault and a
// number that does not fit mean the same as a wrong checksum. The part is given
// up, the caller's [Index.Mend] builds it anew, and the question is asked again.
// Until a whole update has done so the view says that it lacks something.

// read asks the present state until the answer can be trusted.
func (x *Index) read(ask func(v *view)) {
	for mended := false; ; mended = true {
		v := x.now.Load()
		err := v.try(func() { ask(v) })
		if err == nil && (mended || !v.lacks) {
			x.rest()
			return
		}
		if err != nil {
			x.lose(v)
		}
		if mend := x.mend.Load(); mend != nil {
			(*mend)()
		}
	}
}

// try runs a function that reads the view, and fails when what it read is not to be
// trusted. A panic that no file can have caused goes on its way.
func (v *view) try(read func()) error {
	if !v.filed() {
		read()
		return nil
	}
	defer runtime.KeepAlive(v)
	err := guarded(func() error { read(); return nil })
	if err == nil && v.intact() {
		return nil
	}
	return ErrDamaged
}

// guarded turns a panic and a fault of mapped memory into an error.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading the index: %v", r)
		}
	}()
	return read()
}

// restAfter is how long after the last question the memory of mapped files, the texts of
// hits and the scores are given back: what is needed again comes from the system's cache.
// To bring it in anew for every search would make each a tenth slower.
const restAfter = time.Second

// rest gives the memory back unless there is another question before.
func (x *Index) rest() {
	if t := x.resting.Load(); t != nil {
		t.Reset(restAfter)
		return
	}
	t := time.AfterFunc(restAfter, func() {
		v := x.now.Load()
		v.release()
		x.bodies.clear()
		x.scores.Store(nil)
		runtime.KeepAlive(v) // a file is unmapped when its last view is gone
	})
	if !x.resting.CompareAndSwap(nil, t) {
		t.Stop()
	}
}

// release gives back the memory of mapped files that has been read.
func (v *view) release() {
	for _, p := range v.parts {
		if p.file != nil && p.file.mapped {
			release(p.file.bytes)
		}
	}
}

func (v *view) intact() bool {
	for _, p := range v.parts {
		if !p.file.intact() {
			return false
		}
	}
	return true
}

func (v *view) filed() bool {
	for _, p := range v.parts {
		if p.file != nil {
			return true
		}
	}
	return false
}

// lose gives up the files of a view: nothing of them is believed any more.
func (x *Index) lose(v *view) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.giveUp(v)
}

// giveUp is lose for who holds writing.
func (x *Index) giveUp(bad *view) {
	lost := map[*file]bool{}
	for _, p := range bad.parts {
		if p.file != nil {
			lost[p.file] = true
			x.disk.discard(p.file)
		}
	}
	v := &view{lacks: true}
	for _, p := range x.now.Load().parts {
		if !lost[p.file] {
			v.parts = append(v.parts, p)
		}
	}
	x.publish(v)
}
