package notebook

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// Bounds of a digest.
const (
	wholeLeast      = 40 // bytes of the shortest note that is told whole, with its title and id
	unfinishedMost  = 5
	surveyed        = 1000 // newest notes, of one type or of all, from which a digest is made
	checkpointsSeen = 50   // checkpoints of other branches that are examined
	changedMost     = 5
	decisionsMost   = 10
	linkedMost      = 10
	tagsMost        = 20
)

// digest tells an agent at the start of a session what the notes say.
type digest struct {
	presenter
	moment  Moment
	read    ReadBody
	rows    []index.Row // newest notes
	touched []string    // files that the branch has changed
	named   map[string]bool
	out     *result.Context
}

// countProposed returns how many notes wait for a person.
func (n presenter) countProposed() (proposed int) {
	for _, row := range n.All(false) {
		if IsProposed(row) {
			proposed++
		}
	}
	return proposed
}

// fillStart fills in the digest for the start of a session, and returns the bytes of its text.
// touched lists the files that the branch has changed.
func (nb *Notebook) fillStart(c *result.Context, m Moment, touched []string) (room int) {
	n := nb.shown()
	c.Notes = n.Len()
	if nb.Found.Propose {
		c.Proposed = n.countProposed()
	}
	most := cmp.Or(m.MaxBytes, contextMost)
	if !nb.trusted {
		return most
	}
	room = min(nb.Found.StartBytes, most)
	texts := nb.store.Texts()
	defer texts.Close()
	d := digest{n, m, BodyReader(texts.Read), n.newest("", surveyed, true), touched, map[string]bool{}, c}
	if d.tellAll(d.rows, room) {
		return room
	}
	decided := slices.DeleteFunc(slices.Clone(d.rows), IsProposed)
	if c.Proposed > 0 && len(decided) > 0 && d.tellAll(decided, room) { // what waits must not leave less of the rest
		return room
	}
	if d.tellUncited(decided, room) {
		return room
	}
	if m.Brief > 0 {
		d.tellFirst(0)
		d.nameOthers()
		return min(m.Brief, most)
	}
	whole := d.tellFirst(room - result.TitlesRoom)
	d.nameOthers()
	return min(result.TitlesRoom+whole, most)
}

// tellAll fills in the digest with every note of rows, each whole. It reports false, and
// leaves the digest empty, if that does not fit into room bytes.
func (d *digest) tellAll(all []index.Row, room int) bool {
	if len(all)*wholeLeast > room {
		return false
	}
	bodies, size := map[string]string{}, 0
	for _, row := range all {
		bodies[row.Name], _ = d.read(row)
		if size += len(bodies[row.Name]); size > room {
			return false
		}
	}
	add := func(rows []index.Row) []result.Glance {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row index.Row) bool { _, ok := bodies[row.Name]; return !ok })
		return d.add(rows, surveyed, func(row index.Row) result.Glance { return d.whole(row, bodies[row.Name]) })
	}
	kinds := map[string][]index.Row{}
	for _, row := range all {
		kinds[row.Type] = append(kinds[row.Type], row)
	}
	c, before := d.out, *d.out
	c.Whole = true
	c.Unfinished = add(d.unfinished(c.Branch))
	c.Changed = add(d.about(d.touched))
	c.Decisions = add(kinds[note.TypeDecision])
	c.Others = []result.Group{
		{Heading: "Fixes", Notes: add(kinds[note.TypeFix])},
		{Heading: "How-tos", Notes: add(kinds[note.TypeHowto])},
		{Heading: "Others", Notes: add(all)},
	}
	if len(c.Text()) <= room {
		return true
	}
	*c = before
	clear(d.named)
	return false
}

