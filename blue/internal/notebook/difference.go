package notebook

import (
	"context"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/corpus"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// What a review shows of a file that has changed.
const (
	differencePatience = time.Second // for git, of one review
	differenceLines    = 3
	differenceShown    = 100 // characters of a line
)

// showDifference adds what has changed in the first file that a note cites and that has: some lines if git has
// the cited text, and a command that shows all.
func (r *reviewer) showDifference(ctx context.Context, due *result.Due, row index.Row) {
	r.cited.said = r.nb.says(row)
	for _, c := range ExtraOf(row).Files {
		r.cited.sought = 0
		now, file := r.cited.follow(c)
		if !now.Changed || now.Gone || r.cited.root == "" || git.FindCheckout(r.cited.root).Top == "" {
			continue
		}
		commit, was, changed, err := git.FindVersion(ctx, r.cited.root, c.Path, c.Hash)
		r.nb.warnOfGit(err)
		switch {
		case commit != "":
			due.Diff = r.cited.difference(c, was, file)
			due.Look = "git diff " + commit[:10] + " -- " + errors.Argument(file)
		case changed:
			due.Look = "git log -p --since=" + row.Time.UTC().Format(time.DateOnly) + " -- " + errors.Argument(file)
		}
		return
	}
}

// difference returns the lines of code that a citation and a file now do not share, at most differenceLines:
// first those that the note speaks of.
func (f *citations) difference(c note.Cited, was, file string) (shown []string) {
	text, ok := f.text(file)
	if !ok {
		return nil
	}
	former, _ := anchor.ParseLines(c.Lines)
	if former.First == 0 {
		former, _ = anchor.ParseLines(c.Span)
	}
	_, present := f.find(&c, file, text)
	if c.Span == "" {
		present = anchor.Span{}
	}
	sides := [2]*side{f.sideOf(c.Path, anchor.Split(c.Path, was), former, "- "), f.sideOf(file, text, present, "+ ")}
	for i, at := range note.MatchLines(sides[0].code, sides[1].code) {
		if at >= 0 {
			sides[0].same[i], sides[1].same[at] = true, true
		}
	}
	var near, others []string
	for _, pair := range pairs(sides) {
		var lines []string
		isNear := false
		for k, s := range sides {
			if at := pair[k]; at >= 0 {
				lines, isNear = append(lines, s.show(at)), isNear || s.near[at]
			}
		}
		if isNear {
			near = append(near, lines...)
		} else {
			others = append(others, lines...)
		}
	}
	shown = append(near, others...)
	return shown[:min(len(shown), differenceLines)]
}

// pairs returns the places of the lines of code that two sides do not share, in order: each that is gone with the
// one that stands in its place, or -1.
func pairs(sides [2]*side) (all [][2]int) {
	var at [2]int
	for at[0] < len(sides[0].code) || at[1] < len(sides[1].code) {
		var differing [2][]int
		for k, s := range sides {
			for ; at[k] < len(s.code) && !s.same[at[k]]; at[k]++ {
				if s.code[at[k]] != "" {
					differing[k] = append(differing[k], at[k])
				}
			}
			at[k]++ // a line of both sides
		}
		for i := range max(len(differing[0]), len(differing[1])) {
			pair := [2]int{-1, -1}
			for k := range pair {
				if i < len(differing[k]) {
					pair[k] = differing[k][i]
				}
			}
			all = append(all, pair)
		}
	}
	return all
}

// side is one side of a difference.
type side struct {
	lines anchor.Lines
	first int // place of the first line
	mark  string
	code  []string
	near  []bool // the note speaks of the line
	same  []bool // the other side has it
}

func (f *citations) sideOf(file string, lines anchor.Lines, at anchor.Span, mark string) *side {
	if at.First == 0 || at.Last > lines.Len() {
		at = anchor.Span{First: 1, Last: lines.Len()}
	}
	_, all := lines.Text(anchor.Span{First: 1, Last: lines.Len()})
	code := corpus.CodeLines(file, all)
	s := &side{lines: lines, first: at.First, mark: mark, code: code[at.First-1 : at.Last], near: anchor.NewCode(code).Near(f.said(), at)}
	s.same = make([]bool, len(s.code))
	return s
}

// show returns a line as a review shows it, without what looks like a secret.
func (s *side) show(i int) string {
	before, line := s.lines.Text(anchor.Span{First: s.first + i, Last: s.first + i})
	masked := corpus.MaskLines(before+line, len(before), len(before)+len(line))
	return s.mark + note.ShowLabel(note.OneLine(masked[0]), differenceShown)
}
