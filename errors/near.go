package errors

import (
	"cmp"
	"slices"
	"strings"
)

// Near are the known names that somebody may have meant by a word, the nearest
// first: one of the two holds the other, or at most two letters differ.
func Near(word string, known ...string) (near []string) {
	word = strings.ToLower(word)
	if word == "" || len(word) > 100 {
		return nil
	}
	for _, name := range known {
		if strings.Contains(name, word) || strings.Contains(word, name) || distance(word, name) <= 2 {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return near
}

// distance counts the letters to insert, drop or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			step := corner
			if a[i] != b[j] {
				step++
			}
			corner = row[j+1]
			row[j+1] = min(step, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}
