package reply

import "fmt"

// Moved is the answer to mv.
type Moved struct {
	About
	ID       string `json:"id"`
	From     string `json:"from,omitempty"` // the former id, by which the note is found too; empty when it has kept its id
	Path     string `json:"path"`
	Revision string `json:"revision"`
	Followed int    `json:"followed,omitempty"` // notes whose links were changed
	Durable  bool   `json:"durable"`
}

// Text says where the note is now.
func (m Moved) Text() string {
	text := fmt.Sprintf("Moved %s to %s (%s), revision %s\n", m.From, m.ID, m.Path, m.Revision)
	if m.From == "" {
		text = fmt.Sprintf("Kept the id %s, revision %s\n", m.ID, m.Revision)
	}
	if m.Followed > 0 {
		text += fmt.Sprintf("The links of %s follow\n", Plural(m.Followed, "note"))
	}
	if !m.Durable {
		text += notDurable
	}
	return text + m.Lines()
}
