package notesync

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// sizeLimit is the largest merged note in bytes; larger ones could not be read.
const sizeLimit = 1 << 20

// versions are three texts of one note.
type versions struct {
	Base         []byte // nil if there is no common ancestor
	Ours, Theirs []byte
}

// mergeResult is the result of a merge.
type mergeResult struct {
	Text    []byte
	Fields  []string // keys that both have changed: ours is kept, unless only theirs can be parsed
	Overlap bool     // both have changed the same lines: the body, or all of the text, is ours
}

// Lossy reports whether the text lacks something of theirs.
func (r mergeResult) Lossy() bool { return r.Overlap || len(r.Fields) > 0 }

// mergeNotes merges a note: its front matter key by key, its body line by line. The result
// contains no conflict markers and everything of both sides, unless it is lossy. name gives a
// title to a text that has none. A merge that depends on the order of the sides, or that
// changes something when it is repeated, counts as an overlap. mergeNotes is a pure function.
func mergeNotes(name string, s versions) mergeResult {
	r, ok := mergeVersions(name, s)
	swapped, okSwapped := mergeVersions(name, versions{s.Base, s.Theirs, s.Ours})
	ok = ok && okSwapped && slices.Equal(r.Fields, swapped.Fields) && (r.Lossy() || bytes.Equal(r.Text, swapped.Text))
	for _, side := range [][]byte{s.Ours, s.Theirs} {
		if ok && !r.Lossy() {
			again, _ := mergeVersions(name, versions{s.Base, r.Text, side})
			ok = !again.Lossy() && bytes.Equal(again.Text, r.Text)
		}
	}
	if !ok {
		return mergeResult{Text: s.Ours, Overlap: true}
	}
	return r
}

// mergeVersions merges a note. It is not ok if the front matter cannot be merged, or if the
// result has a fault that neither side has.
func mergeVersions(name string, s versions) (r mergeResult, ok bool) {
	switch {
	case bytes.Equal(s.Ours, s.Theirs), s.Base != nil && bytes.Equal(s.Theirs, s.Base):
		return mergeResult{Text: s.Ours}, true
	case s.Base != nil && bytes.Equal(s.Ours, s.Base):
		return mergeResult{Text: s.Theirs}, true
	}
	base, ours, theirs, eol := evenLineEnds(s)
	b, o, t := note.ParseText(name, []byte(base)), note.ParseText(name, []byte(ours)), note.ParseText(name, []byte(theirs))
	r, ok = mergeParts(b, o, t)
	if eol != "" {
		r.Text = []byte(strings.ReplaceAll(string(r.Text), "\n", eol))
	}
	merged := note.ParseText(name, r.Text)
	broken := merged.Problem != "" && o.Problem == "" && t.Problem == ""
	conflicted := merged.Conflicted && !o.Conflicted && !t.Conflicted
	return r, ok && !broken && !conflicted && len(r.Text) <= sizeLimit
}

// evenLineEnds converts the texts to the line end "\n" if their line ends differ; eol is then
// that of the result.
func evenLineEnds(s versions) (base, ours, theirs, eol string) {
	base, ours, theirs = string(s.Base), string(s.Ours), string(s.Theirs)
	b, o, t := lineEnd(base), lineEnd(ours), lineEnd(theirs)
	if s.Base == nil {
		b = "\n"
	}
	if o == t && (s.Base == nil || b == o) {
		return base, ours, theirs, ""
	}
	plain := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
	eol, _ = pick(b, o, t)
	return plain(base), plain(ours), plain(theirs), eol
}

// mergeParts merges frame, front matter and body. It is not ok if the front matter cannot be
// merged.
func mergeParts(b, o, t note.Text) (r mergeResult, ok bool) {
	front, fields, ok := mergeFront(b, o, t)
	body, apart := mergeLines(b.Body, o.Body, t.Body)
	if !apart {
		body = o.Body
	}
	opening, closing := mergeFrame(b, o, t, front != "")
	if closing != "" && !strings.HasSuffix(closing, "\n") && body != "" {
		closing += lineEnd(opening)
	}
	return mergeResult{Text: []byte(opening + front + closing + body), Fields: fields, Overlap: !apart}, ok
}

// mergeFrame merges the lines around the front matter. If they are needed it takes those of a side
// that has them.
func mergeFrame(b, o, t note.Text, needed bool) (opening, closing string) {
	type frame [2]string
	of := func(n note.Text) (f frame) { f[0], f[1] = n.Frame(); return f }
	f, both := pick(of(b), of(o), of(t))
	if theirs := of(t); both && theirs[0]+theirs[1] < f[0]+f[1] {
		f = theirs
	}
	for _, side := range []note.Text{o, t} { // one of them has the front matter
		if needed && f[1] == "" {
			f = of(side)
		}
	}
	return f[0], f[1]
}

