// Package sessions reads the transcripts that coding agents keep on this machine: what a person
// and an agent said to each other in past sessions on a project. It never changes a transcript.
//
// It keeps an index of the exchanges of each project (shelf.go), searches it (find.go), and knows
// whether the user has switched this on, and what is forgotten (state.go). Each client has a parser
// in a file of its own.
package sessions

import (
	"iter"
	"time"

	"blue/blue/internal/index"
)

// Speakers of a turn.
const (
	Person  = "person"
	Agent   = "agent"
	Failure = "failure" // the output of a tool that failed
)

// A Turn is one text of a session. Texts that a client adds by itself (instructions, reminders,
// attached files, what hooks said) are no turns.
type Turn struct {
	Speaker string
	Text    string
	Time    time.Time // zero if the client did not record it
	Dir     string    // working directory from here on; "" if it is still the one before
}

// A Transcript is the record of one session.
type Transcript struct {
	Client string      // name of the client in `blue setup`
	ID     string      // of the session, as the client names it
	Path   string      // file that holds it
	Stamp  index.Stamp // changes whenever the transcript has changed
	Dir    string      // working directory, if it is known without reading the transcript
}

// A parser finds and reads the transcripts of one client.
type parser interface {
	// list returns the transcripts below a home directory. It opens none of them.
	list(h Homes) []Transcript
	// read yields the turns of a transcript in order. It skips what is damaged, and stops without
	// an error at an unfinished line at the end.
	read(t Transcript) iter.Seq2[Turn, error]
}

// Homes are the directories in which clients keep their transcripts.
type Homes struct {
	User   string              // home directory of the user
	Getenv func(string) string // for variables such as CODEX_HOME
	Roots  []string            // working trees of the project, by whose hashes Gemini CLI names directories
}

// An Exchange is what a person said in a session and what followed, up to their next words.
type Exchange struct {
	Client  string
	Session string
	Number  int // in the session, from 1
	Time    time.Time
	Turns   []Turn

	before string // what was said in the exchanges before, by which it is found too
}
