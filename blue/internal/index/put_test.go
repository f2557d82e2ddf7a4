package index

import "blue/errors"

// Put adds documents; each takes the place of one with the same name.
func (x *Index) Put(docs ...Document) error {
	return x.updateUntilDone(func(u *Update) {
		for _, d := range docs {
			u.Load(d.Name, int64(len(d.Body)), func() (Document, bool, error) { return d, true, nil })
		}
	})
}

// Drop removes documents. Names that are not there are passed over.
func (x *Index) Drop(names ...string) error {
	return x.updateUntilDone(func(u *Update) { u.drops = names })
}

func (x *Index) updateUntilDone(with func(u *Update)) error {
	for {
		u := x.Update(false)
		with(u)
		if err := u.Commit(); !errors.Is(err, ErrDamaged) {
			return err
		}
		if mend := x.mend.Load(); mend != nil {
			(*mend)()
		}
	}
}
