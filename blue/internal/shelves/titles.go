package shelves

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
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
		return cmp.Or(cmp.Compare(recordNumber(b.Path), recordNumber(a.Path)), cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
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

// Best is the document that a prompt is told of unasked, of those that a search found, that
// surely answer and that may be told: a decision record before others; nil for none.
func Best(found []reply.Beside, told func(file string) bool) (best *reply.Beside) {
	for _, hit := range found {
		file, _, _ := strings.Cut(hit.Ref, "#")
		if !hit.Sure || !told(file) || isForm(file) {
			continue
		}
		if isRecord := recordNumber(file) > 0; best == nil || isRecord {
			hit.Title, hit.Snippet, hit.Ref = reply.PlainTags(hit.Title), reply.PlainTags(hit.Snippet), reply.PlainTags(hit.Ref)
			best = &hit
			if isRecord {
				break
			}
		}
	}
	return best
}

// recordNumber is the number of a decision record, 0 for a document that is none: one has a
// name of three digits or more in its path, or lies in a directory that holds records.
func recordNumber(name string) (number int) {
	holds := false
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		part = strings.TrimPrefix(part, "adr-")
		rest := strings.TrimLeft(part, "0123456789")
		digits := len(part) - len(rest)
		if rest != "" && strings.ContainsAny(rest[:1], "-_") && (digits >= 3 || holds && digits > 0) {
			number, _ = strconv.Atoi(part[:digits])
			number++ // one may be 0
		}
		holds = holds || slices.Contains(recordDirs[:], part)
	}
	return number
}

// isForm reports what is no document of its own: forms for others, and the settings of tools.
func isForm(name string) bool {
	return strings.Contains(strings.ToLower(path.Base(name)), "template") || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}
