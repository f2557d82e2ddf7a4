package notebook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// What follows offers words for a command line that is being typed. It reads the files, or
// takes what the index has counted, and changes no note: who presses a key asks for little work,
// and what cannot be read is not offered.

// Choice is a word that may stand on a command line, and what it means.
type Choice struct{ Word, Means string }

// titled is up to how many notes are opened for their titles.
const titled = 500

// Notes returns the notes whose id begins so, with their titles when they are asked for and not
// too many.
func (nb *Notebook) Notes(ctx context.Context, start string, titles bool) (found []Choice) {
	var names []string
	seen := map[string]bool{} // of one name in notes/ and private/, the id means the former
	for file, err := range nb.store.Files(ctx) {
		id := note.IDOf(file.Name)
		if err == nil && file.Problem == "" && strings.HasPrefix(id, start) && !seen[id] {
			seen[id] = true
			names = append(names, file.Name)
		}
	}
	for _, name := range names {
		choice := Choice{Word: note.IDOf(name)}
		if titles && len(names) <= titled {
			if data, _, err := nb.store.Read(name); err == nil {
				choice.Means = note.ShowTitle(note.ParseText(name, data).Title)
			}
		}
		found = append(found, choice)
	}
	return found
}

// Revisions returns the former revisions of a note that begin so, newest first.
func (nb *Notebook) Revisions(ctx context.Context, id, start string) (found []Choice) {
	if some := nb.Notes(ctx, id, false); len(some) == 1 {
		id = some[0].Word
	}
	for _, private := range []bool{false, true} {
		past, err := nb.store.Revisions(note.FileOf(id, private))
		for _, rev := range past {
			if err == nil && strings.HasPrefix(rev.Revision, start) {
				found = append(found, Choice{rev.Revision, fmt.Sprintf("until %s, %s", result.FormatTime(rev.Time), result.Plural(int(rev.Size), "byte"))})
			}
		}
	}
	return found
}

// completeWords returns the words that begin so, with how many notes have each, and behind
// them others that no note has.
func completeWords(words []result.Facet, start string, others ...string) (found []Choice) {
	for _, f := range words {
		if strings.HasPrefix(f.Word, start) {
			found = append(found, Choice{Word: f.Word, Means: result.Plural(f.Count, "note")})
		}
	}
	for _, word := range others {
		if strings.HasPrefix(word, start) && !slices.ContainsFunc(found, func(c Choice) bool { return c.Word == word }) {
			found = append(found, Choice{Word: word})
		}
	}
	return found
}
