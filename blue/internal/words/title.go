package words

import "strings"

// TitleKey returns a title without case, diacritics and punctuation.
func TitleKey(title string) string {
	var words []string
	Scan(title, 0, func(t Word) {
		if t.Form == Whole || t.Form == Last {
			words = append(words, t.Text)
		}
	})
	if len(words) == 0 {
		return strings.TrimSpace(title)
	}
	return strings.Join(words, " ")
}
