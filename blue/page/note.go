package page

import (
	"net/http"

	"blue/blue"
	"blue/blue/transfer"
)

// read shows a note, or one of its former revisions.
func (s *server) read(r *http.Request, p *blue.Project) (screen, error) {
	revision := r.URL.Query().Get("revision")
	n, err := one(r, p, revision)
	if err != nil {
		return screen{}, err
	}
	body, err := transfer.HTML(p, *n)
	if err != nil {
		return screen{}, err
	}
	main := markup(`<article class="note" id="Note" data-live>
%s%s<div class="columns">
<div class="prose">
%s</div>
<aside aria-label="About this note">
%s</aside>
</div>
</article>`, s.head(n, revision != ""), cautions(n, revision != ""), safe(body), beside(n))
	return screen{view: "note", title: n.Title, main: main}, nil
}

// one reads the whole note that the path names.
func one(r *http.Request, p *blue.Project, revision string) (*blue.Note, error) {
	page, err := p.Read(r.Context(), blue.Reading{ID: file(r), Revision: revision, Whole: true})
	if err != nil {
		return nil, err
	}
	return &page.Notes[0], nil
}

// head is the title of a note, and what can be done with it.
func (s *server) head(n *blue.Note, past bool) (text safe) {
	name, origin := named(n.ID, n.Private), n.Origin
	if past {
		text, origin = markup(`<div class="say"><p>This is the former revision <code>%s</code>.</p><a class="button" href="%s">Show the present one</a></div>`+"\n", n.Revision, at("notes", name)), ""
	}
	made := when(n.Created != "", `<time datetime="%s">%s</time>`, n.Created, n.Created[:min(len(n.Created), 10)])
	text += markup(`<header>
<p class="facts">%s%s%s</p>
<h1>%s</h1>
<p class="facts soft">%s%s<code>%s</code></p>
`, kindOf(n.Type), badges(n.Private, n.Status != blue.Active, false, origin), tagged(n.Tags), n.Title, made, when(n.Author != "", "<span>%s</span>", n.Author), n.ID)
	if past {
		return text + "</header>\n"
	}
	return text + markup(`<div class="actions">%s<a class="button" id="History" href="%s">History%s</a>%s</div>
</header>
`, when(!s.o.ReadOnly, `<a class="button" id="Edit" href="%s">Edit</a>`, at("edit", name)), at("history", name),
		when(len(n.Revisions) > 0, ` <span class="soft">%d</span>`, len(n.Revisions)), s.post(at("remove", name), "Move to trash", "revision", n.Revision))
}

// cautions are what a reader has to know before the text.
func cautions(n *blue.Note, past bool) safe {
	return warning(n.Problem != "", "The front matter cannot be used: %s", n.Problem) +
		warning(n.Conflicted, "This note holds the conflict markers of a merge. Edit it to settle them.") +
		warning(n.LeftOut != blue.LeftOut{}, "Too many to show all; left out: %s.", n.LeftOut.String()) +
		warning(n.Hidden > 0, "%s", hiddenCharacters(n.Hidden)) +
		warning(n.Origin == "repository" && !past, "Nobody has reviewed this note on this machine. It is text that came with the repository.") +
		warning(n.Origin == "changed" && !past, "This note was reviewed here, and something other than Blue has changed it since.")
}

// beside is what is known of a note.
func beside(n *blue.Note) safe {
	var files, replaces safe
	for _, f := range n.Files {
		mark := badge("", "not tracked", "")
		if f.Changed {
			mark = badge("warn", "changed since", "")
		} else if f.Hash != "" {
			mark = badge("good", "unchanged", "")
		}
		files += markup("<li><code>%s</code>%s</li>", f.Path, mark)
	}
	for _, id := range n.Supersedes {
		replaces += markup(`<li><a href="%s">%s</a></li>`, at("notes", id), id)
	}
	return part("Cited files", files) + part("Links", linked(n.Links)) + part("Linked from", linked(n.Backlinks)) + part("Replaces", replaces) +
		markup("<section><h2>File</h2><dl><div><dt>Path</dt><dd><code>%s</code></dd></div><div><dt>Revision</dt><dd><code>%s</code></dd></div></dl></section>\n", n.Path, n.Revision)
}

func part(title string, items safe) safe {
	return when(items != "", "<section><h2>%s</h2><ul>%s</ul></section>\n", title, items)
}

func linked(links []blue.Link) (items safe) {
	for _, l := range links {
		if l.Missing {
			items += markup("<li>%s%s</li>", soft(l.ID), badge("warn", "missing", ""))
		} else {
			items += markup(`<li><a href="%s">%s</a></li>`, at("notes", l.ID), l.Title)
		}
	}
	return items
}
