package index_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"blue/blue/internal/index"
	"blue/errors"
)

// set is a judged set: notes, queries, and how good an answer each note is.
type set struct {
	name    string
	docs    []index.Document
	queries []string
	kinds   []string             // of each query, as its set names them
	answers []map[string]float64 // of each query by id, above 0
	holding map[string]int       // notes that hold a word
}

// judgedSets are the folders below a directory that hold queries.jsonl, qrels.tsv
// and notes/*.md; archives in it are unpacked first.
func judgedSets(t testing.TB, dir string) (sets []*set) {
	t.Helper()
	dirs := []string{dir}
	archives, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	for _, archive := range archives {
		dirs = append(dirs, unpack(t, archive))
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "queries.jsonl" {
				sets = append(sets, readSet(t, filepath.Dir(name)))
			}
			return err
		})
		must(t, err)
	}
	return sets
}

func unpack(t testing.TB, archive string) string {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close()
	file, err := os.Open(archive)
	must(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", archive, err)
	}
	for entries := tar.NewReader(plain); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return root.Name()
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = extract(root, h.Name, entries)
		}
		if err != nil {
			t.Fatalf("%s: %v", archive, err)
		}
	}
}

func extract(root *os.Root, name string, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o644)
}

func readSet(t testing.TB, dir string) *set {
	t.Helper()
	s := &set{name: filepath.Base(dir), holding: map[string]int{}}
	notes, err := filepath.Glob(filepath.Join(dir, "notes", "*.md"))
	must(t, err)
	for _, note := range notes {
		data, err := os.ReadFile(note)
		must(t, err)
		s.docs = append(s.docs, judgedNote(strings.TrimSuffix(filepath.Base(note), ".md"), string(data)))
		for word := range wordsOf(string(data)) {
			s.holding[word]++
		}
	}
	s.readQueries(t, dir)
	return s
}

func judgedNote(id, text string) index.Document {
	var meta struct{ Title string }
	body := text
	if front, rest, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); ok && strings.HasPrefix(text, "---\n") {
		if yaml.Unmarshal([]byte(front), &meta) == nil {
			body = rest
		}
	}
	return titled(id, meta.Title, body)
}

func (s *set) readQueries(t testing.TB, dir string) {
	t.Helper()
	answers := map[string]map[string]float64{}
	for line := range lines(t, filepath.Join(dir, "qrels.tsv")) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		if worth, err := strconv.ParseFloat(f[2], 64); err == nil && worth > 0 { // the first line is names
			if answers[f[0]] == nil {
				answers[f[0]] = map[string]float64{}
			}
			answers[f[0]][f[1]] = worth
		}
	}
	for line := range lines(t, filepath.Join(dir, "queries.jsonl")) {
		var q struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
			Type string `json:"type"`
		}
		must(t, json.Unmarshal([]byte(line), &q))
		if len(answers[q.ID]) > 0 {
			s.queries, s.kinds, s.answers = append(s.queries, q.Text), append(s.kinds, q.Type), append(s.answers, answers[q.ID])
		}
	}
}

func lines(t testing.TB, name string) iter.Seq[string] {
	t.Helper()
	file, err := os.Open(name)
	must(t, err)
	return func(yield func(string) bool) {
		defer file.Close()
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() && yield(scanner.Text()) {
		}
		must(t, scanner.Err())
	}
}

func wordsOf(text string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w]++
	}
	return words
}

// grep ranks by the number of query words that a note holds, then by how often.
func (s *set) grep() search {
	texts := make([]map[string]int, len(s.docs))
	for i, d := range s.docs {
		texts[i] = wordsOf(d.Title + "\n" + d.Body)
	}
	return func(query string) []string {
		type note struct{ i, words, times int }
		words := wordsOf(query)
		var found []note
		for i, text := range texts {
			n := note{i: i}
			for word := range words {
				if times := text[word]; times > 0 {
					n.words, n.times = n.words+1, n.times+times
				}
			}
			if n.words > 0 {
				found = append(found, n)
			}
		}
		slices.SortStableFunc(found, func(a, b note) int { return (b.words-a.words)*1000000 + b.times - a.times })
		var all []string
		for _, n := range found[:min(10, len(found))] {
			all = append(all, s.docs[n.i].ID)
		}
		return all
	}
}
