package notebook

import (
	"context"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Tags lists the tags of all notes, with how many notes have each.
func (nb *Notebook) Tags(ctx context.Context) (t result.TagList, err error) {
	defer nb.NameProject(&err)
	f, err := nb.Facets(ctx)
	t = result.TagList{About: nb.About(), Tags: []result.Count{}}
	for _, tag := range f.Tags {
		t.Tags = append(t.Tags, result.Count{Word: tag.Shown, Notes: tag.Count})
	}
	return t, err
}

// completionTime is how long a shell waits for the index to be brought in line.
const completionTime = time.Second

// KnownTags are the tags that begin so, for a shell.
func (nb *Notebook) KnownTags(ctx context.Context, start string) []Choice {
	return completeWords(nb.facetsNow(ctx).Tags, start)
}

// KnownTypes are the types that begin so: those of the project, and those with a meaning.
func (nb *Notebook) KnownTypes(ctx context.Context, start string) []Choice {
	return completeWords(nb.facetsNow(ctx).Types, start, note.Types()...)
}

// facetsNow counts the notes as far as the index can be brought in line at once: that of a
// small project is in no file.
func (nb *Notebook) facetsNow(ctx context.Context) result.Facets {
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	f, err := nb.Facets(ctx)
	if err != nil {
		f = nb.index.CountFacets()
	}
	return f
}
