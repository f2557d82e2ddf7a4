package clients_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/txtar"

	"blue/blue/internal/clients"
)

// TestMutated is promise 29 of docs/reliability.md: 1,000 mutated files for each
// client go through put and remove; only Blue's entry differs, or the file is
// refused and the error names file and place.
func TestMutated(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 100
	}
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", c.Name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			f := writable(t, c)[c.Scopes()[0]]
			if c.Name == "copilot-cli" { // its project file has two forms: TestBare
				f = writable(t, c)[clients.User]
			}
			random := rand.New(rand.NewPCG(29, uint64(len(c.Name))))
			edited := 0
			for i := range count {
				seed := archive.Files[i%len(archive.Files)].Data
				text := mutate(random, seed, archive.Files[random.IntN(len(archive.Files))].Data)
				entry := stdio
				if i%3 == 0 {
					entry = http
				}
				if survives(t, f, text, entry) {
					edited++
				}
				if t.Failed() {
					t.Fatalf("mutation %d:\n%q", i, text)
				}
			}
			if edited < count/20 {
				t.Errorf("only %d of %d were edited, so little was tested", edited, count)
			}
			t.Logf("%d of %d edited, the rest refused", edited, count)
		})
	}
}

// mutate changes a text in one to three places.
func mutate(r *rand.Rand, text, other []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(text) + 1)
		end := min(len(text), at+1+r.IntN(12))
		lines := bytes.SplitAfter(text, []byte("\n"))
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(16) {
		case 0: // a byte
			if at < len(text) {
				text[at] = byte(r.IntN(256))
			}
		case 1:
			text = append(text[:at:at], text[end:]...)
		case 2, 3: // a piece of syntax
			text = bytes.Join([][]byte{text[:at], []byte(pieces[r.IntN(len(pieces))]), text[at:]}, nil)
		case 4: // part of another file
			from := r.IntN(len(other) + 1)
			text = bytes.Join([][]byte{text[:at], other[from:min(len(other), from+r.IntN(60))], text[at:]}, nil)
		case 5: // lines out, twice, changed about
			lines[i] = nil
			text = bytes.Join(lines, nil)
		case 6:
			lines[i] = append(bytes.Clone(lines[i]), lines[j]...)
			text = bytes.Join(lines, nil)
		case 7:
			lines[i], lines[j] = lines[j], lines[i]
			text = bytes.Join(lines, nil)
		case 8:
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		case 9:
			text = append([]byte("\xef\xbb\xbf"), text...)
		case 10:
			text = bytes.TrimRight(text, "\r\n")
		case 11:
			text = text[:at]
		case 12: // blanks at the end of a line
			text = bytes.Replace(text, []byte("\n"), []byte("  \n"), 1+r.IntN(4))
		case 13: // written in one line
			text = bytes.ReplaceAll(text, []byte("\n"), []byte(" "))
		case 14: // another indentation
			text = bytes.ReplaceAll(text, []byte("\n  "), []byte("\n    "))
		case 15: // another name
			text = bytes.Replace(text, []byte("blue"), []byte("Blue-old"), 1)
		}
	}
	return text
}

var pieces = []string{
	"{", "}", "[", "]", ",", ":", "\"", "'", "\n", "\r\n", "\t", "  ", "#", " # x\n", "// x\n", "/* x */", "/*", "\\",
	`"blue": {},`, `"blue": [],`, `"blue": null,`, `, "blue": {"command": "npx"}`, "null", "{}", "[]", "---\n", "...\n", "&a ", "*a", "<<: ",
	"[mcp_servers.blue]\n", "[[mcp_servers]]\n", "mcp_servers = {}\n", "blue = 1\n", "blue.x = 1\n", "blue:\n", "  blue: {}\n", "extensions:\n",
	`"mcpServers": {},`, `"mcpServers": 1,`, "\"\"\"", "'''", "|", ">", "- ", "? ", "\x00", "\u00a0", "é", "\\u0000", "1e999",
}

// survives puts the entry and takes it out again. It reports whether the text
// was edited; what must not be is an error of t.
func survives(t testing.TB, f clients.File, text []byte, e clients.Entry) bool {
	t.Helper()
	before := bytes.Clone(text)
	after, err := f.Edit(text, e)
	if !bytes.Equal(before, text) {
		t.Fatal("the edit wrote into its argument")
	}
	if err != nil {
		refusal(t, f, err)
		return false
	}
	was, had := rest(t, f, before)
	is, has := rest(t, f, after)
	if !has {
		t.Errorf("no entry was put:\n%s", after)
	}
	if !reflect.DeepEqual(was, is) {
		t.Errorf("more than the entry differs:\n%s", clients.Diff("x", before, after))
	}
	if !had && !within(strip(f, before), after) {
		t.Errorf("bytes were lost:\n%s", clients.Diff("x", before, after))
	}
	if again, err := f.Edit(after, e); err != nil || !bytes.Equal(again, after) {
		t.Errorf("a second run differs: %v\n%s", err, clients.Diff("x", after, again))
	}
	removed, err := f.Remove(after)
	if err != nil {
		refusal(t, f, err)
		return true
	}
	if gone, has := rest(t, f, removed); has || !reflect.DeepEqual(gone, was) {
		t.Errorf("removing takes too little or too much:\n%s", clients.Diff("x", after, removed))
	}
	if !within(strip(f, removed), after) {
		t.Errorf("removing wrote something:\n%s", clients.Diff("x", after, removed))
	}
	return true
}

// FuzzEdit holds the promises of TestMutated for any bytes in any format.
func FuzzEdit(f *testing.F) {
	byFormat := map[clients.Format]clients.File{}
	for _, c := range clients.All() {
		for _, file := range writable(f, c) {
			if !file.PrintOnly && (c.Name != "copilot-cli" || file.Scope == clients.User) {
				byFormat[file.Format] = file
			}
		}
		archive, err := txtar.ParseFile(filepath.Join("testdata", c.Name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data, false)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, remote bool) {
		entry := stdio
		if remote {
			entry = http
		}
		for _, file := range byFormat {
			survives(t, file, text, entry)
		}
	})
}
