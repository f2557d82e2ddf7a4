package notebook

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Bounds of a digest.
const (
	wholeMost       = 20 // notes of a project in which every note is named
	unfinishedMost  = 5
	surveyed        = 1000 // newest notes, of one type or of all, from which a digest is made
	checkpointsSeen = 50   // checkpoints of other branches that are examined
	changedMost     = 5
	decisionsMost   = 10
	linkedMost      = 10
	tagsMost        = 20
)

// fillDigest fills in the digest for the start of a session. touched lists the files that the
// branch has changed.
func (n presenter) fillDigest(c *result.Context, touched []string) {
	c.Notes = n.Len()
	told := n.told()
	c.Untold = n.CountRevisions(func(name, revision string) bool { return !told(name, revision) })
	if !n.nb.trusted {
		return
	}
	named := map[string]bool{}
	add := func(rows []index.Row, most int) []result.Glance {
		found := []result.Glance{}
		for _, row := range rows {
			if len(found) < most && !named[row.Name] {
				named[row.Name] = true
				found = append(found, n.glance(row))
			}
		}
		return found
	}
	c.Unfinished = add(n.unfinished(c.Branch), unfinishedMost)
	c.Changed = add(n.about(touched), changedMost)
	if c.Notes <= surveyed {
		all := n.newestTold("", wholeMost+1)
		if c.Whole = len(all) <= wholeMost; c.Whole {
			kinds := map[string][]index.Row{}
			for _, row := range all {
				kinds[row.Type] = append(kinds[row.Type], row)
			}
			c.Decisions = add(kinds[note.TypeDecision], wholeMost)
			c.Others = []result.Group{
				{Heading: "Remedies", Notes: add(kinds[note.TypeRemedy], wholeMost)},
				{Heading: "How-tos", Notes: add(kinds[note.TypeSkill], wholeMost)},
				{Heading: "Others", Notes: add(all, wholeMost)},
			}
			return
		}
	}
	c.Decisions = add(n.newestTold(note.TypeDecision, decisionsMost+changedMost), decisionsMost)
	heading, most, read := "Most linked", n.MostLinked(2*linkedMost), n.nb.mostRead(linkedMost)
	if len(read) > 0 {
		heading += " and most read"
	}
	for i, row := range read { // the two lists alternate
		most = slices.Insert(most, min(2*i, len(most)), row)
	}
	most = slices.DeleteFunc(most, func(row index.Row) bool { return row.Superseded || !n.isTold(row) })
	c.Others = []result.Group{{Heading: heading, Notes: add(most, linkedMost)}}
	c.Tags = n.countTags()
}

// unfinished returns the checkpoints that may be told unasked: those of the branch first, then
// the newest others.
func (n presenter) unfinished(branch string) (here []index.Row) {
	var elsewhere []index.Row
	for _, row := range n.newestTold(note.TypeCheckpoint, surveyed) {
		if note.ShowTitle(ExtraOf(row).Branch) == branch {
			here = append(here, row)
		} else {
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
func (n presenter) resume(prompt, branch string, skip func(index.Row) bool) (first, others []result.Glance) {
	rows, first := n.unfinished(branch), []result.Glance{}
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
		return first, nil
	}
	if len(rows) == 0 || skip(rows[0]) {
		return first, nil
	}
	for _, row := range rows[1:min(len(rows), unfinishedMost)] {
		others = append(others, n.glance(row))
	}
	return append(first, n.glance(rows[0])), others
}

// spaced returns the words of a text in lower case, with a space on each side.
func spaced(text string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), other), " ") + " "
}

// newestTold returns the newest notes in force, of a type or of all, that may be told unasked.
func (n presenter) newestTold(kind string, most int) (found []index.Row) {
	rows, _ := n.List(index.Filter{Type: kind}, false, 0, surveyed)
	for _, row := range rows {
		if len(found) == most {
			break
		}
		if !row.Superseded && n.isTold(row) {
			found = append(found, row)
		}
	}
	return found
}

// countTags counts the tags of the newest notes that may be told unasked.
func (n presenter) countTags() []result.Facet {
	counts := map[string]int{}
	for _, row := range n.newestTold("", surveyed) {
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

// about returns the notes in force that cite or supersede one of some files, newest first.
func (n presenter) about(files []string) (rows []index.Row) {
	named, superseded := map[string]bool{}, n.SupersededDocuments()
	for _, file := range files {
		citing := n.Keyed(fileKey + file)
		if by, ok := superseded[file]; ok {
			citing = append(citing, by)
		}
		for _, row := range citing {
			row, stands := n.Current(row)
			if stands && !named[row.Name] && n.isTold(row) {
				named[row.Name] = true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return rows
}
