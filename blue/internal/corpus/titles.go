package corpus

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// recordDirs are the names of directories that hold decision records.
var recordDirs = [...]string{"adr", "adrs", "madr", "decision", "decisions", "decision-records", "rfc", "rfcs"}

// Titles returns titles and paths of the documents that an agent is shown unasked: decision records
// first, accepted ones with high numbers before the others, then the documents with most links to
// them; of versions of one document the newest. During an update it returns those that have been read.
func (s Corpus) Titles(ctx context.Context, most int) (found []result.Titled) {
	if s.Sources.NoDocuments {
		return nil
	}
	of := &s.open().documents
	x, _ := of.refresh(ctx, s.checkout(), s.Sources.Globs, titlePatience)
	var named []index.Row
	for _, row := range s.firstDocuments(x) {
		if len(named) == most {
			break
		}
		at := slices.IndexFunc(named, func(other index.Row) bool { return other.Title == row.Title && of.isVersion(other, row) })
		switch {
		case at < 0:
			named = append(named, row)
		case recordNumber(named[at].Name) == 0 && comparePaths(row.Name, named[at].Name) > 0:
			named[at] = row
		}
	}
	for _, row := range named {
		title := result.PlainTags(note.ShowLabel(row.Title, titleLimit))
		found = append(found, result.Titled{Path: result.PlainTags(note.ShowLabel(row.Name, result.PathShown)), Title: title})
	}
	return found
}

// firstDocuments returns the documents in the order of [Corpus.Titles], without those that are not told
// unasked, those that notes supersede, and records that are no longer valid.
func (s Corpus) firstDocuments(x *index.Index) []index.Row {
	rows, led, superseded := x.Keyed(keyWhole), x.CountKeys(keyLink), s.Superseded()
	rows = slices.DeleteFunc(rows, func(row index.Row) bool {
		_, replaced := superseded[row.Name]
		return replaced || isUntold(row.Name) || recordNumber(row.Name) > 0 && slices.Contains(pastStatuses[:], string(row.Extra))
	})
	rank := func(row index.Row) [3]int {
		number := recordNumber(row.Name)
		switch {
		case number > 0 && string(row.Extra) == "accepted":
			return [3]int{2, number, led[row.Name]}
		case number > 0:
			return [3]int{1, number, led[row.Name]}
		}
		return [3]int{0, led[row.Name], -strings.Count(row.Name, "/")}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int {
		one, other := rank(a), rank(b)
		return cmp.Or(slices.Compare(other[:], one[:]), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

// pastStatuses are the statuses of decision records that are not valid.
var pastStatuses = [...]string{"superseded", "deprecated", "rejected", "withdrawn", "obsolete", "replaced", "declined"}

// Propose returns a query that finds a document by its title: a decision record, or else the
// longest document. It returns "" if there is none.
func (s Corpus) Propose(ctx context.Context) string {
	x, _ := s.open().documents.refresh(ctx, s.checkout(), s.Sources.Globs, s.patience())
	rows := s.firstDocuments(x)
	if len(rows) > 0 && recordNumber(rows[0].Name) == 0 {
		slices.SortStableFunc(rows, func(a, b index.Row) int { return cmp.Compare(b.Stamp.Size, a.Stamp.Size) })
	}
	for _, row := range rows[:min(len(rows), proposalsMost)] {
		words := titleWords(row.Title)
		if len(words) < 2 {
			continue
		}
		query := strings.Join(words, " ")
		found := s.Search(ctx, []string{Documents}, index.Query{Text: query, Limit: 1})
		if len(found.Hits) > 0 && strings.HasPrefix(found.Hits[0].Ref+"#", note.ShowLabel(row.Name, result.PathShown)+"#") {
			return query
		}
	}
	return ""
}

// titleWords returns the first words of a title that need no quoting in a shell. Numbers and the
// names of kinds of records are left out.
func titleWords(title string) (words []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		isKind := slices.Contains(recordDirs[:], word) || word == "kep"
		if !isKind && strings.ContainsFunc(word, unicode.IsLetter) && len(words) < titleWordsMost {
			words = append(words, word)
		}
	}
	return words
}

// Best returns the document to show for a prompt unasked: of the hits that surely answer and that
// may be told, the first decision record, or else the first. It returns nil if there is none.
func Best(found []result.ShelfHit) (best *result.ShelfHit) {
	for _, hit := range found {
		file, _, _ := strings.Cut(hit.Ref, "#")
		if !hit.Sure || isUntold(file) {
			continue
		}
		if isRecord := recordNumber(file) > 0; best == nil || isRecord {
			hit.Title, hit.Snippet, hit.Ref = result.PlainTags(hit.Title), result.PlainTags(hit.Snippet), result.PlainTags(hit.Ref)
			best = &hit
			if isRecord {
				break
			}
		}
	}
	return best
}

// recordNumber returns the number of a decision record plus one, and 0 for any other document. A
// record has a path element that begins with a number of at least three digits, or with a shorter
// number below a directory for records.
func recordNumber(name string) (number int) {
	holds := false
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		part = strings.TrimPrefix(part, "adr-")
		rest := strings.TrimLeft(part, "0123456789")
		digits := len(part) - len(rest)
		if rest != "" && strings.ContainsAny(rest[:1], "-_") && (digits >= 3 || holds && digits > 0) {
			number, _ = strconv.Atoi(part[:digits])
			number++ // a record may have the number 0
		}
		holds = holds || slices.Contains(recordDirs[:], part)
	}
	return number
}

// isUntold reports whether a document is not told unasked: a template, a list of changes, or settings of a
// tool.
func isUntold(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.Contains(base, "template") || isChangeLog(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// isChangeLog reports whether a document lists the changes of versions.
func isChangeLog(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasPrefix(base, "changelog") || name == path.Base(name) && slices.Contains(changeLogs[:], stem)
}

// changeLogs are further names of files that list the changes of versions, at the top of a project.
var changeLogs = [...]string{"changes", "history", "news", "release-notes", "release_notes"}
