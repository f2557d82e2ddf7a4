package page

import (
	"net/http"

	"blue/blue"
)

// history shows the revisions of a note, and what one of them changed.
func (s *server) history(r *http.Request, p *blue.Project) (screen, error) {
	name := file(r)
	past, err := p.History(r.Context(), name)
	if err != nil {
		return screen{}, err
	}
	text, back := empty("No former revisions", ""), at("notes", name)
	if len(past.Revisions) > 0 {
		c, err := p.Compare(r.Context(), blue.Comparing{ID: name, To: r.URL.Query().Get("to")})
		if err != nil {
			return screen{}, err
		}
		text = markup(`<div class="columns turned">
<ol class="revisions" aria-label="Revisions">
%s</ol>
<section aria-label="What changed">
%s</section>
</div>`, revisions(past, c.To), s.compared(name, past, c))
	}
	if past.Trashed {
		back, text = "/trash", `<p class="say">This note is in the trash.</p>`+text
	}
	main := markup(`<div id="Lives" data-live>
<p class="back"><a href="%s">%s</a></p>
<h1>History</h1>
%s
</div>`, back, past.ID, text)
	return screen{view: "history", title: "History of " + past.ID, main: main}, nil
}

func revisions(past blue.Past, chosen string) (items safe) {
	for _, v := range past.Revisions {
		state := "replaced"
		if v.Current {
			state = "present"
		}
		items += markup(`<li><a href="?to=%s"%s>%s <code>%s</code> <span class="soft">%s · %d bytes</span></a></li>`+"\n",
			v.Revision, when(v.Revision == chosen, ` aria-current="true"`), minute(v.Saved), v.Revision, state, v.Size)
		if v.Revision == chosen {
			chosen = "" // it may have been there before
		}
	}
	return items
}

func (s *server) compared(name string, past blue.Past, c blue.Compared) safe {
	what := markup("<code>%s</code>, the first that is kept", c.To)
	if c.From != "" {
		what = markup("From <code>%s</code> to <code>%s</code>", c.From, c.To)
	}
	var actions safe
	if now := past.Revisions[0].Revision; !past.Trashed && c.To != now {
		actions = markup(`<a class="button" href="%s?revision=%s">Read it</a>%s`, at("notes", name), c.To,
			s.post(at("restore", name), "Restore this one", "to", c.To, "revision", now))
	}
	lines := safe(`<p class="empty">Both are equal.</p>`)
	if len(c.Lines) > 0 {
		lines = differences(c.Lines)
	}
	return markup(`<div class="actions"><p class="grow">%s</p>%s</div>`+"\n%s\n", what, actions, lines)
}

// restore brings a revision back.
func (s *server) restore(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Edit(r.Context(), blue.Change{ID: file(r), Restore: r.PostFormValue("to"), Revision: r.PostFormValue("revision")})
	return screen{to: at("notes", file(r))}, err
}

// trash lists the removed notes.
func (s *server) trash(r *http.Request, p *blue.Project) (screen, error) {
	bin, err := p.Trash(r.Context())
	var items safe
	for _, n := range bin.Notes {
		back := s.post(at("untrash", n.Ref), markup(`Restore<span class="unseen"> %s</span>`, n.Title))
		if n.Older {
			back = soft("an older one of that name: restore the newer first")
		}
		items += markup(`<li class="binned">
<div class="grow"><a href="%s">%s</a>
<p class="facts">%s%s<code>%s</code><span>removed %s</span></p></div>
%s
</li>
`, at("history", n.Ref), n.Title, kindOf(n.Type), badges(n.Private, false, false, ""), n.ID, minute(n.Removed), back)
	}
	text := markup(`<p class="count">Removed notes are kept for 30 days.</p>`+"\n"+`<ul class="rows">%s</ul>`, items)
	if items == "" {
		text = empty("The trash is empty", "<p>A note that is removed lies here for 30 days.</p>")
	}
	return screen{view: "trash", title: "Trash", main: markup("<h1>Trash</h1>\n<div id=\"Bin\" data-live>\n%s\n</div>", text)}, err
}

// remove moves a note to the trash.
func (s *server) remove(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Remove(r.Context(), blue.Removal{ID: file(r), Revision: r.PostFormValue("revision")})
	return screen{to: "/?trashed=" + query(file(r))}, err
}

// untrash brings a note back from the trash.
func (s *server) untrash(r *http.Request, p *blue.Project) (screen, error) {
	out, err := p.Remove(r.Context(), blue.Removal{ID: file(r), Restore: true})
	return screen{to: written(out.ID, out.Path)}, err
}
