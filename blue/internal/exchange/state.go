package exchange

import (
	"encoding/json"
	"os"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/reply"
)

// stateLimit is how many bytes of a state are read.
const stateLimit = 1 << 20

// State is what a machine keeps of the last sync of a working copy: for what is said
// without asking, and to know that nothing has changed. Without it a sync does more, and
// the same.
type State struct {
	Last     time.Time     `json:"last"`             // when it began, if it ended well
	Commit   string        `json:"commit"`           // that the files are in line with
	Stamp    string        `json:"stamp"`            // of the files before the sync, if it wrote none: they are those of the commit
	Told     []string      `json:"told,omitempty"`   // the files of the trash that the others have been told of
	Loose    int           `json:"loose,omitempty"`  // notes that went since objects were packed last
	Packed   string        `json:"packed,omitempty"` // the commit of that time
	Behind   int           `json:"behind"`           // notes that others had changed when they were asked last
	Withheld []reply.Named `json:"withheld,omitempty"`

	Server  string `json:"server,omitempty"`  // URL of the one that the notes go to, empty for the remote of git; its own state is another file
	Project string `json:"project,omitempty"` // on the server
}

// LoadState reads it; one that cannot be read is empty.
func LoadState(path string) (s State) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > stateLimit {
		return State{}
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &s) != nil {
		return State{}
	}
	return s
}

// Save writes it, whole or not at all.
func (s State) Save(path string) error {
	s.Withheld = s.Withheld[:min(len(s.Withheld), 100)]
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.File{Path: path, Volatile: true}.Replace(text)
}
