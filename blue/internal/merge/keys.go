package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// mergeFront merges a front matter key by key; fields are those that both have changed. It is
// not ok when one of the three cannot be taken apart.
func mergeFront(base, ours, theirs note.Text) (text string, fields []string, ok bool) {
	if text, both := pick(base.Front, ours.Front, theirs.Front); !both {
		return text, nil, true
	}
	b, okB := takeApart(base)
	o, okO := takeApart(ours)
	t, okT := takeApart(theirs)
	if !okB || !okO || !okT {
		return "", nil, false
	}
	var out strings.Builder
	for _, key := range orderKeys(b, o, t) {
		lines, both := mergeKey(key, b, o, t)
		if both {
			fields = append(fields, key)
		}
		out.WriteString(lines)
	}
	rest, both := pick(b.lines[""], o.lines[""], t.lines[""])
	if both {
		rest = min(rest, t.lines[""])
	}
	return out.String() + rest, fields, true
}

// orderKeys are the keys of all three: in the order of both sides when they have the same,
// else those of the base first. Those that a side has added follow in the order of
// [note.KeyOrder], others in the order of the alphabet.
func orderKeys(b, o, t front) []string {
	if slices.Equal(o.keys, t.keys) {
		return o.keys
	}
	added := map[string]bool{}
	for _, key := range slices.Concat(o.keys, t.keys) {
		added[key] = true
	}
	for _, key := range b.keys {
		delete(added, key)
	}
	known := note.KeyOrder()
	rank := func(key string) int {
		if at := slices.Index(known, key); at >= 0 {
			return at
		}
		return len(known)
	}
	return append(slices.Clone(b.keys), slices.SortedFunc(maps.Keys(added), func(x, y string) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x, y))
	})...)
}

// mergeKey returns the lines that a key has in the result.
func mergeKey(key string, b, o, t front) (lines string, both bool) {
	inB, inO, inT := b.lines[key], o.lines[key], t.lines[key]
	lines, both = pick(inB, inO, inT)
	if key == note.UIDKey {
		if uid, ok := mergeUID(b, o, t); ok {
			return uid, false
		}
	}
	_, plainO := splitComments(inO)
	_, plainT := splitComments(inT)
	switch {
	case !both:
		return lines, false
	case plainO == plainT: // the comments above differ
		return min(inO, inT), false
	}
	ours, okO := o.value(key)
	theirs, okT := t.value(key)
	switch {
	case !okO && okT:
		return inT, true
	case !okO || !okT:
		return inO, true
	case slices.Contains(setKeys, key):
		return mergeSet(key, b, o, t)
	case inO == "" || inT == "": // one side has removed what the other has changed
		return inO + inT, false
	case key == "status" && (ours.Status == note.Superseded) != (theirs.Status == note.Superseded):
		if theirs.Status == note.Superseded {
			return inT, false
		}
		return inO, false
	case key == "created" && !ours.Created.IsZero() && !theirs.Created.IsZero():
		switch ours.Created.Compare(theirs.Created) {
		case -1:
			return inO, false
		case 1:
			return inT, false
		}
		return min(inO, inT), false
	}
	return inO, true
}

// mergeUID returns the lines of the identity: that of the base, else the smaller one.
func mergeUID(b, o, t front) (lines string, ok bool) {
	uid := func(f front) string { n, _ := f.value(note.UIDKey); return n.UID }
	ours, theirs := uid(o), uid(t)
	want := cmp.Or(uid(b), min(cmp.Or(ours, theirs), cmp.Or(theirs, ours)))
	switch inO, inT := o.lines[note.UIDKey], t.lines[note.UIDKey]; {
	case want == "":
		return "", false
	case want == ours && want == theirs:
		return min(inO, inT), true
	case want == ours:
		return inO, true
	case want == theirs:
		return inT, true
	}
	return b.lines[note.UIDKey], true
}
