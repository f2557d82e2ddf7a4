package config

import (
	"bytes"
	"strings"
)

// Drop takes out the member at path, and the containers that are empty then.
func (t JSON) Drop(src []byte, path []string) ([]byte, error) {
	g, err := t.page(src)
	if err != nil {
		return nil, err
	}
	return t.prune(g.cutKey(path), path[:len(path)-1])
}

// cutKey takes out the member at path, if it is there.
func (g page) cutKey(path []string) []byte {
	n := g.at(path[:len(path)-1])
	for i, it := range n.items {
		if it.key == path[len(path)-1] {
			return g.cut(n, i)
		}
	}
	return g.src
}

// cut takes out the item, its comma, and its line when nothing else is on it.
func (g page) cut(n node, i int) []byte {
	it := n.items[i]
	start, end := g.extent(n, i)
	if len(n.items) == 1 && blank(g.src[n.start+1:start]) && blank(g.src[end:n.end-1]) {
		return replace(g.src, n.start+1, n.end-1, "")
	}
	src := g.src
	if it.comma >= end { // a comment stands between the value and its comma
		src = replace(src, it.comma, it.comma+1, "")
	}
	src = replace(src, start, end, "")
	if it.comma < 0 && i > 0 {
		comma := n.items[i-1].comma
		src = replace(src, comma, comma+1, "")
	}
	return src
}

// extent is what to cut with an item: its comma, and the blanks on the one
// side where they would be left over.
func (g page) extent(n node, i int) (start, end int) {
	it := n.items[i]
	start, end = it.start, it.end
	if it.comma >= 0 && blank(g.src[end:it.comma]) {
		end = it.comma + 1
	}
	margin := len(bytes.TrimRight(g.src[:start], " \t"))
	next := end + len(g.src[end:]) - len(bytes.TrimLeft(g.src[end:], " \t"))
	switch alone := g.src[margin-1] == '\n'; {
	case alone && strings.IndexByte("\r\n", g.src[next]) >= 0:
		return len(bytes.TrimSuffix(g.src[:margin-1], []byte("\r"))), end
	case alone || i == 0:
		return start, next
	default:
		return margin, end
	}
}

func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }
