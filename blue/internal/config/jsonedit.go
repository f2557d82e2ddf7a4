package config

import "bytes"

// page is a parsed text with the style in which it is written.
type page struct {
	JSON
	src  []byte
	root node
	nl   string // line end
	unit string // one step of indentation
	flat bool   // written without line ends
}

func (t JSON) page(src []byte) (page, error) {
	root, err := t.parse(src)
	g := page{JSON: t, src: src, root: root, nl: newline(src), unit: "  "}
	if len(root.items) > 0 {
		g.flat = !bytes.Contains(src[root.start:root.end], []byte("\n"))
		if g.breaks(root) && g.margin(root.items[0].start) != "" {
			g.unit = g.margin(root.items[0].start)
		}
	}
	return g, err
}

// margin returns the blanks at the start of the line of the offset.
func (g page) margin(offset int) string {
	line := g.src[bytes.LastIndexByte(g.src[:offset], '\n')+1 : offset]
	line = bytes.TrimPrefix(line, byteOrderMark)
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// breaks reports whether the items of n begin on a line of their own.
func (g page) breaks(n node) bool {
	if len(n.items) == 0 {
		return !g.flat
	}
	return bytes.Contains(g.src[n.start:n.items[0].start], []byte("\n"))
}

func (n node) item(key string) (item, bool) {
	for _, it := range n.items {
		if it.key == key {
			return it, true
		}
	}
	return item{}, false
}

// Put writes members of the object at path, the missing ones behind those that are there.
func (t JSON) Put(src []byte, path []string, want Object, stale []string) ([]byte, error) {
	src, there, err := t.reach(src, path, want)
	if err != nil || !there {
		return src, err
	}
	if src, err = t.merge(src, path, want); err != nil {
		return nil, err
	}
	for _, key := range stale {
		if src, err = t.Drop(src, append(path[:len(path):len(path)], key)); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// reach puts a value at the path, unless something is there.
func (t JSON) reach(src []byte, path []string, v any) (after []byte, there bool, err error) {
	g, err := t.page(src)
	if err != nil {
		return nil, false, err
	}
	if g.root.kind == 0 {
		return g.begin(nest(path, v)), false, nil
	}
	n := g.root
	for i, key := range path {
		if n.kind != '{' {
			return nil, false, g.noObject(n, path[i-1])
		}
		it, ok := n.item(key)
		if !ok {
			return g.insert(n, key, nest(path[i+1:], v)), false, nil
		}
		n = it.node
	}
	if _, isObject := v.(Object); isObject && n.kind != '{' {
		return nil, false, g.noObject(n, path[len(path)-1])
	}
	return src, true, nil
}

func (g page) noObject(n node, key string) error {
	return Fault{lineAt(g.src, n.start), "the value of \"" + key + "\" is not an object"}
}

// nest wraps a value in one object for each key.
func nest(path []string, v any) any {
	for i := len(path) - 1; i >= 0; i-- {
		v = Object{{Key: path[i], Value: v}}
	}
	return v
}

// begin writes the first value of a text that has only blanks and comments.
func (g page) begin(v any) []byte {
	text := string(g.src)
	if trimmed := bytes.TrimPrefix(g.src, byteOrderMark); len(trimmed) > 0 && trimmed[len(trimmed)-1] != '\n' {
		text += g.nl
	}
	return []byte(text + g.render(v, "", true) + g.nl)
}

// merge brings the members of the object at path up to date, one at a time.
func (t JSON) merge(src []byte, path []string, want Object) ([]byte, error) {
	for _, m := range want {
		g, err := t.page(src)
		if err != nil {
			return nil, err
		}
		n := g.at(path)
		it, ok := n.item(m.Key)
		inner, isObject := m.Value.(Object)
		switch {
		case m.Once:
		case !ok:
			src = g.insert(n, m.Key, m.Value)
		case Equal(m.Value, it.plain(src)):
		case isObject && it.kind == '{':
			if src, err = t.merge(src, append(path[:len(path):len(path)], m.Key), inner); err != nil {
				return nil, err
			}
		default:
			src = replace(src, it.node.start, it.end, g.render(m.Value, g.margin(it.start), !g.flat))
		}
	}
	return src, nil
}

func (g page) at(path []string) node {
	n := g.root
	for _, key := range path {
		it, _ := n.item(key)
		n = it.node
	}
	return n
}

// insert puts a member (an element, when the key is empty) at the end of n,
// behind all comments and in the style of its neighbours.
func (g page) insert(n node, key string, v any) []byte {
	end, open := g.tail(n)
	broken := g.breaks(n) || open
	outer := g.margin(n.start)
	indent, before, after := outer+g.unit, "", ""
	if len(n.items) > 0 {
		if broken && !open {
			indent = g.margin(n.items[0].start)
		}
		before = " "
	}
	if broken {
		before = g.nl + indent
		if !bytes.Contains(g.src[end:n.end], []byte("\n")) {
			after = g.nl + outer
		}
	}
	text := g.render(v, indent, broken && key != "")
	if key != "" {
		text = quote(key) + ": " + text
	}
	src := g.src
	if last := len(n.items) - 1; last >= 0 && n.items[last].comma >= 0 {
		after = "," + after
	} else if last >= 0 {
		src = replace(src, n.items[last].end, n.items[last].end, ",")
		end++
	}
	return replace(src, end, end, before+text+after)
}

// tail returns where the last item or comment of n ends, and whether what
// ends there is a comment that runs to the end of its line.
func (g page) tail(n node) (end int, open bool) {
	end = n.start + 1
	if last := len(n.items) - 1; last >= 0 {
		end = max(n.items[last].end, n.items[last].comma+1)
	}
	for pos := end; pos < n.end-1; {
		rest := g.src[pos:]
		if rest[0] != '/' {
			pos++
			continue
		}
		open = rest[1] == '/'
		if open {
			pos += len(bytes.TrimRight(rest[:until(rest, "\n")], "\r"))
		} else {
			pos += 4 + bytes.Index(rest[2:], []byte("*/"))
		}
		end = pos
	}
	return end, open
}
