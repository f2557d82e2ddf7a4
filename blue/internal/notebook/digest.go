package notebook

import (
	"cmp"
	"maps"
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
	wholeMost       = 20 // notes of a project of which every one is named
	unfinishedMost  = 5
	surveyed        = 1000 // newest notes, of a type or of all, of which a digest is made
	checkpointsSeen = 50   // of other branches that are looked at for one of this branch
	changedMost     = 5
	decisionsMost   = 10
	linkedMost      = 10
	tagsMost        = 20
)

// FillDigest fills in the digest of a session's beginning on a branch; touched are the files
// that the branch has changed.
func (n presenter) FillDigest(c *result.Context, touched []string) {
	c.Notes = n.Len()
	c.Untold = n.CountRevisions(func(name, revision string) bool { return !n.told(name, revision) })
	if !n.nb.trusted {
		return
	}
	named := map[string]bool{}
	add := func(rows []index.Row, most int) []result.Glance {
		found := []result.Glance{}
		for _, row := range rows {
			if len(found) < most && !named[row.Name] {
				named[row.Name] = true
				found = append(found, n.Glance(row))
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
	for i, row := range read { // one of each in turn
		most = slices.Insert(most, min(2*i, len(most)), row)
	}
	most = slices.DeleteFunc(most, func(row index.Row) bool { return row.Superseded || !n.IsTold(row) })
	c.Others = []result.Group{{Heading: heading, Notes: add(most, linkedMost)}}
	c.Tags = n.countTags()
}

// unfinished are the checkpoints that may be told unasked, those of a branch first, then the
// newest.
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

// resumes is a prompt that asks to go on with what was begun; asksWhere asks for it wherever it
// stands. Both are lists of words, since the gate cannot tell: a bound on the information of a
// prompt that admits seven of thirteen such wishes admits 53 of 236 everyday prompts, "fix the
// typo" before the first wish. These admit three of the 236, each of which is one.
var (
	resumes   = regexp.MustCompile(`(?i)^\W*(?:(?:please|ok|okay|now|and|let'?s|bitte)\W+)*(?:continue|go on|carry on|keep going|resume|proceed|pick up|weiter|mach weiter)\b`)
	asksWhere = regexp.MustCompile(`(?i)\b(?:where (?:were|are) we|where did (?:we|you|i) (?:stop|leave)|where (?:we|you|i) (?:left|stopped)|wo waren wir)\b|\bwhat(?:'s| is| was) (?:next|left)(?:[\s?!,;:]|\.?$)`)
)

// resumeWords is how many words a prompt has at most that begins with the wish to go on: a
// longer one says itself with what.
const resumeWords = 6

// Resume returns the checkpoint that a prompt names, or with which it asks to go on: of several
// the newest of the branch, and then the others. None that is to be skipped is named again.
func (n presenter) Resume(prompt, branch string, skip func(index.Row) bool) (first, others []result.Glance) {
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
		others = append(others, n.Glance(row))
	}
	return append(first, n.Glance(rows[0])), others
}

// spaced is the words of a text in lower case, with a space on each side.
func spaced(text string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), other), " ") + " "
}

// newestTold are the newest notes of a type, or of all, that may be told unasked, without
// those that are set aside.
func (n presenter) newestTold(kind string, most int) (found []index.Row) {
	rows, _ := n.List(index.Filter{Type: kind}, false, 0, surveyed)
	for _, row := range rows {
		if len(found) == most {
			break
		}
		if !row.Superseded && n.IsTold(row) {
			found = append(found, row)
		}
	}
	return found
}

// countTags counts the tags of the newest notes that may be told unasked, the most frequent
// first.
func (n presenter) countTags() []result.Count {
	counts, tags := map[string]int{}, []result.Count{}
	for _, row := range n.newestTold("", surveyed) {
		for _, tag := range row.Tags {
			counts[result.PlainTags(note.ShowWord(tag))]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for _, word := range words[:min(len(words), tagsMost)] {
		tags = append(tags, result.Count{Word: word, Notes: counts[word]})
	}
	return tags
}
