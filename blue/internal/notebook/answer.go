package notebook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/corpus"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// answerer finds what an agent should know when it asks a question or is about to change files.
type answerer struct {
	presenter
	moment Moment
	read   ReadBody
	out    *result.Context // filled in step by step
}

// answerMoment fills in the notes that answer the question, and those about the files: in a trusted
// project only.
func (nb *Notebook) answerMoment(ctx context.Context, c *result.Context, m Moment) error {
	texts := nb.store.Texts()
	defer texts.Close()
	a := answerer{nb.shown(), m, BodyReader(texts.Read), c}
	if c.Notes = a.Len(); !nb.trusted {
		return nil
	}
	if strings.TrimSpace(m.For) != "" {
		question, _ := result.CutBytes(m.For, queryLimit)
		if err := a.answerQuestion(ctx, question); err != nil {
			return err
		}
	}
	c.Cited = a.citing(nb.treeNames(m.Files), citedMost)
	c.Near = a.near(m.Near, citedMost-len(c.Cited))
	return nil
}

// isSeen reports whether the agent knows a note already. What it has seen in part, a prompt does not
// tell again; a file, a failure and the wish to go on do.
func (a answerer) isSeen(row index.Row) bool {
	if a.moment.For == "" || a.moment.Failed {
		return a.isSeenWhole(row)
	}
	return a.moment.Seen != nil && a.moment.Seen(row.ID, row.Revision) != SeenNone
}

func (a answerer) isSeenWhole(row index.Row) bool {
	return a.moment.Seen != nil && a.moment.Seen(row.ID, row.Revision) == SeenWhole
}

// answerQuestion fills in the unfinished work that the question is about, and the notes and the
// document that answer it.
func (a answerer) answerQuestion(ctx context.Context, question string) error {
	c := a.out
	if !a.moment.Failed {
		first, others := a.resume(question, a.nb.Branch(), a.isSeenWhole)
		for _, row := range first {
			c.Unfinished = append(c.Unfinished, a.withGist(row))
		}
		if len(others) > 0 {
			c.Others = []result.Group{{Heading: "Also unfinished", Notes: others}}
		}
	}
	var group sync.WaitGroup
	var documents []result.ShelfHit
	group.Go(func() { documents = a.searchDocuments(ctx, question) })
	err := a.answers(ctx, question)
	if group.Wait(); err == nil {
		a.tellDocument(documents)
	}
	return err
}

