package clients_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"blue/blue/internal/clients"
	"blue/fixtures"
)

// TestMutated is promise 29 of docs/reliability.md: mutated files for
// each file that setup writes for a client go through put and remove; only what is
// Blue's differs, or the file is refused and the error names file and place.
func TestMutated(t *testing.T) {
	count := mutations()
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			files, err := c.Targets(place(), c.Scopes()[0], parts...)
			if c.Name == "copilot-cli" { // its project file has two forms: TestBare
				files, err = c.Targets(place(), clients.User, parts...)
			}
			must(t, err)
			for _, f := range files {
				if f.PrintOnly || f.Format == clients.Markdown && c.Name != "gemini" {
					continue // not edited, or the same for all
				}
				n := count
				if f.Holds[0] != clients.MCP { // two forms for seven clients
					n = count / 2
				}
				mutated(t, f, seeds(t, c, f), n)
			}
		})
	}
}

// parts are all that setup writes.
var parts = []clients.Component{clients.MCP, clients.Hooks, clients.Permission, clients.Instructions}

// seeds are texts of the kind of the file.
func seeds(t testing.TB, c clients.Client, f clients.ConfigFile) (texts [][]byte) {
	t.Helper()
	names := []string{"hooks"}
	if f.Holds[0] == clients.MCP {
		names = append(names, c.Name)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		must(t, err)
		for _, file := range archive.Files {
			format, found := strings.CutPrefix(file.Name, "seed.")
			usual := (f.Format == clients.JSON || f.Format == clients.JSONC || f.Format == clients.Commented) && format == "json"
			if name == c.Name || found && (usual || format == string(f.Format)) {
				texts = append(texts, file.Data)
			}
		}
	}
	return texts
}

func mutated(t *testing.T, f clients.ConfigFile, seeds [][]byte, count int) {
	random := rand.New(rand.NewPCG(29, uint64(len(f.Path))))
	edited := 0
	for i := range count {
		text := mutate(random, seeds[i%len(seeds)], seeds[random.IntN(len(seeds))])
		entry := stdio
		if i%3 == 0 {
			entry = http
		}
		entry.Quiet = i%4 == 0
		if survives(t, f, text, entry) {
			edited++
		}
		if t.Failed() {
			t.Fatalf("%s, mutation %d:\n%q", f.Path, i, text)
		}
	}
	if edited < count/20 {
		t.Errorf("%s: only %d of %d were edited, so little was tested", f.Path, edited, count)
	}
	t.Logf("%s: %d of %d edited, the rest refused", f.Path, edited, count)
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
	`"hooks": {},`, `"hooks": [],`, `"SessionStart": [],`, `"permissions": {"allow": []},`, `{"command": "x"},`, "<!-- blue:begin -->\n", "<!-- blue:end -->\n",
	`"mcpServers": {},`, `"mcpServers": 1,`, "\"\"\"", "'''", "|", ">", "- ", "? ", "\x00", "\u00a0", "é", "\\u0000", "1e999",
}

// survives puts the entry and takes it out again. It reports whether the text
// was edited; what must not be is an error of t.
func survives(t testing.TB, f clients.ConfigFile, text []byte, e clients.Entry) bool {
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
		t.Errorf("more than the entry differs:\n%s", beside("x", before, after))
	}
	if !had && !within(before, after) {
		t.Errorf("bytes were lost:\n%s", beside("x", before, after))
	}
	if again, err := f.Edit(after, e); err != nil || !bytes.Equal(again, after) {
		t.Errorf("a second run differs: %v\n%s", err, beside("x", after, again))
	}
	removed, err := f.Remove(after)
	if err != nil {
		refusal(t, f, err)
		return true
	}
	if gone, has := rest(t, f, removed); has || !reflect.DeepEqual(gone, was) {
		t.Errorf("removing takes too little or too much: %v, %v, %v\n%s", has, was, gone, beside("x", after, removed))
	}
	if !within(removed, after) {
		t.Errorf("removing wrote something:\n%s", beside("x", after, removed))
	}
	return true
}

// FuzzEdit holds the promises of TestMutated for any bytes in any format.
func FuzzEdit(f *testing.F) {
	fixtures.Slow(f) // so many seeds
	byFormat := map[clients.Format]clients.ConfigFile{}
	for _, c := range clients.All() {
		for _, file := range writable(f, c) {
			if !file.PrintOnly && (c.Name != "copilot-cli" || file.Scope == clients.User) {
				byFormat[file.Format] = file
			}
		}
		archive, err := txtar.ParseFile(filepath.Join("testdata", c.Name+".txtar"))
		must(f, err)
		for _, file := range archive.Files {
			f.Add(file.Data, false)
		}
	}
	for _, name := range []string{"claude-code", "cursor"} { // the two forms of hooks
		c, err := clients.Named(name)
		must(f, err)
		file, _ := c.HookFile(place(), clients.Project)
		file.Holds = append(file.Holds, clients.Permission)
		byFormat[clients.Format(name)] = file
		for _, seed := range seeds(f, c, file) {
			f.Add(seed, false)
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

// mutations is how many mutated files TestMutated makes of each file.
func mutations() int { return fixtures.Size(40, 100, 1000) }
