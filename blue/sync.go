package blue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"regexp"
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
		if document, ok, err := p.document(file.Name, stamp); err != nil {
			return err
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
	return p.index.Put(fresh...)
}

// document reads a file for the index; false when it went away meanwhile.
func (p *Project) document(name string, stamp index.Stamp) (index.Document, bool, error) {
	began := p.b.o.Now()
	data, revision, err := p.store.Read(name)
	if errors.Is(err, errors.NotFound) {
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

var (
	wikiLink     = regexp.MustCompile(`\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]*)?\]\]`)
	markdownLink = regexp.MustCompile(`\]\(<?(?:\./|\.\./notes/|\.\./private/)?([^()<>\s/:]{1,200})\.md(?:#[^()<>\s]*)?>?\)`)
)

// links are the ids that a body links to, in order, each once.
func links(body string) []string {
	var ids []string
	seen := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{wikiLink, markdownLink} {
		for _, m := range pattern.FindAllStringSubmatch(body, -1) {
			id := strings.TrimSpace(m[1])
			if id != "" && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func linkKeys(body string) []string {
	ids := links(body)
	for i, id := range ids {
		ids[i] = "link:" + id
	}
	return ids
}
