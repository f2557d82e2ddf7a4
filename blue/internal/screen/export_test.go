package screen

import "slices"

// Rules returns the names of the rules, each once, in the order of the table.
func Rules() []string {
	var names []string
	for _, f := range forms() {
		if !slices.Contains(names, f.rule) {
			names = append(names, f.rule)
		}
	}
	return names
}
