package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"blue/blue"
)

// Rows of one page of a list; what is more comes when it is scrolled to.
const (
	listRows   = 100
	searchRows = 30
	allTokens  = 10000
)

// listing is a list of notes, or what a search found.
type listing struct {
	asked url.Values // "q", "type", "tag", "sort"
	rows  safe
	total int
	more  int
	next  string // cursor to the rows that follow
	said  safe   // of the words of a search
}

func (s *server) list(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	l := &listing{asked: q}
	title, find := "Notes", l.all
	if strings.TrimSpace(q.Get("q")) != "" {
		title, find = q.Get("q"), l.found
	}
	if err := find(r, p); err != nil {
		return screen{}, err
	}
	return screen{view: "list", title: title, main: s.removed(q.Get("trashed")) + l.form() + s.results(l)}, nil
}

func (l *listing) tags() []string {
	if tag := l.asked.Get("tag"); tag != "" {
		return []string{tag}
	}
	return nil
}

func (l *listing) all(r *http.Request, p *blue.Project) error {
	q := l.asked
	rows, err := p.List(r.Context(), blue.Filter{
		Type: q.Get("type"), Tags: l.tags(), Sort: q.Get("sort"), Limit: listRows, MaxTokens: allTokens, Cursor: q.Get("cursor"),
	})
	for _, n := range rows.Notes {
		l.add(n, "")
	}
	l.total, l.more, l.next = rows.Total, rows.More, rows.Cursor
	l.said = markup("<span>%s</span>", counted(rows.Total, "note"))
	return err
}

func (l *listing) found(r *http.Request, p *blue.Project) error {
	q := l.asked
	hits, err := p.Search(r.Context(), blue.Query{
		Text: q.Get("q"), Type: q.Get("type"), Tags: l.tags(), Limit: searchRows, MaxTokens: allTokens, Cursor: q.Get("cursor"), Prefix: true,
	})
	for _, h := range hits.Hits {
		l.add(h.Row, when(h.Snippet != "", `<p class="snippet">%s</p>`, marked(h.Snippet, h.Marks)))
	}
	l.total, l.more, l.next = hits.Total, hits.More, hits.Cursor
	l.said = markup("<span>%d found in %d notes</span>", hits.Total, hits.Searched)
	l.said += when(len(hits.Unmatched) > 0, "<span>Without a match: %s</span>", joined(hits.Unmatched, "<q>%s</q>"))
	for _, word := range slices.Sorted(maps.Keys(hits.Repaired)) {
		l.said += markup("<span>Looked for %s instead of <q>%s</q></span>", joined(hits.Repaired[word], "<q>%s</q>"), word)
	}
	return err
}

// add adds a row.
func (l *listing) add(n blue.Row, snippet safe) {
	age := n.Age + " ago"
	if n.Age == "now" {
		age = "just now"
	}
	name := named(n.ID, n.Private)
	l.rows += markup(`<li data-id="%s"><a href="%s">%s</a>%s<p class="facts">%s%s%s<span class="age">%s</span></p></li>`+"\n",
		name, at("notes", name), n.Title, snippet, kindOf(n.Type), badges(n.Private, n.Superseded, n.Stale, n.Origin), tagged(n.Tags), age)
}

// marked is a text with marks, which are in order.
func marked(text string, marks [][2]int) (out safe) {
	done := 0
	for _, m := range marks {
		if m[0] < done || m[1] > len(text) {
			break
		}
		out += markup("%s<mark>%s</mark>", text[done:m[0]], text[m[0]:m[1]])
		done = m[1]
	}
	return out + markup("%s", text[done:])
}

// removed says that a note has just been moved to the trash.
func (s *server) removed(name string) safe {
	return when(name != "", `<div class="say"><p>Moved to the trash: <strong>%s</strong></p>%s</div>`+"\n", name, s.post(at("untrash", name), "Undo"))
}

// types are the words to choose a type from.
func types(now string) []string {
	all := []string{"note", "decision", "checkpoint", "remediation", "skill", "reference"}
	if now == "" || slices.Contains(all, now) {
		return all
	}
	return append(all, now)
}

// form is the search above the list.
func (l *listing) form() safe {
	var kinds safe
	now := l.asked.Get("type")
	for _, kind := range types(now) {
		kinds += markup("<option%s>%s</option>", when(kind == now, " selected"), kind)
	}
	tag := l.asked.Get("tag")
	return markup(`<h1 class="unseen">Notes</h1>
<form class="search" role="search" action="/">
<input type="search" id="Search" name="q" value="%s" placeholder="Search notes" aria-label="Search notes" autocomplete="off" spellcheck="false">
<select name="type" aria-label="Type"><option value="">All types</option>%s</select>
<select name="sort" aria-label="Order"><option value="">Newest first</option><option value="title"%s>By title</option></select>
%s<button class="only-plain">Search</button>
</form>
`, l.asked.Get("q"), kinds, when(l.asked.Get("sort") == "title", " selected"), when(tag != "", `<input type="hidden" name="tag" value="%s">`, tag))
}

// results are the rows, and what is said of them.
func (s *server) results(l *listing) safe {
	tag := l.asked.Get("tag")
	chip := when(tag != "", `<a class="chip" href="%s" aria-label="Without the tag %s">#%s <span aria-hidden="true">×</span></a>`, l.path("tag", ""), tag, tag)
	text := markup(`<ul class="rows" id="Rows">%s</ul>`, l.rows) + when(l.next != "", `<p class="more"><a id="More" class="button" href="%s">%d more</a></p>`, l.path("cursor", l.next), l.more)
	if l.rows == "" {
		text = s.none(l)
	}
	return markup(`<div id="Found" data-live>
<p class="count" role="status">%s%s</p>
%s
</div>`, l.said, chip, text)
}

// none is what stands in the place of rows.
func (s *server) none(l *listing) safe {
	q, kind, tag := l.asked.Get("q"), l.asked.Get("type"), l.asked.Get("tag")
	if q+kind+tag == "" {
		return empty("No notes yet", `<p>What your agents write with <code>blue_write</code> appears here at once.</p>`+
			when(!s.o.ReadOnly, `<p><a class="button main" href="/new">Write the first note</a></p>`))
	}
	what := safe("No note")
	if q != "" {
		what = markup("No note holds a word of <q>%s</q>", q)
	}
	return empty("Nothing found", markup(`<p>%s%s%s.</p><p><a class="button" href="/">Show all notes</a></p>`, what,
		when(kind != "", " of the type %s", kind), when(tag != "", " with the tag #%s", tag)))
}

// path is the list with one thing asked for otherwise.
func (l *listing) path(name, value string) string {
	q := url.Values{}
	for _, key := range []string{"q", "type", "tag", "sort"} {
		if l.asked.Has(key) && key != name {
			q.Set(key, l.asked.Get(key))
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	return "/?" + q.Encode()
}
