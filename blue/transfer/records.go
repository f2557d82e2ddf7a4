package transfer

import (
	"cmp"
	"strings"

	"blue/blue/internal/note"
)

// Decision records give their status in several forms: MADR in its front matter, MADR 2 and
// log4brains in a list below the title, those after Nygard under the heading Status, with a
// line for each record that one replaces or that replaces it.

var (
	recordFact    = lazyPattern(`(?im)^[ \t]*[*-]?[ \t]*\**(status|date)\**[ \t]*:\**[ \t]*(.+)$`)
	recordStatus  = lazyPattern(`(?im)^#{1,6}[ \t]*status[ \t#]*\n+[ \t]*([^#\s].*)$`)
	recordReplace = lazyPattern(`(?im)^[^\n]*?\b(super[sc]edes|super[sc]eded[ \t]+by)\b[ \t:\]]*(.+)$`)
	recordLink    = lazyPattern(`\]\(<?([^()<>\s#]+)[^()]*\)|\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]`)
	recordNumber  = lazyPattern(`(?i)^\[?(?:adr[-_ #]?|#)0*(\d{1,8})\b`)
	fileNumber    = lazyPattern(`(?i)^(?:adr[-_ ]?)?0*(\d{1,8})(?:[-_. ]|$)`)
)

// factsEnd is how many bytes at the beginning of a record are searched for its status and date.
// What follows is prose.
const factsEnd = 2000

// fillRecord reads the status, date and relatives of a decision record.
func fillRecord(d *document, h note.Front) {
	text := d.Text[:min(len(d.Text), factsEnd)]
	d.Status = h.Word("status")
	for _, m := range recordFact().FindAllStringSubmatch(text, -1) {
		switch strings.ToLower(m[1]) {
		case "status":
			d.Status = firstFilled(d.Status, m[2])
		case "date":
			d.Created = firstFilled(d.Created, m[2])
		}
	}
	if m := recordStatus().FindStringSubmatch(text); m != nil {
		d.Status = firstFilled(d.Status, m[1])
	}
	if m := fileNumber().FindStringSubmatch(fileStem(d.Path)); m != nil {
		d.Names = append(d.Names, recordName(m[1]))
	}
	for _, m := range recordReplace().FindAllStringSubmatch(d.Text, -1) {
		list := &d.Supersedes
		if strings.HasSuffix(strings.ToLower(m[1]), "by") {
			list = &d.SupersededBy
		}
		*list = append(*list, recordRefs(m[2])...)
	}
}

// firstFilled returns the first of two texts that is not empty.
func firstFilled(was, text string) string {
	return cmp.Or(was, strings.Trim(text, " \t*_"))
}

// recordRefs returns the records that a line names: by links, else by number.
func recordRefs(line string) (refs []string) {
	for _, m := range recordLink().FindAllStringSubmatch(line, -1) {
		refs = append(refs, m[1]+m[2])
	}
	if m := recordNumber().FindStringSubmatch(line); m != nil && len(refs) == 0 {
		refs = append(refs, recordName(m[1]))
	}
	return refs
}

func recordName(number string) string { return "adr-" + number }
