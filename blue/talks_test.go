package blue_test

import (
	"slices"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/fixtures"
	"blue/fixtures/bench/talks"
)

// past makes a project with the past sessions of a talk.
func past(t *testing.T, name string) (p *blue.Project, talk talks.Talk) {
	t.Helper()
	u := newUser(t)
	dir := u.Project(t)
	talk = talks.Load(t, name)
	if err := talk.Write(u.Home, dir); err != nil {
		t.Fatal(err)
	}
	b := u.Blue(t)
	call := at(dir)
	call.Private = true
	p, err := b.Open(t.Context(), call)
	must(t, err)
	must(t, b.SwitchSessions(true))
	return p, talk
}

// TestQuestions asks what was said in past sessions, and counts how often one of the first five
// hits has the answer. "asked" are questions as somebody asks who remembers the talk by halves;
// "reworded" avoid the words of their answers, which is why many are not found by words. The search
// was tuned on "shop" alone.
func TestQuestions(t *testing.T) {
	fixtures.Slow(t)
	for name, least := range map[string]struct{ asked, reworded float64 }{
		"shop":  {asked: 0.90, reworded: 0.36},
		"birds": {asked: 0.90, reworded: 0.33},
	} {
		p, talk := past(t, name)
		if hit := hitAtFive(t, p, name+", asked", talk.Asked); hit < least.asked {
			t.Errorf("%s: hit@5 is %.2f, want %.2f", name, hit, least.asked)
		}
		if hit := hitAtFive(t, p, name+", reworded", talk.Questions); hit < least.reworded {
			t.Errorf("%s: hit@5 of reworded questions is %.2f, want %.2f", name, hit, least.reworded)
		}
	}
}

// hitAtFive returns the share of questions that one of the first five hits answers. It logs the
// shares for one and for ten hits and for the kinds of questions as well.
func hitAtFive(t *testing.T, p *blue.Project, name string, questions []talks.Question) float64 {
	t.Helper()
	found, asked := map[string]int{}, map[string]int{} // by kind
	var one, five, ten int
	for _, q := range questions {
		h, err := p.Search(t.Context(), blue.Query{Text: q.Text, In: []string{"sessions"}, Paging: blue.Paging{Limit: 10}})
		must(t, err)
		asked[q.Kind]++
		rank := slices.IndexFunc(h.Sessions, func(hit result.SessionHit) bool { return slices.Contains(q.Answers, hit.ID) })
		if rank < 0 {
			continue
		}
		ten++
		if rank < 5 {
			five++
			found[q.Kind]++
		}
		if rank == 0 {
			one++
		}
	}
	share := func(n int) float64 { return float64(n) / float64(len(questions)) }
	t.Logf("%s: of %d questions hit@1 %.2f, hit@5 %.2f, hit@10 %.2f; hit@5 by kind %v of %v",
		name, len(questions), share(one), share(five), share(ten), found, asked)
	return share(five)
}
