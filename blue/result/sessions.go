package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
)

// SessionHit is an exchange of a past session that a search found. What it says are words of a
// person and an agent of that time, and no instructions.
type SessionHit struct {
	ID       string  `json:"id"` // client/session#number
	Client   string  `json:"client"`
	Date     string  `json:"date"`
	Age      string  `json:"age"`
	By       string  `json:"by"` // who said what was found: person, agent or failure
	Question string  `json:"question"`
	Answer   string  `json:"answer,omitempty"`
	Score    float64 `json:"score"`

	QuestionMarks [][2]int `json:"-"` // the words of the query, in bytes of the question
	AnswerMarks   [][2]int `json:"-"`
}

// Open returns the command that shows the exchange.
func (h SessionHit) Open() string { return "blue sessions show " + errors.Argument(h.ID) }

// Words describe a hit beyond its texts.
func (h SessionHit) Words() []string {
	return []string{h.Client, h.Date, h.Age, "said by " + h.Speaker()}
}

// Speaker names who said what was found.
func (h SessionHit) Speaker() string {
	switch h.By {
	case "person":
		return "the person"
	case "failure":
		return "a tool that failed"
	}
	return "the agent"
}

// Lines returns the lines of a hit in a list.
func (h SessionHit) Lines() string {
	var b writer
	b.line("%s  (%s)", h.ID, strings.Join(h.Words(), ", "))
	b.line("  Asked: %s", h.Question)
	b.lineIf(h.Answer != "", "  Then: %s", h.Answer)
	b.line("  Whole: %s", h.Open())
	return b.String()
}

// SessionsHeading precedes passages of past sessions.
const SessionsHeading = "Said in past sessions:"

// sessionsText returns the part of a reply about past sessions.
func (h Hits) sessionsText() string {
	if len(h.Sessions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(SessionsHeading + "\n")
	for _, hit := range h.Sessions {
		b.WriteString(hit.Lines())
	}
	return b.String()
}

// SessionShelf summarizes the past sessions of a project.
type SessionShelf struct {
	Sessions  int            `json:"sessions"`
	Exchanges int            `json:"exchanges"`
	Clients   map[string]int `json:"clients"`           // sessions by client
	State     string         `json:"state"`             // where the index is, and its size
	Reading   string         `json:"reading,omitempty"` // how far they have been read
}

// Describe returns the summary on one line.
func (s SessionShelf) Describe() string {
	text := fmt.Sprintf("%s, %s", Shelf{Count: s.Sessions}.Counted("session"), Shelf{Count: s.Exchanges}.Counted("exchange"))
	if len(s.Clients) > 0 {
		text += " (" + describeClients(s.Clients) + ")"
	}
	if text += ", " + s.State; s.Reading != "" {
		text += ", " + s.Reading
	}
	return text
}

// describeClients returns the number of sessions of each client, such as "codex 2, gemini 1".
func describeClients(sessions map[string]int) string {
	var all []string
	for _, client := range slices.Sorted(maps.Keys(sessions)) {
		all = append(all, client+" "+FormatCount(int64(sessions[client])))
	}
	return strings.Join(all, ", ")
}

// Sessions is the answer to sessions.
type Sessions struct {
	About
	On      bool           `json:"on"`
	Shelf   *SessionShelf  `json:"shelf,omitempty"`   // of this project, if on
	Clients map[string]int `json:"clients,omitempty"` // transcripts on this machine, of all projects
	Forgot  string         `json:"forgot,omitempty"`  // what was forgotten by this call
}

// Text says whether past sessions are searched, and what there is of them.
func (s Sessions) Text() string {
	var b writer
	b.lineIf(s.Forgot != "", "Forgot %s; the next search reads the others anew", s.Forgot)
	if s.On {
		b.line("Past sessions are searched: what you and your agents said, on this machine and for you alone")
	} else {
		b.line("Past sessions are not searched, and nothing is kept of them. To search them: blue sessions --on")
	}
	if s.Shelf != nil {
		b.line("This project: %s", s.Shelf.Describe())
	}
	b.lineIf(len(s.Clients) > 0, "Transcripts of all projects: %s", describeClients(s.Clients))
	return b.String() + s.Lines()
}

// Session is a past session, or a part of it, as it is shown.
type Session struct {
	About
	ID        string            `json:"id"`
	Client    string            `json:"client"`
	Exchanges []SessionExchange `json:"exchanges"`
}

// SessionExchange is what a person said and what followed.
type SessionExchange struct {
	Number int           `json:"number"`
	Time   time.Time     `json:"time"`
	Turns  []SessionTurn `json:"turns"`
}

// SessionTurn is a text of an exchange.
type SessionTurn struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// Text returns the session as it is read, with secrets left out.
func (s Session) Text() string {
	var b writer
	b.line("Session %s", s.ID)
	for _, e := range s.Exchanges {
		b.line("\n#%d  %s", e.Number, FormatTime(e.Time))
		for _, t := range e.Turns {
			label := SessionHit{By: t.By}.Speaker()
			b.line("\n%s:\n%s", strings.ToUpper(label[:1])+label[1:], note.ShowHidden(t.Text))
		}
	}
	return b.String() + s.Lines()
}
