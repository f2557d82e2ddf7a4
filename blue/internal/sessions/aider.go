package sessions

import (
	"fmt"
	"hash/fnv"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// aider reads the history of aider, which is a file of Markdown in the project.
type aider struct{}

func (aider) list(h Homes) (all []Transcript, err error) {
	name := ".aider.chat.history.md"
	if set := h.Getenv("AIDER_CHAT_HISTORY_FILE"); filepath.IsLocal(set) {
		name = set
	}
	for _, root := range h.Roots {
		found := transcripts("aider", []string{filepath.Join(root, name)}, func(string) string {
			hash := fnv.New32a()
			hash.Write([]byte(root))
			return fmt.Sprintf("%s-%08x", filepath.Base(root), hash.Sum32())
		})
		for i := range found {
			found[i].Dir = root
		}
		all = append(all, found...)
	}
	return all, nil
}

func (aider) read(t Transcript) iter.Seq2[Turn, error] {
	all := func(yield func(Turn, error) bool) {
		var a aiderChat
		for line, err := range lines(t.Path) {
			if err != nil {
				yield(Turn{}, err)
				return
			}
			if done := a.add(string(line)); done.Text != "" && !yield(done, nil) {
				return
			}
		}
		yield(a.turn(), nil)
	}
	return turns(all, func() reader[Turn] {
		return func(t Turn) []Turn { return []Turn{t} }
	})
}

// aiderChat gathers the lines of a turn. Those of the person begin with ####, those of aider and of
// commands with >.
type aiderChat struct {
	began   time.Time
	speaker string
	text    strings.Builder
}

func (a *aiderChat) turn() Turn {
	return Turn{Speaker: a.speaker, Text: a.text.String(), Time: a.began}
}

// add adds a line, and returns the turn before it if the line begins another.
func (a *aiderChat) add(line string) (done Turn) {
	speaker, text := Agent, line
	if words, byPerson := strings.CutPrefix(line, "####"); byPerson {
		speaker, text = Person, asked(strings.TrimSpace(words))
	} else if strings.HasPrefix(line, ">") {
		return Turn{}
	}
	started, begins := strings.CutPrefix(line, "# aider chat started at ")
	if begins || speaker != a.speaker && strings.TrimSpace(text) != "" {
		done = a.turn()
		a.speaker = speaker
		a.text.Reset()
	}
	if begins {
		a.began, _ = time.ParseInLocation(time.DateTime, started, time.Local) // else it is not known
	} else if speaker == a.speaker && a.text.Len() < textSize {
		a.text.WriteString(text + "\n")
	}
	return done
}

// asked returns what the person said in a line: nothing in a command, except to ask.
func asked(line string) string {
	if !strings.HasPrefix(line, "/") {
		return line
	}
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "/ask", "/code", "/architect":
		return rest
	}
	return ""
}
