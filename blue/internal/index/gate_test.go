package index

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// shop is a small collection of short notes.
var shop = [][2]string{
	{"Webhook retries stop after three", "The bank blocks us at the fourth try within an hour, so we stop after three webhook retries."},
	{"Sessions live in Redis", "Cookies grew over 4 kB, so session data is kept in Redis with a TTL of 30 minutes."},
	{"Node 20 breaks the build", "The sharp module segfaults on Node 20 arm64; stay on Node 18 until sharp 0.34."},
	{"Run the tests with make check", "Tests need the fake mail server, which make check starts before it runs them."},
}

// collect returns an index of some texts.
func collect(t testing.TB, texts [][2]string) *snapshot {
	t.Helper()
	docs := make([]Document, len(texts))
	for i, text := range texts {
		docs[i] = Document{Row: Row{Name: fmt.Sprintf("%04d", i), Title: text[0]}, Body: text[1]}
	}
	l, err := (&segment.Builder{}).Build(docs)
	must(t, err)
	return (&snapshot{}).withSegments([]*segment.Live{l})
}

// told returns the titles of the texts that a prompt gets.
func told(t *testing.T, texts [][2]string, prompt string) (titles []string) {
	p := collect(t, texts).parsePrompt(prompt, &words.Stemmer{})
	for _, text := range texts {
		if p.judge(text[0], text[1]).Passes() {
			titles = append(titles, text[0])
		}
	}
	return titles
}

// What decides is the information that prompt and note share.
func TestGate(t *testing.T) {
	for prompt, want := range map[string]string{
		"make the webhook retry up to 10 times":     "[Webhook retries stop after three]",
		"upgrade node to 20":                        "[Node 20 breaks the build]",
		"why does redis forget the session":         "[Sessions live in Redis]",
		"fix the typo":                              "[]",
		"yes, go ahead":                             "[]",
		"stop":                                      "[]",
		"rename this variable to something clearer": "[]",
		"":                      "[]",
		"???":                   "[]",
		"the of and to a in is": "[]",
	} {
		if got := fmt.Sprint(told(t, shop, prompt)); got != want {
			t.Errorf("%q: told %s, want %s", prompt, got, want)
		}
	}
}

// A word that many notes hold weighs less than one that few do.
func TestCommonInProject(t *testing.T) {
	many := append([][2]string{}, shop...)
	for i := range 200 {
		many = append(many, [2]string{fmt.Sprintf("Webhook number %d", i), "A webhook of the payment provider and what it carries."})
	}
	worth := func(texts [][2]string) float64 {
		for _, w := range collect(t, texts).parsePrompt("webhook", &words.Stemmer{}).judge(shop[0][0], shop[0][1]).Words {
			return w.Worth
		}
		return 0
	}
	if few, common := worth(shop), worth(many); few < 2*common {
		t.Errorf("webhook is worth %.1f in a small project and %.1f where each note has it", few, common)
	}
}

// In a large collection a prompt with words that none of its texts holds is meant
// for another one; words that all of them hold answer nothing.
func TestNative(t *testing.T) {
	var many [][2]string
	for i := range 300 {
		many = append(many, [2]string{fmt.Sprintf("Parcel %d", i), fmt.Sprintf("The courier weighs parcel %d at depot %d and prints its label.", i, i%9)})
	}
	many = append(many, [2]string{"Customs hold", "A courier leaves a parcel with customs at the depot, and its label is void then."})
	p, stems := collect(t, many), &words.Stemmer{}
	own := p.parsePrompt("courier label is void after customs", stems).judge(many[300][0], many[300][1])
	foreign := p.parsePrompt("glyph label is void after customs", stems).judge(many[300][0], many[300][1])
	if own.Score < foreign.Score+0.5 {
		t.Errorf("a word of the collection scores %.2f, another %.2f", own.Score, foreign.Score)
	}
	if got := told(t, many, "the courier weighs the parcel at the depot"); len(got) > 0 {
		t.Errorf("what all texts hold tells %d of them", len(got))
	}
}

