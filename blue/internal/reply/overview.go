package reply

// Facets count the notes of a project by what a list of them can be narrowed to.
type Facets struct {
	Types, Tags, Authors, Statuses []Facet // the most frequent first
}

// Facet is one word and how many notes have it.
type Facet struct {
	Word, Shown string // as it is asked for, and as it is safe to show
	Count       int
}

// Board is the open work of a project: what waits for a decision, and what is unfinished.
type Board struct {
	About
	Branch                string
	Proposed              []Card
	Unfinished, Elsewhere []Card // checkpoints of this branch, and of others
}

// Card is a note on the board.
type Card struct {
	Row
	Branch, Next string
}
