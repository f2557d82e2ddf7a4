package blue

import (
	"context"

	"blue/blue/internal/result"
	"blue/blue/internal/sessions"
	"blue/errors"
)

// harvestMost is the maximum number of settlements in a harvest.
const harvestMost = 10

// Harvest returns what past sessions of the project settled, if no note holds it and it was not
// dismissed, the surest first.
func (p *Project) Harvest(ctx context.Context) (h Harvest, err error) {
	defer p.NameProject(&err)
	exchanges, err := p.Exchanges(ctx)
	if err != nil {
		return h, err
	}
	dismissed, err := p.b.sessionSettings().Dismissed()
	if err != nil {
		return h, errors.Unreadable("the list of what was dismissed", err)
	}
	holds, err := p.Holds(ctx)
	if err != nil {
		return h, err
	}
	h = Harvest{About: p.About(), Settlements: []result.Settlement{}, Dismissed: []string{}, Reading: p.sessionShelf().Count().Reading}
	for _, s := range sessions.Harvest(exchanges) {
		if dismissed[s.ID] || holds(s.Title, s.Said+"\n"+s.Answered) {
			continue
		}
		if h.More = len(h.Settlements) == harvestMost; h.More {
			break
		}
		h.Settlements = append(h.Settlements, s)
	}
	return h, ctx.Err()
}

// DismissHarvest makes harvests leave out exchanges, given by ids as a harvest shows them.
func (p *Project) DismissHarvest(ids []string) (h Harvest, err error) {
	defer p.NameProject(&err)
	if err := p.requireSessions(); err != nil {
		return h, err
	}
	for _, id := range ids {
		if !sessions.IsExchange(id) {
			return h, errors.BadValue("dismiss", id, "ids as blue harvest shows them, such as claude-code/1a2b#3")
		}
	}
	if err := p.b.sessionSettings().Dismiss(ids); err != nil {
		return h, errors.SaveFailed("what is dismissed", err)
	}
	return Harvest{About: p.About(), Settlements: []result.Settlement{}, Dismissed: ids}, nil
}
