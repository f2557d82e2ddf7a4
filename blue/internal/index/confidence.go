package index

import (
	"math"
	"slices"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// How sure a hit is that it answers its query. The constants were found on the judged
// sets kep and beads: at sureness 1, 94 and 90 of 100 queries of a set get an answer from
// its own notes, and 4 and 0 of 100 of the other set's.
const (
	talkWeight  = 0.5 // of a word of working talk, beside 1 for any other
	stemHeld    = 0.7 // of a word of which the document holds another form
	titleBonus  = 0.5 // more for a document whose title holds all that was asked for
	fewPenalty  = 0.6 // when fewer words than fewWords are held that are no talk
	fewWords    = 2
	surelyScore = 2.42 // of an answer, in scores of the rarest word
)

// confidence is how surely a document answers a query: from 1 on it should be shown to
// somebody who has not asked for it. It is the score, measured by what the rarest word of
// a collection of this size can be worth, times the share of the query that the document
// holds, and that its best passage does. Words with which people talk to an agent about any
// work count for half: prompts are full of them, and no note answers "run the tests again".
//
// What is returned is still to be multiplied by [passageShare].
func (v *snapshot) confidence(q *queryPlan, c candidate) float64 {
	l := v.segments[c.segment]
	score, asked, held, titled, full := 0.0, 0.0, 0.0, 0.0, 0
	for _, w := range q.asked {
		asked += w.rarity
		share, inTitle := 0.0, false
		for _, f := range w.forms {
			if term := l.FindTerm(f.key); term != nil {
				if at := segment.NewCursor(term); at.Seek(c.doc) {
					text, title := v.termScore(l, f.weightedTerm, at)
					score += w.weight * (text + title)
					share, inTitle = max(share, f.part), inTitle || at.TitleFrequency() > 0
				}
			}
		}
		held += w.rarity * share
		if inTitle {
			titled += w.rarity
		}
		if share > 0 && w.weight == 1 {
			full++
		}
	}
	if asked == 0 {
		return 0
	}
	sure := score / v.rarity(1) * math.Sqrt(held/asked) * (1 + titleBonus*titled/asked)
	if full < fewWords {
		sure *= fewPenalty
	}
	return sure / surelyScore
}

// informativeWords are the words of a query that the confidence goes by.
func (v *snapshot) informativeWords(q *queryPlan) (asked []askedWord) {
	for _, w := range q.counting {
		if w.Form == words.Compound {
			continue
		}
		a := askedWord{weight: wordWeight(w.Text)}
		docs, _ := v.holding(segment.WordTerm + w.Text)
		a.rarity = a.weight * v.rarity(docs)
		for key, part := range map[string]float64{segment.WordTerm + w.Text: 1, segment.StemTerm + q.stems.Stem(w.Text): stemHeld} {
			if i := slices.IndexFunc(q.terms, func(t weightedTerm) bool { return t.key == key }); i >= 0 {
				a.forms = append(a.forms, askedForm{q.terms[i], part})
			}
		}
		asked = append(asked, a)
	}
	return asked
}

// wordWeight is what a word counts in a confidence.
func wordWeight(word string) float64 {
	if slices.Contains(talk[:], word) {
		return talkWeight
	}
	return 1
}

// passageShare is the factor of a confidence that depends on the best passage of the
// document, of which found is the weight.
func (q *queryPlan) passageShare(found float64) float64 {
	all := 0.0
	for _, t := range q.terms {
		if t.share == wordShare || t.share == stemShare {
			all += t.textWeight
		}
	}
	if all == 0 {
		return 0
	}
	return math.Sqrt(found / all)
}

// talk are words with which people talk to an agent about any work.
var talk = [...]string{
	"accept", "add", "added", "adding", "adds", "after", "again", "ahead", "all", "also", "another", "answer", "any", "applied", "apply", "approve",
	"ask", "back", "before", "begin", "best", "better", "between", "big", "bit", "blank", "branch", "branches", "broken", "bug", "bugs", "build",
	"builds", "bump", "call", "calls", "change", "changed", "changes", "check", "checks", "cherry", "class", "clean", "cleaner", "cleanup", "clear", "clearer", "close",
	"code", "color", "comment", "comments", "commit", "commits", "committed", "compile", "compiles", "config", "conflict", "conflicts", "continue",
	"convert", "copy", "crash", "create", "created", "dead", "debug", "debugging", "decrease", "default", "delete", "dependencies", "dependency",
	"deploy", "describe", "diff", "directory", "doc", "docs", "documentation", "done", "double", "down", "drop", "duplicate", "end", "english", "error",
	"errors", "example", "examples", "explain", "extract", "fail", "failed", "failing", "fails", "failure", "fast", "faster", "file", "files", "find",
	"finish", "finished", "first", "fix", "fixed", "fixes", "fixing", "flag", "flags", "folder", "font", "format", "formatting", "forward", "function",
	"functions", "generate", "generated", "get", "give", "go", "going", "good", "great", "half", "handle", "handling", "helper", "helpers", "here",
	"high", "higher", "ignore", "implement", "implementation", "implemented", "import", "imports", "increase", "indent", "inline", "install", "instead",
	"issue", "issues", "just", "keep", "large", "last", "later", "leave", "less", "let", "lets", "level", "library", "like", "line", "lines", "lint",
	"linter", "linux", "list", "log", "logging", "logs", "long", "look", "looks", "low", "lower", "mac", "main", "make", "makes", "making", "master",
	"may", "merge", "message", "messages", "method", "methods", "minute", "mock", "more", "move", "moved", "moves", "must", "name", "names", "need", "needs",
	"new", "next", "nice", "no", "not", "now", "off", "ok", "okay", "old", "once", "one", "only", "open", "option", "options", "other", "out", "output",
	"over", "package", "packages", "part", "parts", "pass", "passes", "passing", "paste", "patch", "pick", "ping", "please", "print", "pull", "push",
	"put", "quick", "quickly", "quiet", "read", "readme", "ready", "really", "rebase", "redo", "reduce", "refactor", "refactoring", "reject", "release",
	"remove", "removed", "removes", "rename", "replace", "replaced", "request", "reset", "resolve", "resolved", "rest", "resume", "revert", "review",
	"right", "run", "running", "runs", "same", "search", "see", "set", "ship", "short", "show", "simple", "simpler", "skip", "slow", "slower", "small",
	"some", "soon", "sort", "space", "spaces", "split", "squash", "start", "started", "stash", "step", "steps", "still", "stop", "stopped", "stuff",
	"summarize", "summary", "support", "sure", "tab", "tabs", "tag", "take", "tell", "temp", "temporary", "ten", "test", "testing", "tests", "thank",
	"thanks", "thing", "things", "three", "time", "timeout", "times", "today", "todo", "translate", "tries", "try", "two", "type", "types", "undo",
	"unit", "unused", "up", "update", "updated", "updates", "upgrade", "use", "used", "uses", "using", "value", "values", "variable", "variables",
	"verbose", "version", "versions", "wait", "want", "warning", "warnings", "way", "whole", "width", "windows", "without", "work", "working", "works",
	"write", "wrong", "yes", "yet",
}