// mergeLines merges two texts line by line. It is not ok if both have changed the same or
// adjacent lines.
//
// Lines that all three texts have separate regions in which at least one side differs. In each
// region the side that has changed wins.
func mergeLines(base, ours, theirs string) (text string, ok bool) {
	if text, both := pick(base, ours, theirs); !both {
		return text, true
	}
	b, bEnd := splitLines(base)
	o, oEnd := splitLines(ours)
	t, tEnd := splitLines(theirs)
	inOurs, inTheirs := note.MatchLines(b, o), note.MatchLines(b, t)
	var merged []string
	atB, atO, atT := 0, 0, 0
	for atB < len(b) || atO < len(o) || atT < len(t) {
		if atB < len(b) && inOurs[atB] == atO && inTheirs[atB] == atT {
			merged = append(merged, b[atB])
			atB, atO, atT = atB+1, atO+1, atT+1
			continue
		}
		endB, endO, endT := atB, len(o), len(t)
		for endB < len(b) && (inOurs[endB] < 0 || inTheirs[endB] < 0) {
			endB++
		}
		if endB < len(b) {
			endO, endT = inOurs[endB], inTheirs[endB]
		}
		region, ok := mergeRegion(b[atB:endB], o[atO:endO], t[atT:endT])
		if !ok {
			return "", false
		}
		merged = append(merged, region...)
		atB, atO, atT = endB, endO, endT
	}
	text = strings.Join(merged, "")
	if end, _ := pick(bEnd, oEnd, tEnd); !end {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text, true
}

func mergeRegion(b, o, t []string) (lines []string, ok bool) {
	switch {
	case slices.Equal(o, t), slices.Equal(t, b):
		return o, true
	case slices.Equal(o, b):
		return t, true
	}
	return nil, false
}

// splitLines returns the lines of a text with their ends. If the last line has none, it gets
// one and ended is false.
func splitLines(text string) (lines []string, ended bool) {
	ended = text == "" || strings.HasSuffix(text, "\n")
	if !ended {
		text += lineEnd(text)
	}
	return slices.Collect(strings.Lines(text)), ended
}

// pick merges a value. both reports that the sides have changed it to different values; the
// result is then ours.
func pick[V comparable](base, ours, theirs V) (value V, both bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, false
	case ours == base:
		return theirs, false
	}
	return ours, true
}

// lineEnd returns the end of the first line.
func lineEnd(text string) string {
	if first, _, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}

// mergeFront merges a front matter key by key; fields are the keys that both have changed. It
// is not ok if one of the three cannot be split.
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

