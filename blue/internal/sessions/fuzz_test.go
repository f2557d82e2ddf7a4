package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// FuzzParsers reads any bytes as a transcript of each client.
func FuzzParsers(f *testing.F) {
	for client, format := range formats {
		for _, text := range format.files {
			f.Add(client, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, client string, text []byte) {
		if _, known := parsers()[client]; !known {
			t.Skip()
		}
		for _, name := range []string{"x.jsonl", "x.json"} {
			path := filepath.Join(t.TempDir(), name)
			if os.WriteFile(path, text, 0o600) != nil {
				t.Skip()
			}
			for turn, err := range Read(Transcript{Client: client, ID: "x", Path: path}) {
				if err != nil || turn.Text == "" || turn.Speaker == "" || len(turn.Text) > textSize+8 {
					t.Errorf("%v: %.100q", err, turn.Text)
				}
				if !utf8.Valid(text) {
					continue
				}
				if !utf8.ValidString(turn.Text) {
					t.Errorf("no UTF-8: %.100q", turn.Text)
				}
			}
		}
	})
}
