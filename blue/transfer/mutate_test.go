package transfer_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blue/blue/transfer"
	"blue/errors"
	"blue/fixtures"
)

// pieces are what a mutation puts into a file.
var pieces = []string{"---\n", "\n---\n", "[[", "]]", "](", ")", "|", "`", "```\n", "\x00", "\xff\xfe", "\u202e", "\uFEFF", "\r\n", "\r", "&a [*a, *a]\n", "{", "}", "\"", "[a](../../../etc/passwd.md)", "[[../x]]",
	"<<<<<<< a\n=======\n>>>>>>> b\n", "title: \"\n", "type:\n", "tags: {a: [b]}\n", "created: yesterday\n", "imported_from: x\n", "null", "\\u0000", "99999999999999999999", strings.Repeat("[[a", 500), strings.Repeat("{\"a\":", 200), strings.Repeat("x", 300_000)}

func mutated(r *rand.Rand, data []byte) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(data) + 1)
		to := min(at+r.IntN(60), len(data))
		switch r.IntN(5) {
		case 0:
			data = slices.Concat(data[:at], []byte(pieces[r.IntN(len(pieces))]), data[at:])
		case 1:
			data = slices.Concat(data[:at], data[to:])
		case 2:
			data = slices.Concat(data[:to], data[at:])
		case 3:
			data = slices.Clone(data[:at])
		case 4:
			data = slices.Clone(data)
			for range min(3, len(data)) {
				data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
			}
		}
	}
	return data
}

// TestImportOfMutatedSources: 900 damaged sources, of every kind. Whatever is
// there, the import ends, each note that it made is whole, and the second run adds
// nothing.
func TestImportOfMutatedSources(t *testing.T) {
	const each = 100 // for each of the nine fixtures
	for k, test := range imports {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(k), 7))
			u := newUser(t)
			dir, from := u.Project(t), fixtures.Source(t, test.name)
			files := map[string][]byte{}
			must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					files[path], err = os.ReadFile(path)
				}
				return err
			}))
			var paths []string
			for path := range files {
				paths = append(paths, path)
			}
			slices.Sort(paths)
			p := u.Open(t, dir)
			i := transfer.Importing{Source: test.source, Path: filepath.Join(from, test.path)}
			for range each {
				path := paths[r.IntN(len(paths))]
				must(t, os.WriteFile(path, mutated(r, files[path]), 0o644))
				result, err := transfer.Import(t.Context(), p, i)
				if err != nil && !errors.Is(err, errors.Invalid) {
					t.Fatal(err)
				}
				if err != nil && result.Taken > 0 {
					t.Errorf("%v after %d notes", err, result.Taken)
				}
				for _, n := range result.Notes {
					whole(t, filepath.Join(dir, ".blue"), n)
				}
				if again, err := transfer.Import(t.Context(), p, i); err == nil && again.Taken > 0 {
					t.Errorf("the second run: %s", again.Text())
				}
				must(t, os.WriteFile(path, files[path], 0o644))
			}
			leftovers, err := filepath.Glob(filepath.Join(dir, ".blue/*/.tmp-*"))
			must(t, err)
			checked, err := p.Check(t.Context())
			must(t, err)
			for _, flaw := range checked.Findings {
				if flaw.Wrong && flaw.Kind != "link" {
					t.Errorf("%+v", flaw)
				}
			}
			if len(leftovers) > 0 || checked.Notes < len(test.notes)/2 {
				t.Errorf("%d notes, and %v", checked.Notes, leftovers)
			}
		})
	}
}

// whole reports a note that is there in part, or not as the report says.
func whole(t testing.TB, dir string, n transfer.Taken) {
	t.Helper()
	at := filepath.Join(dir, "notes", n.ID+".md")
	if n.Private {
		at = filepath.Join(dir, "private", n.ID+".md")
	}
	data, err := os.ReadFile(at)
	must(t, err)
	text := string(data)
	if !utf8.ValidString(text) || !strings.HasPrefix(text, "---\n") || !strings.Contains(text, "\ntype:") || !strings.HasSuffix(text, "\n") || strings.ContainsAny(text, "\x00\r\uFEFF\u202e") {
		t.Errorf("%s from %s is not whole: %.300q", n.ID, n.From, text)
	}
}
