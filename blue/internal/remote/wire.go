package remote

// What a server is asked for, each with one POST to [Path] of a [Request], which is answered
// with an [Answer] or, under a status of 400 or more, with a [Failure].
const (
	List  = "list"  // the notes that are there and those that were removed, of all or of some names
	Past  = "past"  // which of the texts that are named have been there, at any time
	Texts = "texts" // the same, and as many of the texts themselves as fit into an answer
	Write = "write" // to write and remove notes, all or none
)

// Path is where a server answers, beside the one of MCP.
const Path = "/sync"

// Bounds of a request and of its answer.
const (
	MostEntries = 1000      // notes of a request
	MostText    = 2 << 20   // bytes of the texts of a request or of an answer
	writtenOnce = 250       // notes of a write, so that no other writer of the project waits long
	mostAnswer  = 64 << 20  // bytes of an answer
	mostNotes   = 150_000   // notes of a project
	mostBytes   = 512 << 20 // bytes of all notes together, which may be held at once
)

// Request is what a client asks.
type Request struct {
	Ask   string  `json:"ask"`
	Stand string  `json:"stand,omitempty"` // that the client knows: a list of the same stand has no notes
	Sure  bool    `json:"sure,omitempty"`  // of a list: what it holds is to be confirmed as if the client had just written it
	Notes []Entry `json:"notes,omitempty"`
}

// Answer is what a server says.
type Answer struct {
	Project string  `json:"project"`        // its id
	Stand   string  `json:"stand"`          // another one after each change of these notes
	Same    bool    `json:"same,omitempty"` // the stand is that of the request, or was just before the write
	Notes   []Entry `json:"notes,omitempty"`
}

// Entry is a note, or one text of it. Private notes are never among them.
type Entry struct {
	Name     string `json:"name"`               // of its file in notes/
	Revision string `json:"revision,omitempty"` // of the text; in a write, empty for a note that goes
	Before   string `json:"before,omitempty"`   // in a write, the revision that is there, empty for none
	Author   string `json:"author,omitempty"`   // the subject who has written the text
	Removed  int64  `json:"removed,omitempty"`  // when it was removed, in nanoseconds since 1970; 0 for one that is there
	Size     int64  `json:"size,omitempty"`
	Text     []byte `json:"text,omitempty"`
}

// Failure is why a request was not answered.
type Failure struct {
	Error struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
}