// tellUncited fills in the digest as tellAll does, but with titles alone of notes that cite a file, for
// they are told when that is opened. Unfinished work, and notes about changed files, are told whole.
func (d *digest) tellUncited(all []index.Row, room int) bool {
	first := slices.Concat(d.unfinished(d.out.Branch), d.about(d.touched))
	var whole, cite []index.Row
	const heading, between = "Told when their files are opened", len(`"" () · `)
	size := len(heading)
	for _, row := range all {
		if len(ExtraOf(row).Files) == 0 || slices.ContainsFunc(first, func(other index.Row) bool { return other.Name == row.Name }) {
			whole = append(whole, row)
			continue
		}
		cite = append(cite, row)
		size += min(len(row.Title), glanceTitle) + len(row.ID) + between
	}
	if len(cite) == 0 || !d.tellAll(whole, room-min(size, result.TitlesRoom)) {
		return false
	}
	d.out.Others = append(d.out.Others, result.Group{Heading: heading, Notes: d.add(cite, surveyed, d.titled)})
	return true
}

// tellFirst fills in unfinished work and the notes about changed files: whole while that takes at
// most room bytes, which it returns.
func (d *digest) tellFirst(room int) (whole int) {
	glance := func(row index.Row) result.Glance {
		if body, _ := d.read(row); body != "" && whole+len(body) <= room {
			if g := d.whole(row, body); whole+len(g.Passage) <= room { // which is longer than the body
				whole += len(g.Passage)
				return g
			}
		}
		return d.glance(row)
	}
	d.out.Unfinished = d.add(d.unfinished(d.out.Branch), unfinishedMost, glance)
	d.out.Changed = d.add(d.about(d.touched), changedMost, glance)
	return whole
}

// nameOthers fills in the titles of other notes: of decisions, of those that are used, and of the
// newest while there is room.
func (d *digest) nameOthers() {
	c := d.out
	add := func(rows []index.Row, most int) []result.Glance { return d.add(rows, most, d.titled) }
	c.Decisions = add(d.newest(note.TypeDecision, decisionsMost+changedMost, false), decisionsMost)
	heading, most, read := "Most linked", d.MostLinked(2*linkedMost), d.nb.mostRead(linkedMost)
	if len(read) > 0 {
		heading += " and most read"
	}
	for i, row := range read { // the two lists alternate
		most = slices.Insert(most, min(2*i, len(most)), row)
	}
	most = slices.DeleteFunc(most, func(row index.Row) bool { return row.Superseded })
	inForce := slices.DeleteFunc(d.rows, func(row index.Row) bool { return row.Superseded })
	c.Others = []result.Group{
		{Heading: heading, Notes: add(most, linkedMost)},
		{Heading: result.Newest, Notes: add(inForce, d.titlesFitting(inForce))},
	}
	c.Tags = countTags(inForce)
}

// titlesFitting returns how many of the notes that are not named yet have titles that fit into a
// digest, not counting what else stands there.
func (d *digest) titlesFitting(rows []index.Row) (most int) {
	size := 0
	for _, row := range rows {
		if d.named[row.Name] {
			continue
		}
		if size += min(len(row.Title), glanceTitle) + len(row.ID); size > result.TitlesRoom {
			break
		}
		most++
	}
	return most
}

// add returns glances at the first notes of rows that the digest does not name yet, at most that
// many: proposed ones after all others.
func (d *digest) add(rows []index.Row, most int, glance func(index.Row) result.Glance) []result.Glance {
	found := []result.Glance{}
	for _, row := range proposedLast(rows, itself) {
		if len(found) < most && !d.named[row.Name] {
			d.named[row.Name] = true
			found = append(found, glance(row))
		}
	}
	return found
}

// whole returns a glance at a note with all of its body, unless the agent has seen that.
func (d *digest) whole(row index.Row, body string) result.Glance {
	g := d.glance(row)
	if row.Superseded {
		g.Status = result.PlainTags(note.ShowWord(ExtraOf(row).Status))
	}
	if d.moment.Seen != nil && d.moment.Seen(row.ID, row.Revision) == SeenWhole {
		return g
	}
	if older := d.NamedRows(ExtraOf(row).Supersedes); len(older) > 0 && g.Status == "" {
		g.Replaces = result.PlainTags(note.ShowLabel(older[0].Title, glanceTitle))
	}
	g.TellWhole(body)
	return g
}

