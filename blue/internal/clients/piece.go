package clients

import (
	"slices"
	"strconv"
)

// piece is one part of Blue in a JSON file: the value at a path, or one value of the list there,
// such as a hook, a permission, or the prompt for a token.
type piece struct {
	part Component
	path []string
	want any              // what the file must hold; nil removes it, also in a member
	ours func(v any) bool // in a list: identifies Blue's value by its decoded form
}

// listed returns Blue's values of a decoded list.
func (p piece) listed(plain any) []any {
	values, isList := dig(plain, p.path...).([]any)
	if !isList || p.ours == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !p.ours(v) })
}

// kept reports whether a decoded file already has the piece as wanted.
func (p piece) kept(plain any) bool {
	listed := p.listed(plain)
	switch {
	case p.ours != nil && p.want == nil:
		return len(listed) == 0
	case p.ours != nil:
		return len(listed) == 1 && equal(p.want, listed[0])
	case p.want == nil:
		return !has(plain, p.path)
	}
	return equal(p.want, dig(plain, p.path...))
}

// apply brings the piece in src up to date.
func (p piece) apply(lang jsonText, src []byte) ([]byte, error) {
	plain, err := lang.decode(src)
	if err != nil || p.kept(plain) {
		return src, err
	}
	if p.ours != nil {
		return p.applyList(lang, src, plain)
	}
	if o, ok := p.want.(object); ok {
		return put(lang, src, p.path, o)
	}
	return lang.set(src, p.path, p.want)
}

// applyList leaves one value of Blue's in the list, at the position of the first one or at the
// end, or none if none is wanted.
func (p piece) applyList(lang jsonText, src []byte, plain any) (after []byte, err error) {
	values, _ := dig(plain, p.path...).([]any)
	first := slices.IndexFunc(values, p.ours)
	if first < 0 {
		return lang.set(src, below(p.path, listEnd), p.want)
	}
	for i, v := range slices.Backward(values) {
		switch {
		case err != nil || !p.ours(v) || i == first && p.want != nil && equal(p.want, v):
		case i == first:
			src, err = lang.set(src, below(p.path, strconv.Itoa(i)), p.want)
		default:
			src, err = lang.set(src, below(p.path, strconv.Itoa(i)), nil)
		}
	}
	return src, err
}

// put sets the wanted members of the object at path. Its other members stay.
func put(lang jsonText, src []byte, path []string, want object) ([]byte, error) {
	plain, err := lang.decode(src)
	if err != nil || !has(plain, path) {
		return lang.set(src, path, want)
	}
	present, _ := dig(plain, path...).(map[string]any)
	for _, m := range want {
		inner, wanted := m.Value.(object)
		_, there := present[m.Key].(map[string]any)
		switch {
		case err != nil || m.Once || equal(m.Value, present[m.Key]):
		case wanted && there:
			src, err = put(lang, src, below(path, m.Key), inner)
		default:
			src, err = lang.set(src, below(path, m.Key), m.Value)
		}
	}
	return src, err
}

// below returns the path with more keys.
func below(path []string, keys ...string) []string { return slices.Concat(path, keys) }

// others removes the piece, which is at path below v, from a decoded file, and the containers
// that become empty.
func (p piece) others(v any, path []string) any {
	members, isObject := v.(map[string]any)
	values, isList := v.([]any)
	switch {
	case len(path) == 0 && p.ours == nil:
		return nil
	case len(path) == 0 && isList:
		if values = slices.DeleteFunc(values, p.ours); len(values) == 0 {
			return nil
		}
		return values
	case len(path) == 0 || !isObject:
		return v
	}
	if inner, there := members[path[0]]; there {
		if members[path[0]] = p.others(inner, path[1:]); members[path[0]] == nil {
			delete(members, path[0])
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}