const (
	glances       = 3    // notes for a question
	judged        = 4    // best hits for a question; 10 answer 0 to 1 of 100 prompts more
	wordsShown    = 3    // words named that made a note an answer
	glancePassage = 250  // characters of a passage of a note that is no hit itself, or is set aside
	wholeMost     = 700  // bytes of a note that is told whole
	glanceGist    = 500  // characters of what a longer note about a file has decided
	answersRoom   = 2060 // bytes of all answers
	answerLine    = 130  // of these, for the text before a passage
	leastPassage  = 150  // bytes
	nearMargin    = 0.4  // by which the score of a note that nearly answers may miss its threshold
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

// answers fills in the notes that answer a question, the best first and proposed ones last; nothing
// unless one surely does. After a failure a fix needs a lower score; otherwise the how-to that answers
// best does, if the question holds words of its title. It also fills in the best score and the names
// of notes that nearly answer. See docs/agents.md.
func (a answerer) answers(ctx context.Context, question string) error {
	favored, titled := "", note.TypeHowto
	if a.moment.Failed {
		favored, titled = note.TypeFix, ""
	}
	hits, err := a.Search(ctx, index.Query{Text: question, Limit: judged, Judge: true, Flat: true, Favored: favored, Titled: titled,
		Passages: index.Passages{Body: a.read, Room: passageRoom}, Follow: true})
	if err != nil {
		return err
	}
	c, passages := a.out, map[string]passage{}
	for i, hit := range hits.Hits {
		passages[hit.Name] = passage{hit.Snippet, hit.Bytes <= max(wholeMost, passageRoom(hits.Hits, i))}
	}
	for _, hit := range proposedLast(hits.Hits, func(hit index.Hit) index.Row { return hit.Row }) {
		row, stands := a.Current(hit.Row) // if this is another note, it is a hit further up
		if judged := judge(hit); c.Best == nil || judged.Margin() > c.Best.Margin() {
			c.Best = judged
		}
		if !hit.Verdict.Passes() && margin(hit) >= -nearMargin && stands {
			c.Nearly = append(c.Nearly, row.Name)
		}
		if !hit.Verdict.Passes() || a.isLeftOut(row) {
			continue
		}
		at := slices.IndexFunc(c.Answers, func(g result.Glance) bool { return g.ID == row.ID })
		if at < 0 {
			if len(c.Answers) == glances {
				break
			}
			at = len(c.Answers)
			c.Answers = append(c.Answers, a.answer(row, stands, passages[row.Name]))
		}
		if row.Name != hit.Name {
			c.Answers[at].Replaces = result.PlainTags(note.ShowLabel(hit.Title, glanceTitle))
		}
	}
	return nil
}

// isLeftOut reports whether a note is not to be given as an answer because the agent has
// seen it or it is named as unfinished work.
func (a answerer) isLeftOut(row index.Row) bool {
	return a.isSeen(row) || isNamed(a.out.Unfinished, row)
}

// passage is the part of a note that answers.
type passage struct {
	text  string
	whole bool // there is room for all of the note
}

// answer returns a glance at a note with all of it, or with a passage or, if it is set aside, the
// reason.
func (a answerer) answer(row index.Row, stands bool, answers passage) result.Glance {
	g, body := a.glance(row), ""
	if !stands {
		g.Status = result.PlainTags(note.ShowWord(ExtraOf(row).Status))
	}
	if !stands || answers.whole || answers.text == "" {
		body, _ = a.read(row)
	}
	switch {
	case body != "" && (answers.whole || len(body) <= wholeMost): // a note that is no hit has no known size
		g.TellWhole(body)
		return g
	case !stands:
		answers.text = note.Reason(body, glancePassage)
	case answers.text == "":
		answers.text = note.Gist(body, glancePassage)
	}
	g.Passage = result.PlainText(note.ShowLabel(note.OneLine(answers.text), answersRoom))
	return g
}

// inPlaceOf returns the note in force that replaces the note of that title, or nothing if there is
// none or it is to be skipped.
func (a answerer) inPlaceOf(title string, heir index.Row, skip func(index.Row) bool) []result.Glance {
	by, stands := a.Current(heir)
	if !stands || skip(by) {
		return nil
	}
	g := a.answer(by, true, passage{})
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

// citing returns the notes of [presenter.about] for files, each with its gist. It leaves out notes that
// the agent has seen and those that are answers.
func (a answerer) citing(files []string, most int) []result.Glance {
	found, superseded := []result.Glance{}, a.SupersededDocuments()
	for _, row := range a.about(files) {
		if len(found) == most {
			break
		}
		if a.isSeen(row) || isNamed(a.out.Answers, row) {
			continue
		}
		g := a.withGist(row)
		if at := slices.IndexFunc(files, func(file string) bool { return superseded[file].Name == row.Name }); at >= 0 {
			g.Replaces = result.PlainTags(note.ShowLabel(files[at], glanceTitle))
		}
		found = append(found, g)
	}
	return found
}

// near returns at most that many of the named notes, each with its gist.
func (a answerer) near(names []string, most int) (found []result.Glance) {
	for _, name := range names {
		row, ok := a.Index.Row(name)
		row, stands := a.Current(row)
		if ok && stands && !a.isSeen(row) && !isNamed(a.out.Cited, row) && len(found) < most {
			found = append(found, a.withGist(row))
		}
	}
	return found
}

// withGist returns a glance at a note with its body or, if that is long, with its next step and the
// gist.
func (a answerer) withGist(row index.Row) result.Glance {
	g := a.glance(row)
	body, _ := a.read(row)
	if body != "" && len(body) <= wholeMost {
		g.TellWhole(body)
		return g
	}
	g.Passage = result.PlainText(note.ShowLabel(note.Gist(body, glanceGist), glanceGist))
	return g
}

// documentTime bounds the search of the documents for a prompt.
const documentTime = 150 * time.Millisecond

// documentsJudged is the number of documents that are judged for a prompt.
const documentsJudged = 4

// searchDocuments returns the documents that may answer a prompt.
func (a answerer) searchDocuments(ctx context.Context, question string) []result.ShelfHit {
	shelves := a.nb.shelves()
	if a.moment.Failed || shelves.Sources.NoDocuments {
		return nil
	}
	brief, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	return shelves.First(brief, []string{corpus.Documents}, documentsJudged, index.Query{Text: question, Limit: documentsJudged}).Hits
}

// tellDocument adds the document that answers best or, if a note supersedes it, that note. If the
// note is set aside or known to the agent, it tries the next document.
func (a answerer) tellDocument(found []result.ShelfHit) {
	if len(found) == 0 {
		return
	}
	c, superseded := a.out, a.SupersededDocuments()
	for range found {
		best := corpus.Best(found)
		if best == nil || a.moment.Seen != nil && a.moment.Seen(best.Ref, best.Revision) != SeenNone {
			return
		}
		if best.By == "" {
			c.Document = best
			return
		}
		if by, ok := superseded[best.Path]; ok {
			if by, _ = a.Current(by); !isNamed(c.Answers, by) {
				c.Answers = append(c.Answers, a.inPlaceOf(best.Title, by, a.isLeftOut)...)
			}
			if isNamed(c.Answers, by) {
				return
			}
		}
		found = slices.DeleteFunc(found, func(b result.ShelfHit) bool { return b.Path == best.Path })
	}
}

func isNamed(notes []result.Glance, row index.Row) bool {
	return slices.ContainsFunc(notes, func(g result.Glance) bool { return g.ID == row.ID })
}
