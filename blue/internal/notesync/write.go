package notesync

import (
	"context"
	"maps"
	"slices"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Numbers of files that are written while the lock is held. They are small so that other
// writers wait only briefly. New files are synced to disk together.
const (
	newChunk   = 16
	otherChunk = 4
)

// step is the change of one file.
type step struct {
	uid, name  string
	from       string // former name, if it is renamed
	revision   string // before, empty for a new file
	blob       string // of the new text, empty if the text stays
	text       []byte
	remove     bool   // move it to the trash
	superseded string // blob of a text that goes to the history
	same       bool   // only the history changes
	interim    bool   // the name is only temporary
}

// writeFiles writes the files of the tree, a few at a time under the lock. It returns errMoved
// if a file has changed since it was read.
func (r *round) writeFiles(ctx context.Context) error {
	steps, err := r.planSteps(ctx)
	if err == nil && len(steps) > 0 && r.heads.remote != "" && r.heads.remote != r.heads.base {
		err = r.take(ctx)
	}
	if err != nil {
		return err
	}
	for len(steps) > 0 {
		now, later := r.splitSteps(steps)
		if err := r.writeWave(ctx, now); err != nil {
			return err
		}
		steps = later
	}
	slices.Sort(r.out.Came)
	return nil
}

// take records what the files are about to become. It also records what is in the trash, except
// removals that were not sent yet, so that only later files there count as removals by the
// user.
func (r *round) take(ctx context.Context) error {
	r.last.Reported = slices.DeleteFunc(slices.Clone(r.trashed), func(file string) bool {
		return slices.Contains(r.unsent, file)
	})
	saved := load[lastSync](r.stateFile(".json"), lastSyncLimit)
	saved.Reported = r.last.Reported
	if err := saved.save(r.stateFile(".json")); err != nil {
		return err
	}
	now := taking{Commit: r.heads.remote}
	if changes, err := r.Store.Journal(); err == nil && len(changes) > 0 {
		now.Change = changes[len(changes)-1].Time
	}
	return r.backend.Take(ctx, now, r.theirs)
}

// splitSteps returns the steps that can be taken now. A step comes later if its name still
// belongs to a file that must be renamed or removed. If files exchange their names, one of them
// first gets a third name.
func (r *round) splitSteps(steps []step) (now, later []step) {
	leaves := map[string]string{} // uid by the name that its file will give up
	for _, one := range steps {
		switch {
		case one.from != "":
			leaves[one.from] = one.uid
		case one.remove:
			leaves[one.name] = one.uid
		}
	}
	for _, one := range steps {
		if uid := leaves[one.name]; uid == "" || uid == one.uid {
			now = append(now, one)
		} else {
			later = append(later, one)
		}
	}
	if len(now) == 0 {
		third := later[0]
		third.name = r.thirdName(third.uid, third.from)
		third.blob, third.interim = r.files[third.uid].blob, true
		now, later[0].from = []step{third}, third.name
	}
	return now, later
}

// writeWave writes the files of steps, new ones first.
func (r *round) writeWave(ctx context.Context, steps []step) error {
	isNew := func(one step) bool {
		return one.revision == "" && one.from == "" && one.superseded == "" && !one.remove
	}
	others := slices.DeleteFunc(slices.Clone(steps), isNew)
	created := slices.DeleteFunc(steps, func(one step) bool { return !isNew(one) })
	if err := r.writeAll(ctx, created, true); err != nil {
		return err
	}
	return r.writeAll(ctx, others, false)
}

// writeAll reads the texts of steps and writes the files in chunks.
func (r *round) writeAll(ctx context.Context, steps []step, create bool) error {
	most := otherChunk
	if create {
		most = newChunk
	}
	var ready []step
	size, pause := 0, time.Duration(0)
	flush := func() error {
		time.Sleep(pause) // let other writers take the lock
		began := time.Now()
		err := r.writeSome(ctx, ready, create)
		ready, size, pause = nil, 0, min(time.Since(began), 10*time.Millisecond)
		return err
	}
	add := func(one step) error {
		ready, size = append(ready, one), size+len(one.text)
		if len(ready) < most && size < batchBytes {
			return nil
		}
		return flush()
	}
	waiting := map[string][]step{} // by blob
	var blobs []string
	for _, one := range steps {
		if one.blob == "" {
			if err := add(one); err != nil {
				return err
			}
			continue
		}
		waiting[one.blob] = append(waiting[one.blob], one)
		blobs = append(blobs, one.blob)
	}
	err := r.eachText(ctx, blobs, func(blob string, text []byte) error {
		for _, one := range waiting[blob] {
			one.text = text
			if err := add(one); err != nil {
				return err
			}
		}
		delete(waiting, blob)
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(waiting) > 0: // the remote has lost a text
		return errMoved
	case len(ready) > 0:
		return flush()
	}
	return nil
}

// planSteps returns the steps that make the files those of the tree.
func (r *round) planSteps(ctx context.Context) (steps []step, err error) {
	if err := r.mergeWithheld(ctx); err != nil {
		return nil, err
	}
	for _, uid := range slices.Sorted(maps.Keys(r.tree.Notes)) {
		n, f := r.wanted(uid), r.files[uid]
		if f.name == n.name && f.blob == n.blob && r.superseded[uid] == "" || r.unreadable[n.name] || r.unreadable[r.base.Notes[uid].name] {
			continue
		}
		one := step{uid: uid, name: n.name, revision: f.revision, blob: n.blob, superseded: r.superseded[uid]}
		if f.name != "" && f.name != n.name {
			one.from = f.name
		}
		if one.same = f.name == n.name && f.blob == one.blob; one.same {
			one.blob = ""
		}
		if was := r.base.Notes[uid]; f.name == "" && was.name != "" && n.blob == was.blob {
			r.out.Returned = append(r.out.Returned, note.IDOf(n.name))
		}
		steps = append(steps, one)
	}
	for uid, f := range r.files {
		if _, stays := r.tree.Notes[uid]; !stays && !r.withheld[uid] {
			steps = append(steps, step{uid: uid, name: f.name, revision: f.revision, remove: true})
		}
	}
	for uid, half := range r.half {
		if !r.withheld[uid] && half.name != r.wanted(uid).name {
			steps = append(steps, step{uid: uid, name: half.name, revision: half.revision, remove: true, interim: true})
		}
	}
	return steps, nil
}

// wanted returns what the file of a note should become: as in the tree, unless the note is
// withheld.
func (r *round) wanted(uid string) noteFile {
	if n, withheld := r.merged[uid]; withheld {
		return n
	}
	if f := r.files[uid]; r.withheld[uid] && f.name != "" {
		return noteFile{name: f.name, blob: f.blob}
	}
	return r.tree.Notes[uid]
}

// mergeWithheld merges the changes of others into the notes that are withheld.
func (r *round) mergeWithheld(ctx context.Context) error {
	j := &joiner{round: r, result: r.tree.Notes}
	for uid := range r.withheld {
		f, base, theirs := r.files[uid], r.base.Notes[uid], r.tree.Notes[uid]
		if f.name == "" || theirs.same(base) || theirs.name == "" {
			continue
		}
		texts, err := r.textsOf(ctx, base.blob, f.blob, theirs.blob)
		if err != nil {
			return err
		}
		name := f.name
		if f.name == base.name {
			name = theirs.name
		}
		blob := j.mergeTexts(uid, name, theirs.blob, versions{Base: texts[base.blob], Ours: texts[f.blob], Theirs: texts[theirs.blob]})
		r.merged[uid] = noteFile{name: name, blob: blob}
	}
	return nil
}

// textsOf returns texts by their blobs and adds them to the spool. Empty blobs are skipped.
func (r *round) textsOf(ctx context.Context, blobs ...string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := r.eachText(ctx, slices.DeleteFunc(blobs, func(blob string) bool { return blob == "" }), func(blob string, text []byte) error {
		texts[blob] = text
		r.texts.put(blob, text)
		return nil
	})
	return texts, err
}

// writeSome writes files under the lock.
func (r *round) writeSome(ctx context.Context, steps []step, create bool) error {
	held, err := r.Lock(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock()
	var failed []error
	if create {
		batch := make([]store.New, len(steps))
		for i, one := range steps {
			batch[i] = store.New{Name: notesDir + one.name, Data: one.text, By: r.by(one.uid)}
		}
		failed = held.CreateAll(batch)
	}
	for i, one := range steps {
		if create {
			err = failed[i]
		} else {
			err = r.writeOne(held, one)
		}
		switch {
		case err == nil && !one.remove && !one.same && !one.interim:
			r.reportReceived(one)
		case errors.Is(err, errors.Conflict), errors.Is(err, errors.NotFound):
			return errMoved
		case errors.Is(err, errors.Exists): // as another spelling, if the disk ignores case
			if _, _, err := r.Store.Read(notesDir + one.name); err == nil && one.revision == "" && !r.isListed(ctx, one.name) {
				r.out.Refused = append(r.out.Refused, result.NamedNote{ID: note.IDOf(one.name), Why: "this disk takes it for another note of nearly the same name"})
				continue
			}
			return errMoved
		case err != nil:
			return err
		}
	}
	return nil
}

// isListed reports whether the directory lists exactly this name.
func (r *round) isListed(ctx context.Context, name string) bool {
	for f, err := range r.Store.Files(ctx) {
		if err == nil && f.Name == notesDir+name {
			return true
		}
	}
	return false
}

// writeOne performs one step.
func (r *round) writeOne(held *store.Held, one step) (err error) {
	path, id := notesDir+one.name, note.IDOf(one.name)
	held.By = r.by(one.uid)
	if one.superseded != "" {
		text, err := r.ownText(one.superseded)
		if err == nil {
			err = held.Keep(path, text)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case one.same:
	case one.from != "":
		err = r.renameOne(held, one)
	case one.remove:
		var trashed string
		if _, trashed, err = held.Remove(path, one.revision); err == nil {
			if !one.interim {
				r.out.Removed = append(r.out.Removed, id)
			}
			r.trashed = append(r.trashed, trashed)
		}
	case one.revision == "":
		_, err = held.Create(path, one.text)
	default:
		_, err = held.Replace(path, one.revision, one.text)
	}
	return err
}

// renameOne renames a note and replaces its text.
func (r *round) renameOne(held *store.Held, one step) error {
	from, to := notesDir+one.from, notesDir+one.name
	_, err := held.Create(to, one.text)
	if half := r.half[one.uid]; half.name == one.name && errors.Is(err, errors.Exists) {
		_, err = held.Replace(to, half.revision, one.text)
	}
	if err != nil {
		return err
	}
	_, trashed, err := held.Remove(from, one.revision)
	if err != nil && !errors.Is(err, errors.NotFound) {
		return err
	}
	r.trashed = append(r.trashed, trashed)
	return held.TakeHistory(to, from)
}

// by returns the author of a change that was made elsewhere.
func (r *round) by(uid string) store.By {
	return store.By{Author: r.authors[uid], Client: store.Synced}
}

// reportReceived reports a file that was written, and what a check would find in it.
func (r *round) reportReceived(one step) {
	id := note.IDOf(one.name)
	r.out.Came = append(r.out.Came, id)
	r.revisions[r.backend.ID(one.text)] = store.Revision(one.text)
	if len(screen.Unallowed(string(one.text))) > 0 {
		r.out.Shown = append(r.out.Shown, result.NamedNote{ID: id, Why: "it holds what looks like a secret; blue check says where"})
	}
	if len(screen.Hidden(string(one.text))) > 0 {
		r.out.Shown = append(r.out.Shown, result.NamedNote{ID: id, Why: "it holds hidden characters; blue check says where"})
	}
}
