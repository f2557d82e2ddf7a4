package clients

import (
	"bytes"
	"strings"

	"blue/errors"
)

// The lines that mark Blue's block in AGENTS.md. What stands between them is
// Blue's; all else is the person's.
const (
	blockBegin = "<!-- blue:begin (kept by `blue setup --agents-md`) -->"
	blockEnd   = "<!-- blue:end -->"
)

const block = blockBegin + `
## Project notes: Blue
This project keeps its decisions, findings and open work as notes in Blue (tools named ` + "`blue_…`" + `).
- Before you plan or change something: ` + "`blue_search`" + ` with two or three specific words, then ` + "`blue_read`" + ` what fits.
- When an error looks familiar: search its distinctive words before you look for the cause again.
- After a decision, a fix whose cause was not obvious, or a surprise: ` + "`blue_write`" + ` it with the reason, one matter a note.
- When work stays unfinished: write a note of type ` + "`checkpoint`" + ` with what is done and what comes next.
- A note that is wrong by now: ` + "`blue_edit`" + ` it instead of writing a second one. Never write secrets.
` + blockEnd

// AgentsBlock returns before, the text of AGENTS.md at path (nil when it does
// not exist), with Blue's block added at the end or brought up to date. It is
// pure, and a second run changes nothing. Marks that do not pair are refused,
// kind invalid.
func AgentsBlock(path string, before []byte) ([]byte, error) {
	nl := newline(before)
	text := strings.ReplaceAll(block, "\n", nl)
	start := bytes.Index(before, []byte("<!-- blue:begin"))
	end := bytes.Index(before, []byte(blockEnd))
	if start < 0 && end < 0 {
		return append(bytes.Clone(before), gap(before, nl)+text+nl...), nil
	}
	pairs := bytes.Count(before, []byte("<!-- blue:begin")) == 1 && bytes.Count(before, []byte(blockEnd)) == 1
	if !pairs || end < start {
		return nil, errors.BadConfig(path, lineAt(before, max(start, end)), "the marks of Blue's block do not pair")
	}
	return replace(before, start, end+len(blockEnd), text), nil
}

// gap is what parts the block from the text before it: one blank line.
func gap(before []byte, nl string) string {
	switch {
	case len(before) == 0 || bytes.HasSuffix(before, []byte(nl+nl)):
		return ""
	case bytes.HasSuffix(before, []byte("\n")):
		return nl
	}
	return nl + nl
}
