package page

import (
	"strings"
	"unicode/utf8"

	"blue/blue"
)

// differences shows a comparison: each run of lines gone is set against the new
// ones that follow it.
func differences(lines []blue.Differs) (text safe) {
	for at := 0; at < len(lines); {
		gone := run(lines[at:], "gone")
		fresh := run(lines[at+len(gone):], "new")
		switch {
		case len(gone)+len(fresh) > 0:
			text += against("del", gone, fresh) + against("ins", fresh, gone)
			at += len(gone) + len(fresh)
			continue
		case lines[at].How == "gap":
			text += "<hr>"
		default:
			text += markup("<span>%s\n</span>", lines[at].Text)
		}
		at++
	}
	return `<div class="diff" role="region" aria-label="Differences" tabindex="0">` + text + `</div>`
}

func run(lines []blue.Differs, how string) []blue.Differs {
	for i, l := range lines {
		if l.How != how {
			return lines[:i]
		}
	}
	return lines
}

// against marks in each line what the other of its place has not.
func against(element string, lines, others []blue.Differs) (text safe) {
	for i, l := range lines {
		shown := markup("%s", l.Text)
		if len(lines) == len(others) {
			shown = odd(l.Text, others[i].Text)
		}
		text += markup("<%s>%s\n</%s>", element, shown, element)
	}
	return text
}

// odd marks what is between a beginning and an end that two texts share; texts with
// little in common stay whole.
func odd(text, other string) safe {
	from, end := 0, 0
	for from < min(len(text), len(other)) && text[from] == other[from] {
		from++
	}
	for end < min(len(text), len(other))-from && text[len(text)-1-end] == other[len(other)-1-end] {
		end++
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for end > 0 && !utf8.RuneStart(text[len(text)-end]) {
		end--
	}
	between := text[from : len(text)-end]
	if from+end < len(text)/3 || strings.TrimSpace(between) == "" {
		return markup("%s", text)
	}
	return markup("%s<mark>%s</mark>%s", text[:from], between, text[len(text)-end:])
}
