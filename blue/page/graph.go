package page

import (
	"encoding/json"
	"net/http"

	"blue/blue"
)

// mostNodes is how many notes the picture shows: those with the most links.
const mostNodes = 2000

// drawn is the picture of the links, as the script takes it.
type drawn struct {
	Nodes []node   `json:"nodes"`
	Links [][2]int `json:"links"`
}

type node struct {
	ID         string  `json:"id"`
	Path       string  `json:"path"`
	Title      string  `json:"title"`
	Type       string  `json:"type"`
	Superseded bool    `json:"superseded,omitempty"`
	Links      int     `json:"links"` // from and to it
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
}

// graph says in words what the picture shows.
func (s *server) graph(r *http.Request, p *blue.Project) (screen, error) {
	g, err := p.Graph(r.Context())
	nodes, _ := joinedUp(g)
	alone, left := len(g.Notes)-len(nodes), len(nodes)-mostNodes
	text := markup(`<h1>Graph</h1>
<p class="count" id="Shape" data-live><span>%s, %s</span>%s%s</p>
`, counted(len(nodes), "linked note"), counted(len(g.Links), "link"), when(alone > 0, "<span>%d without links are not shown</span>", alone),
		when(left > 0, "<span>%d with the fewest links are not shown</span>", left))
	if len(nodes) == 0 {
		text += empty("No links yet", "<p>A note links to another one by its id: <code>[[webhook-retries-k7q2]]</code>.</p>")
	} else {
		var most safe
		for _, n := range nodes[:min(len(nodes), 12)] {
			most += markup(`<li><a href="%s">%s</a> <span class="soft">%d</span></li>`, n.Path, n.Title, n.Links)
		}
		text += markup(canvas, most)
	}
	return screen{view: "graph", title: "Graph", main: text}, err
}

const canvas = `<div class="graph" id="Drawing" hidden>
<canvas id="Graph" tabindex="0" role="img" aria-label="The notes and the links between them. The notes with the most links are listed below the picture."></canvas>
<div class="zoom"><input type="search" id="Spot" placeholder="Find in the graph" aria-label="Find in the graph" autocomplete="off"><button type="button" data-zoom="1.3" aria-label="Zoom in">+</button><button type="button" data-zoom="0.77" aria-label="Zoom out">−</button><button type="button" data-zoom="0">Fit</button></div>
<ul class="legend" id="Legend" aria-label="Colours"></ul>
<p class="wait">Drawing the links …</p>
</div>
<section><h2>The most linked</h2><ol class="most">%s</ol></section>
`

// drawing answers with the picture, laid out.
func (s *server) drawing(w http.ResponseWriter, r *http.Request) {
	p, err := s.o.Blue.Open(r.Context(), s.o.Call)
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	g, err := p.Graph(r.Context())
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	d := drawn{}
	d.Nodes, d.Links = joinedUp(g)
	d.cut(mostNodes)
	d.layOut()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d) // a browser that is gone misses nothing
}

// joinedUp are the notes that have links, those with the most first, and the links
// between them.
func joinedUp(g blue.Graph) ([]node, [][2]int) {
	count, most := make([]int, len(g.Notes)), 0
	for _, l := range g.Links {
		for _, i := range l {
			count[i]++
			most = max(most, count[i])
		}
	}
	having := make([][]int, most+1) // the notes with so many links
	for i, n := range count {
		having[n] = append(having[n], i)
	}
	var order []int
	for n := most; n > 0; n-- {
		order = append(order, having[n]...)
	}
	place, nodes := make([]int, len(g.Notes)), make([]node, len(order))
	for to, i := range order {
		n := g.Notes[i]
		place[i] = to
		nodes[to] = node{ID: n.ID, Path: at("notes", named(n.ID, n.Private)), Title: n.Title, Type: n.Type, Superseded: n.Superseded, Links: count[i]}
	}
	links := make([][2]int, len(g.Links))
	for i, l := range g.Links {
		links[i] = [2]int{place[l[0]], place[l[1]]}
	}
	return nodes, links
}

// cut keeps the first n notes.
func (d *drawn) cut(n int) {
	d.Nodes = d.Nodes[:min(n, len(d.Nodes))]
	links := d.Links
	d.Links = d.Links[:0]
	for _, l := range links {
		if max(l[0], l[1]) < n {
			d.Links = append(d.Links, l)
		}
	}
}
