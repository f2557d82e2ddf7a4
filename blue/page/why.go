package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"blue/blue"
	"blue/marker"
)

// why shows where the project was looked for. That there is none is an answer too.
func (s *server) why(w http.ResponseWriter, r *http.Request) {
	it, err := s.o.Blue.Where(r.Context(), s.o.Call)
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	var about safe
	if it.Failure != nil {
		about = failure(it.Failure)
	} else {
		about = found(it)
	}
	main := markup(`<div id="Why" data-live>
<h1>Why this project</h1>
%s<h2>Where it was looked for</h2>
<p class="soft">The first source that leads to a project decides.</p>
%s
</div>`, about, trace(it.Trace))
	s.render(w, r, screen{view: "why", title: "Why this project", main: main}, around{it.About, s.stamp(r.Context())})
}

func found(it blue.Where) (text safe) {
	reason, ok := map[string]safe{"argument": `<code>--cwd</code> names it`, "env": `the variable <code>BLUE_PROJECT</code> names it`}[it.Project.Source]
	if !ok {
		reason = `<code>blue ui</code> was started in it`
	}
	for _, row := range [][2]string{{"Root", it.Project.Root}, {"Id", it.Project.ID}, {"Worktree", it.Project.Worktree}, {"Branch", it.Branch}} {
		text += when(row[1] != "", "<div><dt>%s</dt><dd><code>%s</code></dd></div>\n", row[0], row[1])
	}
	notes := strconv.Itoa(it.Notes)
	if it.Unread > 0 {
		notes += ", " + strconv.Itoa(it.Unread) + " of them not reviewed here"
	}
	var kinds safe
	for _, kind := range slices.Sorted(maps.Keys(it.Types)) {
		kinds += markup(`<span><a class="type" data-type="%s" href="/?%s">%s</a> %d</span>`, kind, url.Values{"type": {kind}}.Encode(), kind, it.Types[kind])
	}
	text += markup("<div><dt>Notes</dt><dd>%s</dd></div>\n", notes)
	text += when(kinds != "", `<div><dt>Types</dt><dd class="facts">%s</dd></div>`+"\n", kinds)
	text += when(it.Index != "", "<div><dt>Index</dt><dd>%s</dd></div>\n", it.Index)
	return markup(`<p class="lead"><strong>%s</strong> is the project, because %s.</p>`+"\n<dl class=\"sheet\">\n%s</dl>\n", it.Project.Name, reason, text)
}

// trace are the sources that said something, and the names of the others.
func trace(tried []marker.Tried) safe {
	var rows safe
	var unset []string
	for _, t := range tried {
		if t.Outcome == marker.Absent && t.Detail == "" {
			unset = append(unset, string(t.Source))
			continue
		}
		value := soft("not set")
		if t.Value != nil {
			value = markup("<code>%s</code>", *t.Value)
		}
		rows += markup(`<tr%s><th scope="row">%s</th><td>%s</td><td><span class="outcome">%s</span> %s</td></tr>`+"\n",
			when(t.Outcome == marker.Used, ` class="used"`), string(t.Source), value, strings.ReplaceAll(t.Outcome, "_", " "), when(t.Detail != "", `<span class="soft">%s</span>`, t.Detail))
	}
	return markup(`<div class="scroll" role="region" aria-label="Trace" tabindex="0"><table><thead><tr><th scope="col">Source</th><th scope="col">Value</th><th scope="col">Outcome</th></tr></thead>
<tbody>%s</tbody></table></div>
%s`, rows, when(len(unset) > 0, `<p class="unset">Not set: %s</p>`, strings.Join(unset, ", ")))
}