// orderKeys returns the keys of all three: in the order of the sides if that is the same, else
// those of the base first. Added keys follow in the order of [note.KeyOrder], others
// alphabetically.
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
func splitKeys(text string) (segments []note.KeyLines, ok bool) {
	loose := "" // comments and blank lines belong to the next key
	for line := range strings.Lines(text) {
		m := keyStart.FindStringSubmatch(line + "\n")
		switch last := len(segments) - 1; {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			loose += line
			continue
		case m != nil:
			segments = append(segments, note.KeyLines{Key: m[1] + m[2] + m[3], Lines: loose + line})
		case last < 0:
			return nil, false
		default:
			segments[last].Lines += loose + line
		}
		loose = ""
	}
	return append(segments, note.KeyLines{Lines: loose}), true
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

// setKeys are the keys whose values are sets.
var setKeys = []string{"tags", "aliases", "alias", "supersedes", "files"}

// set is the value of a key in setKeys.
type set struct {
	order []string          // members: words, or paths and spans of citations
	words map[string]string // the evidence of each citation, empty for words
}

func setOf(key string, f front) set {
	n, _ := f.value(key)
	s := set{words: map[string]string{}}
	add := func(word, with string) {
		if _, there := s.words[word]; !there {
			s.order = append(s.order, word)
		}
		s.words[word] = with
	}
	words := map[string][]string{"tags": n.Tags, "aliases": n.Aliases, "alias": n.Aliases, "supersedes": n.Supersedes}
	for _, word := range words[key] {
		add(word, "")
	}
	if key == "files" {
		for _, file := range n.Files {
			add(file.Path+"\x00"+file.Span, file.Hash+"\x00"+file.Lines+"\x00"+file.SpanHash+"\x00"+file.Sketch)
		}
	}
	return s
}

func (s set) equal(other set) bool { return maps.Equal(s.words, other.words) }

// mergeSet merges a key whose lines both have changed: members that either side has added are
// in the result, members that either has removed are not. It renders the key only if both have
// changed its members.
func mergeSet(key string, b, o, t front) (lines string, both bool) {
	inB, inO, inT := setOf(key, b), setOf(key, o), setOf(key, t)
	switch {
	case inO.equal(inB) && inT.equal(inB): // only the formatting differs
		return min(o.lines[key], t.lines[key]), false
	case inO.equal(inB):
		return t.lines[key], false
	case inT.equal(inB):
		return o.lines[key], false
	}
	merged, both := mergeMembers(inB, inO, inT)
	above, differ := pick(b.commentsAbove(key), o.commentsAbove(key), t.commentsAbove(key))
	if differ {
		above = min(above, t.commentsAbove(key))
	}
	return above + merged.render(key, lineEnd(o.note.Front+t.note.Front)), both
}

func (f front) commentsAbove(key string) string {
	above, _ := splitComments(f.lines[key])
	return above
}

// mergeMembers merges the members of a set; both reports evidence that both have changed.
func mergeMembers(b, o, t set) (merged set, both bool) {
	merged.words = map[string]string{}
	added := map[string]bool{}
	for _, word := range slices.Concat(o.order, t.order) {
		was, inB := b.words[word]
		ours, inO := o.words[word]
		theirs, inT := t.words[word]
		switch {
		case inO && inT:
			with, differ := pick(was, ours, theirs)
			merged.words[word], both = with, both || differ
		case inB:
			continue // one side has removed it
		default:
			merged.words[word] = ours + theirs
		}
		added[word] = !inB
	}
	for _, word := range b.order {
		if _, in := merged.words[word]; in {
			merged.order = append(merged.order, word)
		}
	}
	maps.DeleteFunc(added, func(_ string, isNew bool) bool { return !isNew })
	merged.order = append(merged.order, slices.Sorted(maps.Keys(added))...)
	return merged, both
}

// render returns the lines of the key, none for an empty set.
func (s set) render(key, eol string) string {
	if len(s.order) == 0 {
		return ""
	}
	var value any = note.InlineList(s.order)
	if key == "files" {
		files := make([]note.Cited, len(s.order))
		for i, word := range s.order {
			path, span, _ := strings.Cut(word, "\x00")
			evidence := strings.SplitN(s.words[word], "\x00", 4)
			files[i] = note.Cited{Path: path, Span: span, Hash: evidence[0], Lines: evidence[1], SpanHash: evidence[2], Sketch: evidence[3]}
		}
		value = files
	}
	n := note.ParseText("x.md", nil)
	if n.SetKey(key, value) != nil {
		return ""
	}
	return strings.ReplaceAll(n.Front, "\n", eol)
}

// markKeys are the keys that classify a note and are not part of what it says.
var markKeys = []string{"tags", "aliases", "alias", "verified", note.UIDKey}

// onlyMarks reports whether two texts of a note differ only in marks: tags, aliases, uid, verification
// or a status of superseded.
func onlyMarks(base, changed []byte) bool {
	if bytes.Equal(base, changed) {
		return true
	}
	plain := func(text []byte) note.Text {
		return note.ParseText("x.md", bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	}
	b, okB := splitFront(plain(base))
	c, okC := splitFront(plain(changed))
	if !okB || !okC || b.note.Problem != "" || c.note.Problem != "" || b.note.Body != c.note.Body || b.comments() != c.comments() {
		return false
	}
	for _, key := range slices.Concat(b.keys, c.keys) {
		_, was := splitComments(b.lines[key])
		_, is := splitComments(c.lines[key])
		switch {
		case was == is, slices.Contains(markKeys, key):
		case key == "status" && (note.IsSuperseded(b.note.Status) || note.IsSuperseded(c.note.Status)):
		case key == "files" && sameFiles(b.note, c.note):
		default:
			return false
		}
	}
	return true
}

// comments returns the comments of the whole front matter.
func (f front) comments() string {
	var all strings.Builder
	for _, key := range append(slices.Clone(f.keys), "") {
		all.WriteString(f.commentsAbove(key))
	}
	return all.String()
}

// sameFiles reports whether two texts cite the same files, apart from the evidence. Verification may
// have renamed the files.
func sameFiles(b, c note.Text) bool {
	same := func(x, y note.Cited) bool { return x.Ref() == y.Ref() }
	return slices.EqualFunc(b.Files, c.Files, same) || b.Verified != c.Verified && len(b.Files) == len(c.Files)
}
