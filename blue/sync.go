package blue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// This file is the one place that knows both the files and the index.

// extra is what a reply needs of a note beyond what the index knows.
type extra struct {
	Files   []Cited `json:"f,omitempty"`
	Author  string  `json:"a,omitempty"`
	Problem string  `json:"p,omitempty"`
}

// tick is how long a file's times may stand still while its content changes. A
// file that was touched within it of being read is read again the next time.
const tick = 50 * time.Millisecond

// sync brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call.
func (p *Project) sync(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := maps.Collect(p.index.Stamps())
	var fresh []index.Document
	var unreadable error // a file that cannot be read keeps no other from being seen
	for file, err := range p.store.Files(ctx) {
		if err != nil {
			return err
		}
		stamp := stampOf(file)
		was, ok := known[file.Name]
		delete(known, file.Name)
		if file.Problem != "" {
			if ok {
				known[file.Name] = was // no longer served: gone, for a reader
			}
			continue
		}
		if ok && was == stamp && !was.Racy {
			continue
		}
		document, ok, err := p.document(file.Name, stamp)
		if err != nil {
			unreadable = errors.Join(unreadable, err)
		} else if ok {
			fresh = append(fresh, document)
		}
	}
	gone := make([]string, 0, len(known))
	for name := range known {
		gone = append(gone, name)
	}
	if len(gone) > 0 {
		if err := p.index.Drop(gone...); err != nil {
			return err
		}
	}
	if err := p.index.Put(fresh...); err != nil {
		return err
	}
	return unreadable
}

// document reads a file for the index; false when it went away meanwhile, or is
// no note any more: the next listing says why.
func (p *Project) document(name string, stamp index.Stamp) (index.Document, bool, error) {
	began := p.b.o.Now()
	data, revision, err := p.store.Read(name)
	if errors.Is(err, errors.NotFound) || errors.Is(err, errors.Invalid) || errors.Is(err, errors.TooLarge) {
		return index.Document{}, false, nil
	}
	if err != nil {
		return index.Document{}, false, err
	}
	if latest := max(stamp.ModTime, stamp.ChangeTime); began.UnixNano()-latest < int64(tick) {
		stamp.Racy = true
	}
	n := parse(name, data)
	more, err := json.Marshal(extra{Files: n.Files, Author: n.Author, Problem: n.Problem})
	if err != nil {
		return index.Document{}, false, err
	}
	when := n.Created
	if when.IsZero() {
		when = time.Unix(0, stamp.ModTime).UTC()
	}
	row := index.Row{
		Name: name, ID: idOf(name), Title: n.Title, Type: n.Type, Tags: n.Tags, Time: when,
		Superseded: n.Status == Superseded, Stamp: stamp, Revision: revision, Extra: more,
	}
	keys := append(linkKeys(n.body), sameKey(scopeOf(name), n.Type, n.Title, n.body))
	keys = append(keys, fromKeys(n.From)...)
	return index.Document{Row: row, Body: n.body, Keys: keys}, true, nil
}

func stampOf(f store.File) index.Stamp {
	return index.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), ChangeTime: f.ChangeTime.UnixNano(), Inode: f.Inode}
}

// put brings one file that this process has just written into the index.
func (p *Project) put(ctx context.Context) {
	if err := p.sync(ctx); err != nil {
		p.b.o.Log.Warn("index not brought in line", "project", p.found.Root, "err", err)
	}
}

func idOf(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }

func scopeOf(name string) string { return path.Dir(name) }

// sameKey is the key under which two notes of one scope, type, title and body
// meet (reliability.md section 4).
func sameKey(scope, kind, title, body string) string {
	text := strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	sum := sha256.Sum256([]byte(scope + "\x00" + kind + "\x00" + title + "\x00" + text))
	return "same:" + hex.EncodeToString(sum[:16])
}

func linkKeys(body string) []string {
	var keys []string
	for _, link := range links(body) {
		keys = append(keys, "link:"+link.id)
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
