package reply

import "strings"

// Located is the answer to "where is this note".
type Located struct {
	About
	Files []NoteFile `json:"files"`
}

// NoteFile is the file of a note.
type NoteFile struct {
	ID   string `json:"id"`
	Path string `json:"path"` // absolute
	Name string `json:"-"`    // below .blue, with slashes
}

// Text has one path a line, and nothing else: it goes into other commands.
func (l Located) Text() string {
	var b strings.Builder
	for _, f := range l.Files {
		b.WriteString(f.Path + "\n")
	}
	return b.String()
}
