package transfer

import (
	"path"
	"strings"
)

// nameTable maps names of documents to ids: paths first, then what documents are called, the
// more precise names before the others. A name of two documents of the same rank stands for
// none: no link is better than a wrong one.
type nameTable struct{ ids map[string]named }

type named struct {
	id    string
	rank  int
	clash bool
}

// AddDocument adds a document under its path and its names.
func (n *nameTable) AddDocument(d document, id string) {
	if n.ids == nil {
		n.ids = map[string]named{}
	}
	n.addName("/"+strings.TrimSuffix(d.Path, path.Ext(d.Path)), id, 0)
	if path.Ext(d.Path) != "" && !isMarkdown(d.Path) {
		n.addName("/"+d.Path, id, 0) // a name of records that happens to hold a dot
	}
	for i, name := range d.Names {
		n.addName(name, id, i+1)
	}
}

func (n *nameTable) addName(name, id string, rank int) {
	key := strings.ToLower(name)
	was, ok := n.ids[key]
	switch {
	case !ok || rank < was.rank:
		n.ids[key] = named{id: id, rank: rank}
	case rank == was.rank && id != was.id:
		was.clash = true
		n.ids[key] = was
	}
}

func (n *nameTable) findName(key string) (id string, ok bool) {
	found, ok := n.ids[strings.ToLower(key)]
	return found.id, ok && !found.clash
}

// ByPath returns the id of the file that a path in the document at from leads to. A path that
// leads out of the source leads to nothing.
func (n *nameTable) ByPath(from, target string) (id string, ok bool) {
	if !strings.HasPrefix(target, "/") {
		target = path.Join(path.Dir(from), target)
		if target == ".." || strings.HasPrefix(target, "../") {
			return "", false
		}
		target = "/" + target
	}
	target = path.Clean(target)
	return n.findName(strings.TrimSuffix(target, path.Ext(target)))
}

// ByName returns the id of what the document at from calls by a name, or by a path without
// extension from its own directory or from the top.
func (n *nameTable) ByName(from, name string) (id string, ok bool) {
	name = strings.TrimSpace(name)
	if isMarkdown(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	for _, key := range []string{path.Join("/", path.Dir(from), name), path.Join("/", name), name} {
		if id, ok := n.findName(key); ok {
			return id, true
		}
	}
	return "", false
}
