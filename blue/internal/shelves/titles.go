package shelves

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/documents"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	titlePatience = 100 * time.Millisecond // for the listing
	titleLimit    = 100                    // characters
)

// recordDirs are the names of directories that hold decision records.
var recordDirs = [...]string{"adr", "adrs", "madr", "decision", "decisions", "decision-records", "rfc", "rfcs"}

// Titles names documents unasked, by title and path alone, as many as that: decision records
// first, those of the highest numbers before the others, then what lies nearest to the root.
// When the listing takes long they are of its beginning.
func (s Shelves) Titles(ctx context.Context, most int) (found []reply.Titled) {
	if s.Sources.NoDocuments {
		return nil
	}
	brief, cancel := context.WithTimeout(ctx, titlePatience)
	defer cancel()
	shelf := documentShelf{root: s.Tree, home: s.Home, git: s.Git}
	listing, _ := documents.List(brief, shelf.tree(s.checkout(), s.Sources.Globs))
	slices.SortFunc(listing.Files, func(a, b documents.File) int {
		if of := isRecord(a.Path); of != isRecord(b.Path) {
			return map[bool]int{true: -1, false: 1}[of]
		} else if of {
			return cmp.Compare(b.Path, a.Path)
		}
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
	})
	for _, f := range listing.Files {
		if len(found) == most || ctx.Err() != nil {
			break
		}
		if isForm(f.Path) {
			continue
		}
		if text, reason, err := documents.Read(s.Tree, f.Path); err == nil && reason == "" {
			title := reply.PlainTags(note.ShowLabel(documents.Title(f.Path, text), titleLimit))
			found = append(found, reply.Titled{Path: reply.PlainTags(note.ShowLabel(f.Path, reply.PathShown)), Title: title})
		}
	}
	return found
}

// isRecord reports the path of a decision record: by a directory that holds them, or by the
// number that a name in the path begins with.
func isRecord(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	named := func(part string) bool { return slices.Contains(recordDirs[:], part) }
	return slices.ContainsFunc(strings.Split(name, "/"), isNumbered) || strings.ContainsAny(base, "0123456789") && slices.ContainsFunc(strings.Split(dir, "/"), named)
}

func isNumbered(part string) bool {
	part = strings.TrimPrefix(strings.ToLower(part), "adr-")
	rest := strings.TrimLeft(part, "0123456789")
	return len(part)-len(rest) >= 3 && rest != "" && strings.ContainsAny(rest[:1], "-_")
}

// isForm reports what is no document of its own: forms for others, and the settings of tools.
func isForm(name string) bool {
	return strings.Contains(strings.ToLower(path.Base(name)), "template") || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}
