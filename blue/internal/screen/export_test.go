package screen

import "slices"

// Rules returns the names of the rules, each once, in the order of the table.
func Rules() []string {
	var names []string
	for _, r := range rules() {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return append(names, randomRule, phraseRule)
}
