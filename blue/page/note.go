package page

import (
	"html"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/markdown"
	"blue/blue/result"
	"blue/errors"
)

// noteView shows a note or one of its former revisions.
type noteView struct {
	*result.Note
	Name            string // the note's name in URLs
	Past            bool
	Conflict, Stale bool          // badges as in lists; stale files are marked in the list of files
	Prose           template.HTML // empty for a commit
	Headings        []heading
	Replaces        []result.Link
	Successor       []result.Link  // the note that replaces it, if any
	Use             result.NoteUse // by agents
	Checks          bool           // its boxes can be checked
	Proposed        bool           // it waits for a person
}

// heading is a heading in the text of a page.
type heading struct{ Level, Anchor, Text string }

var (
	headingForm = regexp.MustCompile(`(?s)<h([2-6]) id="([^"]{1,120})">(.*?)</h[2-6]>`)
	tagForm     = regexp.MustCompile(`<[^>]*>`)
)

// mostHeadings is the maximum number of headings in an outline.
const mostHeadings = 60

// headingsOf returns the first headings of a rendered text, if there are several.
func headingsOf(prose template.HTML) (all []heading) {
	for _, m := range headingForm.FindAllStringSubmatch(string(prose), mostHeadings) {
		text := html.UnescapeString(tagForm.ReplaceAllString(m[3], ""))
		all = append(all, heading{m[1], html.UnescapeString(m[2]), errors.Clip(errors.Visible(text), 80)})
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// read shows a note, or one of its former revisions.
func (s *server) read(r *http.Request, p *blue.Project) (screen, error) {
	revision := r.URL.Query().Get("revision")
	n, err := readNote(r, p, revision)
	if err != nil {
		return screen{}, err
	}
	if n.ReadOnly() && n.Type == "document" { // documents have their own page
		section := strings.TrimPrefix(strings.TrimPrefix(n.ID, n.Path), "#")
		return screen{to: documentPath(strings.TrimSuffix(noteNamed(r), "#"+section), section)}, nil
	}
	v := noteView{Note: n, Name: qualifiedID(n.ID, n.Private), Past: revision != "", Conflict: len(n.Conflicts) > 0}
	if !n.ReadOnly() {
		v.Prose, err = markdown.HTML(p, *n)
		v.Headings, v.Use = headingsOf(v.Prose), p.UseOf(n.ID)
		v.Checks = !s.o.ReadOnly && !v.Past && n.Problem == "" && !n.Conflicted
		v.Proposed = v.Checks && blue.IsProposed(n.Status)
	}
	for _, id := range n.Supersedes {
		v.Replaces = append(v.Replaces, p.LinkTo(id))
	}
	if n.By != "" {
		v.Successor = append(v.Successor, p.LinkTo(n.By))
	}
	return screen{view: "note", title: n.Title, main: v}, err
}

// check checks or clears a box of the note, for the revision that was shown.
func (s *server) check(r *http.Request, p *blue.Project) (screen, error) {
	v := r.PostForm.Get
	n, err := readNote(r, p, v("revision"))
	if err != nil {
		return screen{}, err
	}
	number, err := strconv.Atoi(v("number"))
	body, ok := markdown.CheckTask(*n, number, v("done") != "")
	if err != nil || !ok {
		return screen{}, errors.BadValue("number", v("number"), "the number of a box")
	}
	_, err = p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Body: &body, Revision: v("revision"), Shown: true})
	return screen{to: pathOf("notes", noteNamed(r))}, err
}

// verify records that a note is still true, for the revision that was shown.
func (s *server) verify(r *http.Request, p *blue.Project) (screen, error) {
	e, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Verified: true, Revision: r.PostFormValue("revision")})
	return changed(pathOf("notes", noteNamed(r)), noteNamed(r), e), err
}

// readNote reads the note that the path names.
func readNote(r *http.Request, p *blue.Project, revision string) (*result.Note, error) {
	page, err := p.Read(r.Context(), blue.Reading{ID: noteNamed(r), Revision: revision, Whole: true})
	if err != nil {
		return nil, err
	}
	return &page.Notes[0], nil
}

// historyView shows the revisions of a note and the diff of one of them.
type historyView struct {
	result.Past
	Name       string
	From, To   string // the compared revisions; From is empty if To is the oldest kept
	Chosen     int    // index of To in the revisions
	Now        string // the current revision
	Former     bool   // To can be restored
	Difference []diffLine
}

