package blue

import (
	"context"

	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
)

// TagList is the answer to tags.
type TagList = reply.TagList

// Tags lists the tags of all notes, with how many notes have each.
func (p *Project) Tags(ctx context.Context) (t TagList, err error) {
	defer p.NameProject(&err)
	f, err := p.Facets(ctx)
	t = TagList{About: p.About(), Tags: []reply.Count{}}
	for _, tag := range f.Tags {
		t.Tags = append(t.Tags, reply.Count{Word: tag.Shown, Notes: tag.Count})
	}
	return t, err
}

// KnownTags are the tags that begin so, for a shell: as the index has them, which is not
// brought in line.
func (p *Project) KnownTags(start string) []Choice {
	return storage.CompleteWords(p.index.CountFacets().Tags, start)
}

// KnownTypes are the types that begin so: those of the project, and those with a meaning.
func (p *Project) KnownTypes(start string) []Choice {
	return storage.CompleteWords(p.index.CountFacets().Types, start, NoteTypes()...)
}
