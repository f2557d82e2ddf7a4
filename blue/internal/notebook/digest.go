package notebook

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
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

// fillDigest fills in the digest for the start of a session; touched are the files that the branch
// has changed.
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
	for i, row := range read { // one of each in turn
		most = slices.Insert(most, min(2*i, len(most)), row)
	}
	most = slices.DeleteFunc(most, func(row index.Row) bool { return row.Superseded || !n.isTold(row) })
	c.Others = []result.Group{{Heading: heading, Notes: add(most, linkedMost)}}
	c.Tags = n.countTags()
}

// unfinished returns the checkpoints that may be told unasked, those of the branch first, then the
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

// resumeWords is the most words of a prompt that asks to go on: a longer one says with what.
const resumeWords = 6

// resume returns the checkpoint that a prompt names or asks to go on with, the newest of the branch
// first, and then the others. It leaves out those to skip.
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

// spaced is the words of a text in lower case, with a space on each side.
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

const (
	glances       = 3    // notes for a question
	judged        = 4    // best hits for a question; 10 answer 0 to 1 of 100 prompts more
	wordsShown    = 3    // words that made a note an answer
	glancePassage = 250  // characters of a passage of a note that is no hit itself, or is set aside
	glanceGist    = 300  // characters of what a note about a file has decided
	answersRoom   = 1060 // bytes of all answers
	answerLine    = 130  // of these for what stands before a passage
	leastPassage  = 150  // bytes
	nearMargin    = 0.4  // by which the score of a note may lack that comes near to an answer
)

// passageRoom returns the bytes for the passage of a hit. The best answer is shown whole if it
// fits, because decisions often stand at the end; the others share the rest.
func passageRoom(hits []index.Hit, at int) int {
	var answers []int
	for i, hit := range hits {
		if hit.Verdict.Passes() && len(answers) < glances {
			answers = append(answers, i)
		}
	}
	slices.SortStableFunc(answers, func(a, b int) int { return cmp.Compare(margin(hits[b]), margin(hits[a])) })
	left := answersRoom - len(answers)*answerLine
	for i, answer := range answers {
		room := min(hits[answer].Bytes, left-(len(answers)-1-i)*leastPassage)
		if answer == at {
			return room
		}
		left -= room
	}
	return glancePassage
}

func margin(hit index.Hit) float64 { return hit.Verdict.Score - hit.Verdict.Threshold }

// answers returns the notes that answer a question, best first, if at least one surely does; a note
// of the favored type needs a lower score. It also returns the note with the best score, nil if no
// note has a word of the question, and the names of those that come near. See docs/agents.md.
func (n presenter) answers(ctx context.Context, question, favored string, read ReadBody, skip func(index.Row) bool) (found []result.Glance, best *result.Judged, near []string, err error) {
	found = []result.Glance{}
	hits, err := n.Search(ctx, index.Query{Text: question, Limit: judged, Judge: true, Favored: favored,
		Passages: index.Passages{Body: read, Room: passageRoom}, Successor: n.SuccessorName})
	if err != nil {
		return found, nil, nil, err
	}
	passages := map[string]string{}
	for _, hit := range hits.Hits {
		passages[hit.Name] = hit.Snippet
		row, stands := n.Current(hit.Row) // which is a hit above, when it is another one
		if !n.isTold(row) {
			continue
		}
		if judged := judge(hit); best == nil || judged.Margin() > best.Margin() {
			best = judged
		}
		if !hit.Verdict.Passes() && margin(hit) >= -nearMargin && stands {
			near = append(near, row.Name)
		}
		if !hit.Verdict.Passes() || skip(row) {
			continue
		}
		at := slices.IndexFunc(found, func(g result.Glance) bool { return g.ID == row.ID })
		if at < 0 {
			if len(found) == glances {
				break
			}
			at = len(found)
			found = append(found, n.answer(row, stands, passages[row.Name], read))
		}
		if row.Name != hit.Name {
			found[at].Replaces = result.PlainTags(note.ShowLabel(hit.Title, glanceTitle))
		}
	}
	return found, best, near, nil
}

