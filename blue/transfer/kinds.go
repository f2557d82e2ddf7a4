package transfer

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
)

// kind describes where a tool keeps its notes and how their front matter is read. The title of
// a Markdown file is its name, unless fill finds a better one.
type kind struct {
	name    string
	others  []string                                    // further names
	homes   []string                                    // the directory, or file of records, in a project
	fill    func(d *document, h note.Front, dir string) // for Markdown files; dir begins with what was named
	records func(s *source) iter.Seq2[document, error]  // for a file of records
}

var kinds = []kind{
	{name: "markdown", others: []string{"adr", "obsidian"}, fill: fillMarkdown},
	{name: "basic-memory", fill: fillBasic},
	{name: "serena", homes: []string{".serena/memories"}, fill: fillSerena},
	{name: "claude-code", homes: []string{"memory"}, fill: fillClaude},
	{name: "memory-bank", homes: []string{"memory-bank", ".memory-bank"}, fill: fillBank},
	{name: "backlog", homes: []string{"backlog", ".backlog"}, fill: fillBacklog},
	{name: "okf", fill: fillOKF},
	{name: "server-memory", homes: []string{"memory.jsonl", "memory.json"}, records: readGraph},
	{name: "engram", homes: []string{"engram-export.json"}, records: readEngram},
}

// numbered matches the file names of decision records.
var numbered = lazyPattern(`(?i)^(adr[-_ ]?)?\d{1,8}([-_. ]|$)`)

// decisionHomes are directories that hold decision records by custom.
var decisionHomes = []string{"adr", "adrs", "decision", "decisions", "decision-records", "architecture-decisions"}

// fillMarkdown reads plain files: decision records, vaults of Obsidian, folders of
// anything. Obsidian has aliases, and one tag under "tag".
func fillMarkdown(d *document, h note.Front, dir string) {
	d.Names = append(d.Names, h.Words("aliases")...)
	d.Names = append(d.Names, h.Words("alias")...)
	d.Tags = h.Words("tag")
	d.Created = h.Word("date", "created_at", "created-at")
	for above := range strings.SplitSeq(strings.ToLower(dir), "/") {
		if slices.Contains(decisionHomes, above) && numbered().MatchString(fileStem(d.Path)) {
			d.Type = "decision"
		}
	}
	if d.Type == "decision" {
		fillRecord(d, h)
	}
}

// fillBasic reads a file of basic-memory. Links name its title or permalink; an
// observation may end in #tags.
func fillBasic(d *document, h note.Front, _ string) {
	d.Names = append(d.Names, nonEmpty(h.Word("permalink"), h.Word("title"))...)
	d.Hashtags = true
	d.Created = h.Word("created_at", "date")
}

// fillSerena reads a memory of Serena, which is called by its path.
func fillSerena(d *document, _ note.Front, _ string) {
	d.Title = strings.TrimSuffix(d.Path, path.Ext(d.Path))
	d.Type = "reference"
}

// fillClaude reads a file of Claude Code's auto memory: MEMORY.md, which lists the others, and
// one fact a file. Facts about the person are private.
func fillClaude(d *document, h note.Front, _ string) {
	if name := h.Word("name"); name != "" {
		d.Names, d.Title = append(d.Names, name), name
	}
	d.Type = cmp.Or(h.Mapping("metadata").Word("type"), "note")
	if d.Path == "MEMORY.md" {
		d.Type = "reference"
	}
	d.Private = d.Type == "user" || h.Word("type") == "user"
}

// bankTypes are the files of a memory bank that are no plain reference.
var bankTypes = map[string]string{"activecontext": "checkpoint", "progress": "checkpoint", "decisionlog": "decision"}

// fillBank reads a file of a memory bank, whose name says what it is for.
func fillBank(d *document, _ note.Front, _ string) {
	d.Type = cmp.Or(bankTypes[strings.ToLower(fileStem(d.Path))], "reference")
}

// fillBacklog reads a task, decision or document of Backlog.md. Tasks depend on
// others by id.
func fillBacklog(d *document, h note.Front, _ string) {
	d.Type = "task"
	switch top, _, _ := strings.Cut(d.Path, "/"); top {
	case "decisions":
		d.Type = "decision"
	case "docs":
		d.Type = "reference"
	}
	d.Names = append(d.Names, nonEmpty(h.Word("id"), h.Word("title"))...)
	d.Tags = h.Words("labels")
	d.Created = h.Word("created_date", "date")
	for _, id := range h.Words("dependencies") {
		d.Relations = append(d.Relations, relation{"depends on", id})
	}
	if id := h.Word("parent_task_id"); id != "" {
		d.Relations = append(d.Relations, relation{"part of", id})
	}
}

// fillOKF reads a concept of a bundle in the Open Knowledge Format, version 0.2
// and before. A concept at the top keeps its name, by which Blue's own bundles
// come back as they were.
func fillOKF(d *document, h note.Front, _ string) {
	d.Modified, d.Bundle = time.Time{}, true
	switch strings.ToLower(path.Base(d.Path)) {
	case "index.md":
		d.Reason = "a listing of the bundle, not a concept"
	case "log.md":
		d.Reason = "an update log of the bundle, not a concept"
	}
	if !strings.Contains(d.Path, "/") {
		d.ID = fileStem(d.Path)
		if id, ok := strings.CutPrefix(d.ID, "note-"); ok && isReserved(id) {
			d.ID = id
		}
	}
	d.Created = cmp.Or(h.Mapping("generated").Word("at"), h.Word("timestamp"))
}

// nonEmpty returns words without the empty ones.
func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// hashtag matches a tag in running text. One of digits alone is the number of an issue.
var hashtag = lazyPattern(`(?m)(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)`)

// findHashtags returns the tags in a text, each once.
func findHashtags(text string) (tags []string) {
	for _, m := range hashtag().FindAllStringSubmatch(text, -1) {
		if !slices.Contains(tags, m[1]) {
			tags = append(tags, m[1])
		}
	}
	return tags
}
