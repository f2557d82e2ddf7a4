package blue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// This file is the one place that knows both the files and the index.

// extra is what a reply needs of a note beyond what the index knows.
type extra struct {
	Files   []note.Cited `json:"f,omitempty"`
	Author  string       `json:"a,omitempty"`
	Problem string       `json:"p,omitempty"`
}

// tick is how long a file's times may stand still while its content changes. A
// file that was touched within it of being read is read again the next time.
const tick = 50 * time.Millisecond

// sync brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call.
func (p *Project) sync(ctx context.Context) error { return p.bring(ctx, false, documentOf) }

// bring is sync. With now, files are looked at even where docs/search.md lets a
// listing be put off.
func (p *Project) bring(ctx context.Context, now bool, entry entryFunc) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index.Mend(func() { _ = p.bring(context.Background(), true, documentOf) })
	for {
		touched, all := p.index.Changes(now, filepath.Join(p.found.Root, marker.Name), "notes", "private")
		err := error(nil)
		switch {
		case all:
			err = p.compare(ctx, entry, func() {})
		case len(touched) > 0:
			err = p.take(touched, entry)
		}
		if !errors.Is(err, index.ErrDamaged) {
			return err
		}
	}
}

// compare looks at every file. A file that cannot be read keeps no other from being
// seen. The function is called for each that is read.
func (p *Project) compare(ctx context.Context, entry entryFunc, tell func()) error {
	texts := p.store.Texts()
	defer texts.Close()
	u := p.index.Update(true)
	defer u.Cancel()
	for file, err := range p.store.Files(ctx) {
		if err != nil {
			if !p.leave(file.Name, err) {
				return err
			}
			u.Doubt()
			continue
		}
		stamp := stampOf(file)
		if file.Problem != "" || u.Same(file.Name, stamp) {
			continue
		}
		u.Load(file.Name, file.Size, func() (index.Document, bool, error) {
			defer tell()
			return p.document(u, texts, entry, file.Name, stamp)
		})
	}
	return u.Commit()
}

// take looks at the files that were touched.
func (p *Project) take(touched []index.Touched, entry entryFunc) error {
	texts := p.store.Texts()
	defer texts.Close()
	u := p.index.Update(false)
	defer u.Cancel()
	for _, t := range touched {
		if t.Gone {
			u.Drop(t.Name)
			continue
		}
		u.Load(t.Name, t.Stamp.Size, func() (index.Document, bool, error) { return p.document(u, texts, entry, t.Name, t.Stamp) })
	}
	return u.Commit()
}

// document reads a file for the index; false when it went away meanwhile, is no note
// any more, or cannot be read: the next listing says why.
func (p *Project) document(u *index.Update, texts *store.Texts, entry entryFunc, name string, stamp index.Stamp) (index.Document, bool, error) {
	began := p.b.o.Now()
	data, err := texts.Read(name, stamp.Inode)
	if errors.Is(err, errors.NotFound) || errors.Is(err, errors.Invalid) || errors.Is(err, errors.TooLarge) {
		return index.Document{}, false, nil
	}
	if err != nil && p.leave(name, err) {
		u.Doubt()
		return index.Document{}, false, nil
	}
	if err != nil {
		return index.Document{}, false, err
	}
	if latest := max(stamp.ModTime, stamp.ChangeTime); began.UnixNano()-latest < int64(tick) {
		stamp.Racy = true
	}
	d, err := entry(name, data)
	d.Stamp = stamp
	if d.Time.IsZero() {
		d.Time = time.Unix(0, stamp.ModTime).UTC()
	}
	return d, err == nil, err
}

// follow makes what follows from a note that is about to be written run beside the disk's
// work: its entry of the index is made while the file is flushed, and put in, like the
// line of the ledger, while the directory is.
func (p *Project) follow(held *store.Held, name string, data []byte) {
	ready := p.index.Prepare(func() (index.Document, error) { return documentOf(name, data) })
	held.Named = func(revision string) {
		p.record(name, revision)
		p.put(func(read string, now []byte) (index.Document, error) {
			if read == name && bytes.Equal(now, data) {
				return ready()
			}
			return documentOf(read, now)
		})
	}
}

// entryFunc makes the index's document of a note, see [documentOf].
type entryFunc func(name string, data []byte) (index.Document, error)

// documentOf is the document that a note is to the index, but for its stamp; its time is zero
// when the note says none.
func documentOf(name string, data []byte) (index.Document, error) {
	n := note.ParseText(name, data)
	more, err := json.Marshal(extra{Files: n.Files, Author: n.Author, Problem: n.Problem})
	if err != nil {
		return index.Document{}, err
	}
	row := index.Row{
		Name: name, ID: note.IDOf(name), Title: n.Title, Type: n.Type, Tags: n.Tags, Time: n.Created,
		Superseded: n.Status == note.Superseded, Revision: store.Revision(data), Extra: more,
	}
	keys := append(linkKeys(n.Body), sameKey(note.ScopeOf(name), n.Type, n.Title, n.Body))
	keys = append(keys, fromKeys(n.From)...)
	if n.Request != "" {
		keys = append(keys, requestKey(n.Request))
	}
	return index.Document{Row: row, Body: n.Body, Keys: keys}, nil
}

func stampOf(f store.File) index.Stamp {
	return index.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), ChangeTime: f.ChangeTime.UnixNano(), Inode: f.Inode}
}

// put brings what this process has just written into the index.
func (p *Project) put(entry entryFunc) {
	if err := p.bring(context.Background(), true, entry); err != nil {
		p.b.o.Log.Warn("index not brought in line", "project", p.found.Root, "err", err)
	}
}

// sameKey is the key under which two notes of one scope, type, title and body
// meet.
func sameKey(scope, kind, title, body string) string {
	text := strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	sum := sha256.Sum256([]byte(scope + "\x00" + kind + "\x00" + title + "\x00" + text))
	return "same:" + string(sum[:16])
}

// requestOf is the hash by which a draft with a key knows the note again that it has made,
// whatever has become of the text, the name and the history of that note since; empty
// without a key.
func requestOf(d Draft, n note.Text) string {
	if d.Key == "" {
		return ""
	}
	return store.Revision([]byte(strings.Join([]string{d.dir(), d.Key, n.Title, strings.TrimSpace(n.Body)}, "\x00")))
}

func requestKey(request string) string { return "request:" + request }

func linkKeys(body string) []string {
	var keys []string
	for _, link := range note.FindLinks(body) {
		keys = append(keys, "link:"+link.ID)
	}
	return keys
}

// fromKeys are the keys under which an import finds what it made: of the very same
// text, and of an earlier one.
func fromKeys(from string) []string {
	at := strings.LastIndexByte(from, '#')
	if at < 0 {
		return nil
	}
	return []string{"from:" + from, "was:" + from[:at]}
}
