package blue_test

import (
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
		"birds": {first: 9, all: 14, wrong: 1},
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
