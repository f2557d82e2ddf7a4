package index

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/fixtures"

	"blue/blue/internal/words"
)

// The table has at most so many stems, each with its occurrences in so many words.
const (
	everydayStems = 4000
	everydayUnit  = 1_000_000
)

// TestCountEveryday makes everyday.txt anew of the commit messages of git repositories:
//
//	BLUE_REPOSITORIES="DIR DIR ..." go test ./blue/internal/index -run CountEveryday
//
// Each repository counts the same, whatever its size, and a stem must occur in at least
// a third of them, so that the words of one project do not pass for everyday ones.
func TestCountEveryday(t *testing.T) {
	dirs := strings.Fields(os.Getenv("BLUE_REPOSITORIES"))
	if len(dirs) == 0 {
		t.Skip("no repositories: set BLUE_REPOSITORIES to make the table anew")
	}
	shares, holding := map[string]float64{}, map[string]int{}
	var names []string
	for _, dir := range dirs {
		counts, all := countStems(t, dir)
		for stem, n := range counts {
			shares[stem] += float64(n) / float64(all) / float64(len(dirs))
			holding[stem]++
		}
		names = append(names, filepath.Base(dir))
	}
	var stems []string
	for stem := range shares {
		if 3*holding[stem] >= len(dirs) && shares[stem]*everydayUnit >= 1 {
			stems = append(stems, stem)
		}
	}
	slices.SortFunc(stems, func(a, b string) int { return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b)) })
	stems = stems[:min(len(stems), everydayStems)]
	slices.Sort(stems)
	table := fmt.Sprintf("# in a million words of the commit messages of %s\n", strings.Join(names, ", "))
	for _, stem := range stems {
		table += fmt.Sprintf("%s %.0f\n", stem, shares[stem]*everydayUnit)
	}
	must(t, os.WriteFile("everyday.txt", []byte(table), 0o644))
}

// countStems counts the stems in the subjects and first paragraphs of a repository's commits.
// A subject that is repeated counts once; merges and version bumps do not count.
func countStems(t *testing.T, dir string) (counts map[string]int, all int) {
	t.Helper()
	out, err := exec.Command("git", "-C", filepath.Clean(dir), "log", "--no-merges", "--format=%s%n%b%x00").Output()
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	counts = map[string]int{}
	seen := map[string]bool{}
	for message := range strings.SplitSeq(string(out), "\x00") {
		message = strings.TrimSpace(message)
		subject, body, _ := strings.Cut(message, "\n")
		start := subject[:min(len(subject), 12)]
		if seen[subject] || strings.HasPrefix(start, "Bump ") || strings.HasPrefix(start, "Merge ") {
			continue
		}
		seen[subject] = true
		paragraph, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
		if strings.Contains(paragraph, "-by: ") || strings.Contains(paragraph, "://") {
			paragraph = ""
		}
		words.Scan(subject+"\n"+paragraph, 0, func(t words.Word) {
			if t.Form != words.Whole {
				return
			}
			stem := cmp.Or(words.Stem(t.Text), t.Text)
			if len(stem) > 24 {
				return
			}
			counts[stem]++
			all++
		})
	}
	return counts, all
}

var must = fixtures.Must
