package notesync

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// mergeFront merges a front matter key by key; fields are the keys that both have changed. It is not
// ok if one of the three cannot be split.
func mergeFront(base, ours, theirs note.Text) (text string, fields []string, ok bool) {
	if text, both := pick(base.Front, ours.Front, theirs.Front); !both {
		return text, nil, true
	}
	b, okB := splitFront(base)
	o, okO := splitFront(ours)
	t, okT := splitFront(theirs)
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

// orderKeys returns the keys of all three: in the order of the sides if that is the same, else those
// of the base first. Added keys follow in the order of [note.KeyOrder], others alphabetically.
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

// mergeKey returns the lines of a key in the result.
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
	case plainO == plainT: // only the comments above differ
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

// mergeUID returns the lines of the uid: that of the base, else the smaller one.
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

// front is a front matter split into the lines of its keys.
type front struct {
	note  note.Text
	keys  []string
	lines map[string]string // by key; "" for the lines after the last key
}

// splitFront splits a front matter. One that cannot be parsed is split at lines that look like the
// start of a key.
func splitFront(n note.Text) (f front, ok bool) {
	segments, ok := n.Segments()
	if _, closing := n.Frame(); !ok && closing != "" {
		segments, ok = splitKeys(n.Front)
	}
	f = front{note: n, lines: map[string]string{}}
	for _, s := range segments {
		if _, there := f.lines[s.Key]; s.Key != "" && !there {
			f.keys = append(f.keys, s.Key)
		}
		f.lines[s.Key] += s.Lines // a duplicate key has the lines of both
	}
	return f, ok
}

var keyStart = regexp.MustCompile(`^(?:"([^"\\]+)"|'([^']+)'|([^\s"'#\[\]{}&*!|>%@,?` + "`" + `-].*?))\s*:\s`)

// splitKeys splits a front matter by its lines alone. It is not ok if anything but comments precedes
// the first key.
func splitKeys(text string) (segments []note.Segment, ok bool) {
	loose := "" // comments and blank lines belong to the next key
	for line := range strings.Lines(text) {
		m := keyStart.FindStringSubmatch(line + "\n")
		switch last := len(segments) - 1; {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			loose += line
			continue
		case m != nil:
			segments = append(segments, note.Segment{Key: m[1] + m[2] + m[3], Lines: loose + line})
		case last < 0:
			return nil, false
		default:
			segments[last].Lines += loose + line
		}
		loose = ""
	}
	return append(segments, note.Segment{Lines: loose}), true
}

// value parses the lines of one key. It is not ok if they cannot be parsed.
func (f front) value(key string) (n note.Text, ok bool) {
	n = note.ParseText("x.md", []byte("---\n"+f.lines[key]+"---\n"))
	if n.Problem != "" { // it may refer to another key
		n = f.note
	}
	return n, n.Problem == ""
}

// splitComments separates the comments and blank lines above a key from its lines.
func splitComments(lines string) (comments, key string) {
	at := 0
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			break
		}
		at += len(line)
	}
	return lines[:at], lines[at:]
}
