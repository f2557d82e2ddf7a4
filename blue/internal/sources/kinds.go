package sources

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
)

// kind says where a tool keeps its notes and what it means by them. The title of a
// Markdown file is its name, unless fill finds a better one.
type kind struct {
	name    string
	others  []string                                   // further names
	homes   []string                                   // the directory, or file of records, in a project
	fill    func(d *Document, h head, dir string)      // for Markdown files; dir begins with what was named
	records func(s *Source) iter.Seq2[Document, error] // for a file of records
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

// numbered is the file name of a decision record.
var numbered = lazyPattern(`(?i)^(adr[-_ ]?)?\d{1,8}([-_. ]|$)`)

// decisionHomes are directories that hold decision records by custom.
var decisionHomes = []string{"adr", "adrs", "decision", "decisions", "decision-records", "architecture-decisions"}

// fillMarkdown reads plain files: decision records, vaults of Obsidian, folders of
// anything. Obsidian has aliases, and one tag under "tag".
func fillMarkdown(d *Document, h head, dir string) {
	d.Names = append(d.Names, h.listWords("aliases")...)
	d.Names = append(d.Names, h.listWords("alias")...)
	d.Tags = h.listWords("tag")
	d.Created = h.firstWord("date", "created_at", "created-at")
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
func fillBasic(d *Document, h head, _ string) {
	d.Names = append(d.Names, nonEmpty(h.firstWord("permalink"), h.firstWord("title"))...)
	d.Hashtags = true
	d.Created = h.firstWord("created_at", "date")
}

// fillSerena reads a memory of Serena, which is called by its path.
func fillSerena(d *Document, _ head, _ string) {
	d.Title = strings.TrimSuffix(d.Path, path.Ext(d.Path))
	d.Type = "reference"
}

// fillClaude reads a file of Claude Code's auto memory: MEMORY.md, which lists the
// others, and one fact a file. What is about the person stays with the person.
func fillClaude(d *Document, h head, _ string) {
	if name := h.firstWord("name"); name != "" {
		d.Names, d.Title = append(d.Names, name), name
	}
	d.Type = cmp.Or(h.mappingAt("metadata").firstWord("type"), "note")
	if d.Path == "MEMORY.md" {
		d.Type = "reference"
	}
	d.Private = d.Type == "user" || h.firstWord("type") == "user"
}

// bankTypes are the files of a memory bank that are no plain reference.
var bankTypes = map[string]string{"activecontext": "checkpoint", "progress": "checkpoint", "decisionlog": "decision"}

// fillBank reads a file of a memory bank, whose name says what it is for.
func fillBank(d *Document, _ head, _ string) {
	d.Type = cmp.Or(bankTypes[strings.ToLower(fileStem(d.Path))], "reference")
}

// fillBacklog reads a task, decision or document of Backlog.md. Tasks depend on
// others by id.
func fillBacklog(d *Document, h head, _ string) {
	d.Type = "task"
	switch top, _, _ := strings.Cut(d.Path, "/"); top {
	case "decisions":
		d.Type = "decision"
	case "docs":
		d.Type = "reference"
	}
	d.Names = append(d.Names, nonEmpty(h.firstWord("id"), h.firstWord("title"))...)
	d.Tags = h.listWords("labels")
	d.Created = h.firstWord("created_date", "date")
	for _, id := range h.listWords("dependencies") {
		d.Relations = append(d.Relations, Relation{"depends on", id})
	}
	if id := h.firstWord("parent_task_id"); id != "" {
		d.Relations = append(d.Relations, Relation{"part of", id})
	}
}

// fillOKF reads a concept of a bundle in the Open Knowledge Format, version 0.2
// and before. A concept at the top keeps its name, by which Blue's own bundles
// come back as they were.
func fillOKF(d *Document, h head, _ string) {
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
	d.Created = cmp.Or(h.mappingAt("generated").firstWord("at"), h.firstWord("timestamp"))
}

// nonEmpty leaves out empty ones.
func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// hashtag is a tag in running text. One of digits alone is the number of an issue.
var hashtag = lazyPattern(`(?m)(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)`)

// Hashtags are the tags in a text, each once.
func Hashtags(text string) (tags []string) {
	for _, m := range hashtag().FindAllStringSubmatch(text, -1) {
		if !slices.Contains(tags, m[1]) {
			tags = append(tags, m[1])
		}
	}
	return tags
}
