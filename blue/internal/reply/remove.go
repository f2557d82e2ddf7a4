package reply

import "fmt"

// Removed is the answer to a removal.
type Removed struct {
	About
	ID       string `json:"id"`
	Trashed  bool   `json:"trashed"`
	Path     string `json:"path,omitempty"`     // where the note lies now
	Revision string `json:"revision,omitempty"` // of a note that was brought back
	Already  bool   `json:"already,omitempty"`  // it was so before
	Durable  bool   `json:"durable"`            // the disk has confirmed where the note lies
}

// Text says where the note is.
func (r Removed) Text() string {
	state := "Back from the trash"
	switch {
	case r.Trashed && r.Already:
		state = "Already in the trash"
	case r.Trashed:
		state = "Moved to the trash"
	case r.Already:
		state = "Not in the trash: the note is there"
	}
	text := fmt.Sprintf("%s: %s (%s)\n", state, r.ID, r.Path)
	if r.Revision != "" {
		text = fmt.Sprintf("%s: %s (%s), revision %s\n", state, r.ID, r.Path, r.Revision)
	}
	if !r.Durable {
		text += notDurable
	}
	return text + r.Lines()
}
