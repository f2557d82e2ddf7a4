package gate

import (
	_ "embed"
	"strconv"
	"strings"
)

// everydayTable has the commonest stems of everyday technical English, a line each with
// its occurrences in a million words. TestCountEveryday makes it.
//
//go:embed everyday.txt
var everydayTable string

// rareShare is the share of a stem that is not in the table: half of the least one there.
const rareShare = 0.5e-6

// everydayShare returns the share of a stem among all words of everyday technical English.
func everydayShare(stem string) float64 {
	_, line, found := strings.Cut(everydayTable, "\n"+stem+" ")
	if !found {
		return rareShare
	}
	count, _, _ := strings.Cut(line, "\n")
	n, err := strconv.Atoi(count)
	if err != nil {
		return rareShare
	}
	return float64(n) / 1e6
}
