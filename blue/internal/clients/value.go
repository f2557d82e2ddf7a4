package clients

import (
	"fmt"
	"slices"
)

// pair is one member of an object, in the order in which it is written. A once
// pair is written with a new object and is the person's own from then on.
type pair struct {
	Key   string
	Value any // string, bool, int, []string, object or []any
	Once  bool
}

// object is members to write.
type object []pair

// find returns the value of a member.
func (o object) find(key string) (any, bool) {
	i := slices.IndexFunc(o, func(m pair) bool { return m.Key == key })
	if i < 0 {
		return nil, false
	}
	return o[i].Value, true
}

// nest wraps v in one object for each key. The key "-" makes a list.
func nest(path []string, v any) any {
	for _, key := range slices.Backward(path) {
		if key == listEnd {
			v = []any{v}
		} else {
			v = object{{Key: key, Value: v}}
		}
	}
	return v
}

// equal reports whether the decoded value have is the wanted one. An object is
// equal when all its members are there, those that are written once excepted.
func equal(want, have any) bool {
	switch want := want.(type) {
	case []string:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, func(w string, h any) bool { return w == h })
	case []any:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, equal)
	case object:
		members, ok := have.(map[string]any)
		return ok && !slices.ContainsFunc(want, func(m pair) bool { return !m.Once && !equal(m.Value, members[m.Key]) })
	case int:
		return fmt.Sprint(want) == fmt.Sprint(have)
	default:
		return want == have
	}
}

// dig follows the keys into a decoded value; nil when one is missing.
func dig(v any, keys ...string) any {
	for _, key := range keys {
		members, _ := v.(map[string]any)
		v = members[key]
	}
	return v
}

// has reports whether the path leads to something, if only to null.
func has(v any, path []string) bool {
	last := len(path) - 1
	members, _ := dig(v, path[:last]...).(map[string]any)
	_, there := members[path[last]]
	return there
}

// without replaces the value at path by what drop makes of it. Nil removes the
// value, and the containers that are empty then.
func without(v any, path []string, drop func(any) any) any {
	if len(path) == 0 {
		return drop(v)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if inner, there := members[path[0]]; there {
		members[path[0]] = without(inner, path[1:], drop)
		if members[path[0]] == nil {
			delete(members, path[0])
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}
