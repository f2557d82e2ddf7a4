package blue_test

import (
	"slices"
	"testing"

	"blue/blue"
	"blue/fixtures"
	"blue/fixtures/bench/talks"
)

// harvested is what three harvests, each dismissed as a whole, name of a talk.
type harvested struct {
	first, all, wrong, total int // planted ones in the first harvest, in all; others; planted ones that no note holds
	held                     int // named though a note holds them
}

// past makes a project with the notes and the past sessions of a talk.
func past(t *testing.T, name string) (p *blue.Project, talk talks.Talk) {
	t.Helper()
	u := newUser(t)
	dir := u.Project(t)
	talk = talks.Load(t, name)
	talk.Write(t, u.Home, dir)
	b := u.Blue(t)
	call := at(dir)
	call.Private = true
	p, err := b.Open(t.Context(), call)
	must(t, err)
	must(t, b.SwitchSessions(true))
	for _, n := range talk.Notes {
		_, err := p.Write(t.Context(), blue.Draft{Type: n.Type, Title: n.Title, Body: n.Body})
		must(t, err)
	}
	return p, talk
}

// TestHarvestNames reads past sessions as clients recorded them, and counts what three harvests
// name when each is dismissed. The lists of cues were made on "shop" alone.
func TestHarvestNames(t *testing.T) {
	fixtures.Slow(t)
	for name, least := range map[string]harvested{
		"shop":  {first: 9, all: 28, wrong: 1},
		"birds": {first: 9, all: 13, wrong: 1},
	} {
		p, talk := past(t, name)
		got := harvestThrice(t, p, talk)
		t.Logf("%s: of 30 settlements the first ten lines name %d, three lists name %d; %d lines are something else, %d are held by notes",
			name, got.first, got.all, got.wrong, got.held)
		if got.total != 30 || got.first < least.first || got.all < least.all || got.wrong > least.wrong || got.held > 0 {
			t.Errorf("%s: %+v, want at least %+v", name, got, least)
		}
	}
}

func harvestThrice(t *testing.T, p *blue.Project, talk talks.Talk) (got harvested) {
	t.Helper()
	settles := map[string]talks.Exchange{}
	for _, s := range talk.Sessions {
		for n, x := range s.Exchanges {
			settles[s.Name(n)] = x
			if x.Settles != "" && !x.Held && !x.Again {
				got.total++
			}
		}
	}
	for round := range 3 {
		h, err := p.Harvest(t.Context())
		must(t, err)
		if len(h.Settlements) > 10 {
			t.Errorf("%d in a harvest", len(h.Settlements))
		}
		var ids []string
		for _, s := range h.Settlements {
			ids = append(ids, s.ID)
			switch x := settles[s.ID]; {
			case x.Held:
				got.held++
			case x.Settles == "":
				got.wrong++
				t.Logf("not planted: %s: %s", s.Kind, s.Title)
			default:
				got.all++
				if round == 0 {
					got.first++
				}
			}
			delete(settles, s.ID) // it must not come again
		}
		if len(ids) > 0 {
			_, err = p.DismissHarvest(ids)
			must(t, err)
		}
	}
	return got
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
		rank := slices.IndexFunc(h.Sessions, func(hit blue.SessionHit) bool { return slices.Contains(q.Answers, hit.ID) })
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
