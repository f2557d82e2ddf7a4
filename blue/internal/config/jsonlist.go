package config

import "slices"

// Listed says which one value of ours a list is to hold.
type Listed struct {
	Path []string         // keys that lead to the list
	Want any              // nil: none may be there
	Ours func(v any) bool // tells by its decoded value one that is ours
}

// Keep brings the list up to date: one value that is ours, where the first one stands or
// at the end, or none.
func (t JSON) Keep(src []byte, l Listed) ([]byte, error) {
	settled := l.Want == nil
	for i := 0; ; {
		g, err := t.page(src)
		if err != nil {
			return nil, err
		}
		n := g.at(l.Path)
		for i < len(n.items) && !l.Ours(n.items[i].plain(src)) {
			i++
		}
		switch {
		case n.kind != '[' && !settled:
			src, there, err := t.reach(src, l.Path, []any{l.Want})
			if there {
				err = Fault{lineAt(src, n.start), `the value of "` + l.Path[len(l.Path)-1] + `" is not a list`}
			}
			return src, err
		case n.kind != '[' || i == len(n.items) && settled:
			return t.prune(src, l.Path)
		case i == len(n.items):
			return g.insert(n, "", l.Want), nil
		case settled:
			src = g.cut(n, i)
		default:
			it := n.items[i]
			if !Equal(l.Want, it.plain(src)) {
				src = replace(src, it.start, it.end, g.render(l.Want, "", false))
			}
			settled = true
			i++
		}
	}
}

// Kept reports whether a decoded file needs no change.
func (l Listed) Kept(plain any) bool {
	values, _ := Dig(plain, l.Path).([]any)
	values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !l.Ours(v) })
	if l.Want == nil {
		return len(values) == 0
	}
	return len(values) == 1 && Equal(l.Want, values[0])
}

// Without drops the value from a decoded file.
func (l Listed) Without(plain any) any {
	return Without(plain, l.Path, func(v any) any {
		values, ok := v.([]any)
		if !ok {
			return v
		}
		if values = slices.DeleteFunc(values, l.Ours); len(values) == 0 {
			return nil
		}
		return values
	})
}

// prune takes out the containers on the way to path that are empty.
func (t JSON) prune(src []byte, path []string) ([]byte, error) {
	for ; len(path) > 0; path = path[:len(path)-1] {
		g, err := t.page(src)
		if err != nil {
			return nil, err
		}
		switch n := g.at(path); {
		case n.kind == 0:
		case n.kind != '{' && n.kind != '[' || len(n.items) > 0 || !blank(src[n.start+1:n.end-1]):
			return src, nil
		default:
			src = g.cutKey(path)
		}
	}
	return src, nil
}