// A long text is judged by its best passage, wherever that stands, and among more texts
// more is asked of it.
func TestBestPassage(t *testing.T) {
	filler := strings.Repeat("other matter of no weight stands here and there ", 100)
	asked := collect(t, shop).parsePrompt("why does redis forget the session", &words.Stemmer{})
	alone := asked.judge("Sessions", shop[1][1])
	for name, body := range map[string]string{"first": shop[1][1] + " " + filler, "last": filler + shop[1][1]} {
		v := asked.judge("Sessions", body)
		if math.Abs(v.Score-alone.Score) > 3 || len(v.Words) != len(alone.Words) {
			t.Errorf("%s: score %.2f of %v, alone %.2f of %v", name, v.Score, v.Words, alone.Score, alone.Words)
		}
	}
	few, many := &prompt{docs: 10}, &prompt{docs: 10_000}
	if few.threshold(false) >= many.threshold(false) {
		t.Error("the threshold does not grow with the number of texts")
	}
}

// A how-to whose title the prompt holds needs a lower score, and of several only the nearest.
func TestTitled(t *testing.T) {
	x, stems := collect(t, shop), &words.Stemmer{}
	p := x.parsePrompt("please cut 3.8.0", stems)
	whole, part, none := p.judge("Cutting", "Tag it.").Titled, p.judge("Cutting a release", "Tag it.").Titled, p.judge("Locale files", "Cut.").Titled
	if whole < part+1 || part <= 0 || none != 0 {
		t.Errorf("thresholds are lower by %.2f, %.2f and %.2f", whole, part, none)
	}
	hit := func(kind string, score, titled float64) Hit {
		return Hit{Row: Row{Type: kind}, Verdict: Verdict{Score: score, Threshold: 3, Titled: titled}}
	}
	hits := []Hit{hit("skill", 2, 1), hit("skill", 1.5, 1.7), hit("decision", 2, 3)}
	favorHits(Query{Titled: "skill"}, hits)
	if hits[0].Verdict.Passes() || !hits[1].Verdict.Passes() || hits[2].Verdict.Passes() {
		t.Errorf("not the nearest passes alone: %v", hits)
	}
}

// Code in a title that stands in the prompt to the letter decides, however common its words are.
func TestTitledCode(t *testing.T) {
	x, stems := collect(t, shop), &words.Stemmer{}
	score := func(prompt string) float64 {
		return x.parsePrompt(prompt, stems).judge("The list skips `--all`", "It shows what is due this week.").Score
	}
	plain := score("what does all do here?")
	if code := score("what does `--all` do here?"); code < plain+1 {
		t.Errorf("with the code it scores %.2f, else %.2f", code, plain)
	}
	if other := score("what does --all=0 do here?"); other > plain+1 {
		t.Errorf("with other code it scores %.2f, else %.2f", other, plain)
	}
	if got := fmt.Sprint(codeWords("(run) `asyncio.run()`, --no-cache; SKIP=1. -- a=b $ -- x == y's a_b v1.2")); got != "[asyncio.run() --no-cache SKIP=1]" {
		t.Errorf("code words %s", got)
	}
}

// The table of everyday words is data: sorted, counted, and small.
func TestEverydayTable(t *testing.T) {
	if len(everydayTable) > 40_000 {
		t.Errorf("%d bytes, at most 40,000", len(everydayTable))
	}
	if the, fix, rare := everydayShare("the"), everydayShare("fix"), everydayShare("zanzibar"); the < fix || fix < 1000*rare || rare != rareShare {
		t.Errorf("the %g, fix %g, zanzibar %g", the, fix, rare)
	}
	last := ""
	for line := range strings.Lines(everydayTable) {
		if stem, _, ok := strings.Cut(line, " "); !ok || stem <= last && last != "#" {
			t.Errorf("%q after %q", line, last)
		} else {
			last = stem
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("why does redis forget", "Sessions", "live in Redis")
	f.Add("getUserName a_b-c", "", "\xff getUserName")
	f.Add("why does redis forget", "\x7f", "") // without words
	c := collect(f, shop)
	f.Fuzz(func(t *testing.T, prompt, title, body string) {
		if v := c.parsePrompt(prompt, &words.Stemmer{}).judge(title, body); math.IsNaN(v.Score) || math.IsInf(v.Score, 0) {
			t.Errorf("score %v", v.Score)
		}
	})
}
