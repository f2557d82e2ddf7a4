package transfer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

// lineLimit is the largest size in bytes of one line of a graph.
const lineLimit = 4 << 20

// element is a line of a graph of the reference memory server: an entity with
// its observations, or a relation between two entities.
type element struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

// readGraph yields each entity as a document, with its observations as a list, and its
// relations. It reads the file twice, because a relation may stand anywhere, and keeps only
// the relations in memory.
func readGraph(s *source) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		from := map[string][]relation{}
		err := s.eachLine(func(_ int, e element, reason string) bool {
			if reason == "" && e.Type == "relation" {
				from[e.From] = append(from[e.From], relation{oneLine(e.RelationType), oneLine(e.To)})
			}
			return true
		})
		if err != nil {
			yield(document{}, err)
			return
		}
		seen, stopped := map[string]bool{}, false
		err = s.eachLine(func(number int, e element, reason string) bool {
			if reason == "" && e.Type == "relation" {
				return true
			}
			d := e.makeDocument(from[e.Name], seen)
			if reason != "" {
				d = document{Path: fmt.Sprintf("line %d", number), Reason: reason}
			}
			stopped = !yield(d, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(document{}, err)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(from)) {
			if !stopped && !seen[name] {
				stopped = !yield(document{Path: name, Reason: "relations of an entity that is not there"}, nil)
			}
		}
	}
}

// makeDocument returns an entity as a document.
func (e element) makeDocument(relations []relation, seen map[string]bool) document {
	d := document{Path: e.Name, Names: []string{e.Name}, Title: e.Name, Type: oneLine(e.EntityType), Relations: relations}
	if seen[e.Name] {
		return document{Path: e.Name, Reason: "a second entity of this name"}
	}
	seen[e.Name] = true
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", oneLine(e.Name))
	for i, observation := range e.Observations {
		if i == 0 {
			b.WriteString("\n")
		}
		lines := strings.Split(strings.TrimSpace(useLineFeeds(observation)), "\n")
		fmt.Fprintf(&b, "- %s\n", strings.Join(lines, "\n  "))
	}
	d.Text = b.String()
	raw, _ := json.Marshal([]any{e, relations}) // strings alone: it cannot fail
	d.Hash = hashText(raw)
	return d
}

// eachLine calls take for each line of the file, with the reason why it is no element if it is
// none, until take returns false.
func (s *source) eachLine(take func(number int, e element, reason string) bool) error {
	file, err := s.openFile()
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, 64<<10), lineLimit)
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(scanner.Text(), "\uFEFF"))
		if line == "" {
			continue
		}
		var e element
		reason := ""
		switch err := json.Unmarshal([]byte(line), &e); {
		case !utf8.ValidString(line):
			reason = "not UTF-8 text"
		case err != nil:
			reason = "not an entity or a relation in JSON"
		case e.Type != "entity" && e.Type != "relation":
			reason = "neither an entity nor a relation"
		case e.Type == "entity" && oneLine(e.Name) == "":
			reason = "an entity without a name"
		}
		if !take(number, e, reason) {
			return nil
		}
	}
	if err := scanner.Err(); err != nil {
		return errors.BadSource(s.name, "a line is longer than 4 MiB, or "+whyUnreadable(err))
	}
	return nil
}

func (s *source) openFile() (io.ReadCloser, error) {
	info, err := lstat(s.tree, s.file)
	if err != nil {
		return nil, errors.BadSource(s.name, whyUnreadable(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errors.BadSource(s.name, "it is not a regular file")
	}
	if info.Size() > recordsLimit {
		return nil, errors.BadSource(s.name, "it is larger than 256 MiB")
	}
	file, err := s.tree.Open(s.file)
	if err != nil {
		return nil, errors.BadSource(s.name, whyUnreadable(err))
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, recordsLimit), file}, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
