package config

import (
	"fmt"
	"slices"
)

// Pair is one member of an object, in the order in which it is written. A once
// pair is written with a new object and is the person's own from then on.
type Pair struct {
	Key   string
	Value any // string, bool, int, []string, Object or []any
	Once  bool
}

// Object is members to write.
type Object []Pair

// Find returns the value of a member.
func (o Object) Find(key string) (any, bool) {
	i := slices.IndexFunc(o, func(m Pair) bool { return m.Key == key })
	if i < 0 {
		return nil, false
	}
	return o[i].Value, true
}

// Equal compares a wanted value with a decoded one; an object is equal when
// each of its members is there.
func Equal(want, have any) bool {
	switch want := want.(type) {
	case []string:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, func(w string, h any) bool { return w == h })
	case []any:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, Equal)
	case Object:
		members, ok := have.(map[string]any)
		return ok && !slices.ContainsFunc(want, func(m Pair) bool { return !Equal(m.Value, members[m.Key]) })
	case int:
		return fmt.Sprint(want) == fmt.Sprint(have)
	default:
		return want == have
	}
}

// Dig follows the keys into a decoded value; nil when one is missing.
func Dig(v any, keys []string) any {
	for _, key := range keys {
		members, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = members[key]
	}
	return v
}

// Has reports whether the path leads to something, if only to null.
func Has(v any, path []string) bool {
	members, _ := Dig(v, path[:len(path)-1]).(map[string]any)
	_, there := members[path[len(path)-1]]
	return there
}

// Without replaces the value at path by what drop makes of it; nil takes it out,
// and the containers that are empty then.
func Without(v any, path []string, drop func(any) any) any {
	if len(path) == 0 {
		return drop(v)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if inner, there := members[path[0]]; there {
		members[path[0]] = Without(inner, path[1:], drop)
		if members[path[0]] == nil {
			delete(members, path[0])
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}
