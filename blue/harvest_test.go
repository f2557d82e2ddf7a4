package blue_test

import (
	"slices"
	"testing"

	"blue/blue"
	"blue/fixtures/talks"
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

// TestP006HarvestNames reads past sessions as clients recorded them, and counts what three harvests
// name when each is dismissed. The lists of cues were made on "shop" alone.
func TestP006HarvestNames(t *testing.T) {
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

// TestP008Questions asks what was said in past sessions in other words than were said, and counts
// how often one of the first five hits has the answer. The questions avoid the words of the answers,
// which is why many are not found by words. The search was tuned on "shop" alone.
func TestP008Questions(t *testing.T) {
	for name, least := range map[string]float64{"shop": 0.36, "birds": 0.33} {
		p, talk := past(t, name)
		found, asked := map[string]int{}, map[string]int{} // by kind, and all by ""
		for _, q := range talk.Questions {
			h, err := p.Search(t.Context(), blue.Query{Text: q.Text, In: []string{"sessions"}, Paging: blue.Paging{Limit: 5}})
			must(t, err)
			asked[q.Kind]++
			asked[""]++
			if answers(h, q.Answers) {
				found[q.Kind]++
				found[""]++
			}
		}
		hit := float64(found[""]) / float64(asked[""])
		t.Logf("%s: hit@5 %.2f of %d questions; by kind %v of %v", name, hit, asked[""], found, asked)
		if hit < least {
			t.Errorf("%s: hit@5 is %.2f, want %.2f", name, hit, least)
		}
	}
}

func answers(h blue.Hits, ids []string) bool {
	return slices.ContainsFunc(h.Sessions, func(hit blue.SessionHit) bool { return slices.Contains(ids, hit.ID) })
}