// history shows the revisions of a note and the diff of one of them.
func (s *server) history(r *http.Request, p *blue.Project) (screen, error) {
	past, err := p.History(r.Context(), noteNamed(r))
	if err != nil {
		return screen{}, err
	}
	v := historyView{Past: past, Name: noteNamed(r)}
	if len(past.Revisions) > 0 {
		c, err := p.Compare(r.Context(), blue.Comparing{ID: v.Name, To: r.URL.Query().Get("to")})
		if err != nil {
			return screen{}, err
		}
		v.From, v.To, v.Now, v.Difference = c.From, c.To, past.Revisions[0].Revision, diffLines(c.Lines)
		v.Chosen = slices.IndexFunc(past.Revisions, func(rev result.Revised) bool { return rev.Revision == c.To }) // the newest of equal texts
		v.Former = !past.Trashed && v.To != v.Now
	}
	return screen{view: "history", title: "History of " + past.ID, main: v}, nil
}

// restore makes a former revision the current text.
func (s *server) restore(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Restore: r.PostFormValue("to"), Revision: r.PostFormValue("revision")})
	return screen{to: backOr(r, pathOf("notes", noteNamed(r)))}, err
}

// trash lists the removed notes.
func (s *server) trash(r *http.Request, p *blue.Project) (screen, error) {
	bin, err := p.Trash(r.Context())
	return screen{view: "trash", title: "Trash", main: bin.Notes}, err
}

// remove moves a note to the trash.
func (s *server) remove(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Remove(r.Context(), blue.Removal{ID: noteNamed(r), Revision: r.PostForm.Get("revision")})
	return screen{to: "/?trashed=" + url.QueryEscape(noteNamed(r))}, err
}

// untrash restores a note from the trash.
func (s *server) untrash(r *http.Request, p *blue.Project) (screen, error) {
	out, err := p.Remove(r.Context(), blue.Removal{ID: noteNamed(r), Restore: true})
	return screen{to: pathWritten(out.ID, out.Path)}, err
}

// conflictView shows the two notes of a conflict and their diff.
type conflictView struct {
	result.Conflict
	Name       string // the note that the URL names
	Difference []diffLine
}

// conflict shows the conflict of a note.
func (s *server) conflict(r *http.Request, p *blue.Project) (screen, error) {
	c, err := p.Conflict(r.Context(), noteNamed(r))
	return screen{view: "resolve", title: "Conflict: " + c.Title, main: conflictView{Conflict: c, Name: noteNamed(r), Difference: diffLines(c.Lines)}}, err
}

// resolve ends a conflict, provided that both texts are those that were shown.
func (s *server) resolve(r *http.Request, p *blue.Project) (screen, error) {
	v := r.PostForm.Get
	out, err := p.Resolve(r.Context(), blue.Resolving{ID: v("with"), Keep: v("keep"), Revision: v("revision"), WithRevision: v("with_revision")})
	return screen{to: pathWritten(out.ID, out.Path)}, err
}

// review lists notes that need attention, each with a command.
func (s *server) review(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Review(r.Context(), blue.Filter{Paging: blue.Paging{Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")}})
	return screen{view: "review", title: "Review", main: found}, err
}

// trust records that the person trusts the project.
func (s *server) trust(_ *http.Request, p *blue.Project) (screen, error) {
	return screen{to: "/"}, p.Trust()
}

// setStatus gives a note the status that was chosen in the table, for the revision that was shown. The
// address has the parameters of the list, to which it returns.
func (s *server) setStatus(r *http.Request, p *blue.Project) (screen, error) {
	status, revision := r.PostForm.Get("status"), r.PostForm.Get("revision")
	if strings.TrimSpace(status) == "" {
		return screen{}, errors.BadValue("status", status, "a status")
	}
	e, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Status: &status, Revision: revision})
	return changed("/?"+r.URL.Query().Encode(), noteNamed(r), e), err
}

// decide accepts or rejects the proposals that the form names, each by its revision and its id.
func (s *server) decide(r *http.Request, p *blue.Project) (screen, error) {
	var all []blue.Proposal
	for _, shown := range r.PostForm["note"] {
		revision, id, _ := strings.Cut(shown, " ")
		all = append(all, blue.Proposal{ID: id, Revision: revision})
	}
	if len(all) == 0 || slices.ContainsFunc(all, func(n blue.Proposal) bool { return n.ID == "" || n.Revision == "" }) {
		return screen{}, errors.BadValue("note", strings.Join(r.PostForm["note"], ", "), "the revision and the id of a note")
	}
	var done result.Decided
	var err error
	switch do := r.PostForm.Get("do"); do {
	case "accept":
		done, err = p.Accept(r.Context(), all...)
	case "reject":
		done, err = p.Reject(r.Context(), r.PostForm.Get("why"), all...)
	default:
		err = errors.BadValue("do", do, "accept or reject")
	}
	to := backOr(r, "/review")
	if len(done.Notes) != 1 {
		return screen{to: to}, err
	}
	return changed(to, all[0].ID, done.Notes[0]), err
}
