package blue

import "context"

// Search finds notes by their words, best first: of this project, of the user and of the known
// projects that the query names. No query is an error but an empty one.
func (p *Project) Search(ctx context.Context, q Query) (h Hits, err error) {
	defer p.NameProject(&err)
	if err := q.Check(); err != nil {
		return h, err
	}
	others, err := p.otherProjects(q)
	if err != nil {
		return h, err
	}
	defer func() { p.RecordFound(h.Hits) }()
	if len(others) == 0 {
		return p.Notebook.Search(ctx, q)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q, wait := p.searchElsewhere(ctx, others, q)
	if h, err = p.Notebook.Search(ctx, q); err == nil {
		wait(&h)
	}
	return h, err
}
