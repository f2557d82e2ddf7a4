package page

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/markdown"
	"blue/blue/result"
)

// Limits of the graph: notes drawn, notes listed, and links listed for browsers without scripts.
const (
	mostNodes  = 2000
	mostListed = 12
	mostLinks  = 300
)

// linkGraph is the graph that the script draws: notes with links, most linked first.
type linkGraph struct {
	Nodes []linkNode `json:"nodes"`
	Links [][2]int   `json:"links"` // indexes into Nodes: from, to

	Supersedes [][2]int `json:"supersedes"`
	SameFile   [][2]int `json:"files"`
}

// linkNode is a note with its outgoing and incoming links.
type linkNode struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	Title      string `json:"title"`
	Type       string `json:"type"`
	Hue        uint32 `json:"hue"`
	Superseded bool   `json:"superseded,omitempty"`
	Links      int    `json:"links"`
}

// graphView describes the graph in text.
type graphView struct {
	Linked, LinkCount, Alone, Left int
	Replaced, Shared               int // supersessions, and pairs of notes that cite a file
	Most                           []linkNode
	Listed                         []struct{ From, To linkNode }
	Unlisted                       int
}

// graph shows the drawing area and lists its notes and links.
func (s *server) graph(r *http.Request, p *blue.Project) (screen, error) {
	g, err := p.Graph(r.Context())
	linked := linkedNotes(g)
	v := graphView{
		Linked: len(linked.Nodes), LinkCount: len(g.Links), Replaced: len(g.Supersedes), Shared: len(g.SameFile), Alone: len(g.Notes) - len(linked.Nodes), Left: len(linked.Nodes) - mostNodes,
		Most: linked.Nodes[:min(len(linked.Nodes), mostListed)], Unlisted: len(g.Links) - mostLinks,
	}
	for _, l := range linked.Links[:min(len(linked.Links), mostLinks)] {
		v.Listed = append(v.Listed, struct{ From, To linkNode }{linked.Nodes[l[0]], linked.Nodes[l[1]]})
	}
	return screen{view: "graph", title: "Graph", main: v}, err
}

// graphLinks serves the graph as JSON.
func (s *server) graphLinks(w http.ResponseWriter, r *http.Request) error {
	p, err := s.find(r)
	if err != nil {
		return err
	}
	g, err := p.Graph(r.Context())
	if err != nil {
		return err
	}
	linked := linkedNotes(g)
	linked.Nodes = linked.Nodes[:min(len(linked.Nodes), mostNodes)]
	for _, edges := range []*[][2]int{&linked.Links, &linked.Supersedes, &linked.SameFile} {
		*edges = slices.DeleteFunc(*edges, func(l [2]int) bool { return max(l[0], l[1]) >= mostNodes })
	}
	return writeJSON(w, linked)
}

// linkedNotes returns the notes that have links of any kind, most linked first, and these links.
func linkedNotes(g result.Graph) linkGraph {
	count := make([]int, len(g.Notes))
	for _, l := range slices.Concat(g.Links, g.Supersedes, g.SameFile) {
		count[l[0]]++
		count[l[1]]++
	}
	var order []int
	for i := range g.Notes {
		if count[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	out, place := linkGraph{Nodes: make([]linkNode, len(order))}, make([]int, len(g.Notes))
	for to, i := range order {
		n := g.Notes[i]
		place[i] = to
		out.Nodes[to] = linkNode{ID: n.ID, Path: pathOf("notes", qualifiedID(n.ID, n.Private)), Title: n.Title, Type: n.Type, Hue: hueOf(n.Type), Superseded: n.Superseded, Links: count[i]}
	}
	placed := func(edges [][2]int) [][2]int {
		all := make([][2]int, len(edges))
		for i, l := range edges {
			all[i] = [2]int{place[l[0]], place[l[1]]}
		}
		return all
	}
	out.Links, out.Supersedes, out.SameFile = placed(g.Links), placed(g.Supersedes), placed(g.SameFile)
	return out
}

// offered is the maximum number of suggested link targets.
const offered = 8

// preview renders a text as the page of a note would show it.
func (s *server) preview(w http.ResponseWriter, r *http.Request) error {
	p, err := s.open(r)
	if err != nil {
		return err
	}
	prose, err := markdown.HTML(p, result.Note{Title: r.PostForm.Get("title"), Body: unixLines(r.PostForm.Get("body"))})
	if err == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(prose)) // the client may be gone
	}
	return err
}

// titles serves notes as suggestions for links, and with documents for the palette.
func (s *server) titles(w http.ResponseWriter, r *http.Request) error {
	p, err := s.open(r)
	if err != nil {
		return err
	}
	type title struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Type  string `json:"type"`
		Path  string `json:"path"`
	}
	found := []title{}
	add := func(n result.Row) {
		found = append(found, title{n.ID, n.Title, n.Type, pathOf("notes", qualifiedID(n.ID, n.Private))})
	}
	in := []string{"notes"}
	if r.URL.Query().Has("documents") && !s.o.Served {
		in = append(in, "documents")
	}
	if words := r.URL.Query().Get("q"); strings.TrimSpace(words) == "" {
		var newest result.Rows
		newest, err = p.List(r.Context(), blue.Filter{Paging: blue.Paging{Limit: offered}})
		for _, n := range newest.Notes {
			add(n)
		}
	} else {
		var hits result.Hits
		hits, err = p.Search(r.Context(), blue.Query{Text: words, In: in, Prefix: true, Brief: true, Paging: blue.Paging{Limit: offered}})
		above, below := hits.Around()
		addAll := func(documents []result.ShelfHit) {
			for _, d := range documents {
				found = append(found, title{d.Ref, d.Title, d.Kind, shelfPath(d)})
			}
		}
		addAll(above)
		for _, n := range hits.Hits {
			add(n.Row)
		}
		addAll(below)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, found)
}

// documentsView shows a directory of the project's documents.
type documentsView struct{ result.Documents }

// Next is the offset of the first entry that is not listed.
func (v documentsView) Next() int { return v.Before + len(v.Directories) + len(v.Directory.Documents) }

// documentView shows one document.
type documentView struct {
	result.Document
	Anchor string        // the title's anchor
	Prose  template.HTML // empty if the text is shown verbatim

	Headings []heading
}

// documents shows a document or a directory of documents. The path of a directory is empty or ends
// with a slash.
func (s *server) documents(r *http.Request, p *blue.Project) (screen, error) {
	name := r.PathValue("path")
	if name != "" && !strings.HasSuffix(name, "/") {
		return showDocument(r, p, name)
	}
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	found, err := p.ListDocuments(r.Context(), name, skip)
	return screen{view: "documents", title: "Documents", main: documentsView{found}}, err
}

func showDocument(r *http.Request, p *blue.Project, name string) (screen, error) {
	d, err := p.ReadDocument(r.Context(), name)
	if err != nil {
		return screen{}, err
	}
	v := documentView{Document: d}
	v.Prose, err = markdown.DocumentHTML(p, d, documentPath)
	v.Headings = headingsOf(v.Prose)
	for _, part := range d.Parts {
		if v.Prose != "" && part.Heading == d.Title { // the page shows the title above the text
			v.Anchor = part.Anchor
			break
		}
	}
	return screen{view: "document", title: d.Title, main: v}, err
}