// unfinished returns the checkpoints in force of which the status does not say that they are done:
// those of the branch first, then the newest others.
func (n presenter) unfinished(branch string) (here []index.Row) {
	var elsewhere []index.Row
	for _, row := range n.newest(note.TypeCheckpoint, surveyed, false) {
		switch about := ExtraOf(row); {
		case note.IsClosed(about.Status):
		case note.ShowTitle(about.Branch) == branch:
			here = append(here, row)
		default:
			elsewhere = append(elsewhere, row)
		}
		if len(here) == unfinishedMost || len(elsewhere) == checkpointsSeen {
			break
		}
	}
	return append(here, elsewhere...)
}

// resumes matches a prompt that begins with a request to continue earlier work; asksWhere
// matches such a request anywhere. Both are lists of words because the gate cannot decide this:
// a bound on the information of a prompt that admits seven of thirteen such requests admits 53
// of 236 everyday prompts, and "fix the typo" before the first request. These lists admit three
// of the 236, each of which is such a request.
var (
	resumes   = regexp.MustCompile(`(?i)^\W*(?:(?:please|ok|okay|now|and|let'?s|bitte)\W+)*(?:continue|go on|carry on|keep going|resume|proceed|pick up|weiter|mach weiter)\b`)
	asksWhere = regexp.MustCompile(`(?i)\b(?:where (?:were|are) we|where did (?:we|you|i) (?:stop|leave)|where (?:we|you|i) (?:left|stopped)|wo waren wir)\b|\bwhat(?:'s| is| was) (?:next|left)(?:[\s?!,;:]|\.?$)`)
)

// resumeWords is the maximum number of words in a prompt that asks to continue. A longer prompt
// says what with.
const resumeWords = 6

// resume returns the checkpoint that a prompt names. If the prompt asks to continue without
// naming one, it returns the newest checkpoint, one of the branch if there is any, and some
// others. It returns nothing if the first checkpoint is to be skipped.
func (n presenter) resume(prompt, branch string, skip func(index.Row) bool) (first []index.Row, others []result.Glance) {
	rows := n.unfinished(branch)
	said := spaced(prompt)
	isNamed := func(name string) bool { // by several words
		name = spaced(name)
		return strings.Count(name, " ") > 2 && strings.Contains(said, name)
	}
	named := slices.IndexFunc(rows, func(row index.Row) bool { return isNamed(row.ID) || isNamed(row.Title) })
	switch {
	case named >= 0:
		rows = rows[named : named+1]
	case !asksWhere.MatchString(prompt) && (!resumes.MatchString(prompt) || len(strings.Fields(prompt)) > resumeWords):
		return nil, nil
	}
	if len(rows) == 0 || skip(rows[0]) {
		return nil, nil
	}
	for _, row := range rows[1:min(len(rows), unfinishedMost)] {
		others = append(others, n.glance(row))
	}
	return rows[:1], others
}

// spaced returns the words of a text in lower case, with a space on each side.
func spaced(text string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), other), " ") + " "
}

// newest returns the newest notes, of a type or of all, that are in force and, with rejected, those
// that were rejected or deprecated.
func (n presenter) newest(kind string, most int, rejected bool) (found []index.Row) {
	rows, _ := n.List(index.Filter{Type: kind}, false, 0, surveyed)
	for _, row := range rows {
		if len(found) == most {
			break
		}
		if !row.Superseded || rejected && !IsSuperseded(row) {
			found = append(found, row)
		}
	}
	return found
}

// countTags counts the tags of notes.
func countTags(rows []index.Row) []result.Facet {
	counts := map[string]int{}
	for _, row := range rows {
		for _, tag := range row.Tags {
			counts[result.PlainTags(note.ShowWord(tag))]++
		}
	}
	tags := byCount(counts)
	for i := range tags {
		tags[i].Shown = tags[i].Word
	}
	return tags[:min(len(tags), tagsMost)]
}

// about returns the notes that cite or supersede one of some files and are not set aside, newest first,
// proposed ones after all others.
func (n presenter) about(files []string) (rows []index.Row) {
	named, superseded := map[string]bool{}, n.SupersededDocuments()
	for _, file := range files {
		citing := n.Keyed(fileKey + file)
		if by, ok := superseded[file]; ok {
			citing = append(citing, by)
		}
		for _, row := range citing {
			row, stands := n.Current(row)
			if stands && !named[row.Name] {
				named[row.Name] = true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return proposedLast(rows, itself)
}
