package reply

// Graph is the notes and the links between them.
type Graph struct {
	About
	Notes []Node   `json:"notes"`
	Links [][2]int `json:"links"` // from and to, places in Notes
}

// Node is a note of a graph.
type Node struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Type       string `json:"type"`
	Private    bool   `json:"private,omitempty"`
	Superseded bool   `json:"superseded,omitempty"`
}
