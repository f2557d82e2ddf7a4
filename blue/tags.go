package blue

import (
	"context"
	"time"

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

// completionTime is how long a shell waits for the index to be brought in line.
const completionTime = time.Second

// KnownTags are the tags that begin so, for a shell.
func (p *Project) KnownTags(ctx context.Context, start string) []Choice {
	return storage.CompleteWords(p.facetsNow(ctx).Tags, start)
}

// KnownTypes are the types that begin so: those of the project, and those with a meaning.
func (p *Project) KnownTypes(ctx context.Context, start string) []Choice {
	return storage.CompleteWords(p.facetsNow(ctx).Types, start, NoteTypes()...)
}

// facetsNow counts the notes as far as the index can be brought in line at once: that of a
// small project is in no file.
func (p *Project) facetsNow(ctx context.Context) Facets {
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	f, err := p.Facets(ctx)
	if err != nil {
		f = p.index.CountFacets()
	}
	return f
}
