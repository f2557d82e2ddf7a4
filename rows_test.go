package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// systems are the seeds of the acceptance rows.
var systems = []struct{ letter, name string }{
	{"B", "Blue RFC 0020"}, {"C", "CocoSearch"}, {"G", "mcp-guide ADR 009"}, {"X", "contextd"},
}

// origins reads fixtures/rows.txt: a row a line, and the systems that it keeps
// ("B"), takes from the documents of ("b"), or corrects ("B!").
func origins(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("fixtures/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		rows[words[0]] = words[1:]
	}
	return rows
}

// TestRowsOfTheSeeds prints how many rows of each seed system a test names, and
// fails when one has none. That the tests pass is what `go test ./...` says.
func TestRowsOfTheSeeds(t *testing.T) {
	out, err := exec.Command("git", "grep", "-hoE", `\b[DX][0-9]{3}(–[DX][0-9]{3})?\b`, "--", "*_test.go", "*.txtar", "*.mjs", ".ci/*").Output()
	if err != nil {
		t.Skipf("SKIPPED: the tree is no checkout of git: %v", err)
	}
	named := strings.Fields(string(out))
	row := regexp.MustCompile(`^[DX]\d{3}$`)
	tested := func(id string) bool { return slices.Contains(named, id) }
	table := fmt.Sprintf("%-20s %6s %12s %11s %6s\n", "system", "kept", "documented", "corrected", "all")
	rows := origins(t)
	for _, system := range systems {
		var kept, documented, corrected, all int
		for _, from := range rows {
			switch {
			case slices.Contains(from, system.letter):
				kept++
			case slices.Contains(from, strings.ToLower(system.letter)):
				documented++
			case slices.Contains(from, system.letter+"!"):
				corrected++
			default:
				continue
			}
			all++
		}
		table += fmt.Sprintf("%-20s %6d %12d %11d %6d\n", system.name, kept, documented, corrected, all)
	}
	missing := 0
	for id := range rows {
		if !row.MatchString(id) || !tested(id) {
			t.Errorf("row %s (%s) is named by no test", id, strings.Join(rows[id], " "))
			missing++
		}
	}
	t.Logf("rows of detection and HTTP by origin, %d of %d named by a test:\n%s", len(rows)-missing, len(rows), table)
}