// answer is a glance with a passage, or for a note that is set aside with its status and the
// reason.
func (n presenter) answer(row index.Row, stands bool, passage string, read ReadBody) result.Glance {
	g := n.glance(row)
	if !stands || passage == "" {
		body, _ := read(row)
		passage = note.Gist(body, glancePassage)
		if !stands {
			passage = note.Reason(body, glancePassage)
			g.Status = result.PlainTags(note.ShowWord(ExtraOf(row).Status))
		}
	}
	g.Passage = result.PlainTags(note.ShowLabel(note.OneLine(passage), answersRoom))
	return g
}

// removed returns the trashed note that surely answers a question, and better than best, or the
// note that replaces it.
func (n presenter) removed(ctx context.Context, question string, best *result.Judged, trash Catalog, read, readRemoved ReadBody, skip func(index.Row) bool) []result.Glance {
	hits, _ := trash.Search(ctx, index.Query{Text: question, Limit: judged, Judge: true, Passages: index.Passages{Body: readRemoved}})
	for _, hit := range hits.Hits {
		if !hit.Verdict.Passes() || best != nil && judge(hit).Margin() < best.Margin() || skip(hit.Row) || !n.isTold(hit.Row) {
			continue
		}
		if heirs := n.Successors(hit.Row); len(heirs) > 0 {
			if found := n.inPlaceOf(hit.Title, heirs[0], read, skip); len(found) > 0 {
				return found
			}
			continue
		}
		g := n.answer(hit.Row, false, "", readRemoved)
		g.Status = result.StatusRemoved + " on " + hit.Time.Format(time.DateOnly)
		return []result.Glance{g}
	}
	return nil
}

// inPlaceOf returns the note in force that replaces one of that title, nothing if it may not be
// told.
func (n presenter) inPlaceOf(title string, heir index.Row, read ReadBody, skip func(index.Row) bool) []result.Glance {
	by, stands := n.Current(heir)
	if !stands || !n.isTold(by) || skip(by) {
		return nil
	}
	g := n.answer(by, true, "", read)
	g.Replaces = result.PlainTags(note.ShowLabel(title, glanceTitle))
	return []result.Glance{g}
}

// judge describes how well a hit answers.
func judge(hit index.Hit) *result.Judged {
	j := &result.Judged{ID: hit.ID, Score: hit.Verdict.Score, Threshold: hit.Verdict.Threshold}
	for _, w := range hit.Verdict.Words[:min(len(hit.Verdict.Words), wordsShown)] {
		j.Words = append(j.Words, fmt.Sprintf("%s %.1f", note.ShowWord(w.Text), w.Worth))
	}
	return j
}

// citing returns the notes in force that cite or supersede one of the files, newest first, each with
// its gist.
func (n presenter) citing(files []string, most int, read ReadBody, skip func(index.Row) bool) []result.Glance {
	found, superseded := []result.Glance{}, n.SupersededDocuments()
	for _, row := range slices.DeleteFunc(n.about(files), skip) {
		if len(found) == most {
			break
		}
		g := n.withGist(row, read)
		if at := slices.IndexFunc(files, func(file string) bool { return superseded[file].Name == row.Name }); at >= 0 {
			g.Replaces = result.PlainTags(note.ShowLabel(files[at], glanceTitle))
		}
		found = append(found, g)
	}
	return found
}

// near returns at most so many of the named notes, each with its gist.
func (n presenter) near(names []string, most int, read ReadBody, skip func(index.Row) bool) (found []result.Glance) {
	for _, name := range names {
		row, ok := n.Index.Row(name)
		if row, stands := n.Current(row); ok && stands && n.isTold(row) && !skip(row) && len(found) < most {
			found = append(found, n.withGist(row, read))
		}
	}
	return found
}

// withGist is a glance with what the note has decided, unless it names a next step.
func (n presenter) withGist(row index.Row, read ReadBody) result.Glance {
	g := n.glance(row)
	if g.Next == "" {
		body, _ := read(row)
		g.Passage = result.PlainTags(note.ShowLabel(note.Gist(body, glanceGist), glanceGist))
	}
	return g
}

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
