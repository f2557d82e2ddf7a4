package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// FuzzSQLite reads damaged and hostile databases.
func FuzzSQLite(f *testing.F) {
	f.Add([]byte(fromTestdata(f, "sessions.db")), []byte(fromTestdata(f, "sessions.db-wal")))
	f.Add([]byte(fromTestdata(f, "opencode.db")[:16<<10]), []byte{})
	f.Fuzz(func(t *testing.T, file, log []byte) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		if os.WriteFile(path, file, 0o600) != nil || os.WriteFile(path+"-wal", log, 0o600) != nil {
			t.Skip()
		}
		d, err := openDatabase(path)
		if err != nil {
			return
		}
		defer d.close()
		rows := 0
		for _, name := range []string{"session", "message", "sessions", "messages"} {
			for row := range d.table(name).rows() {
				if rows++; row.text("id") != "" && rows < 5 {
					for range d.table("part").where("session_id", row.text("id")) {
					}
				}
				if rows > 1000 {
					return
				}
			}
		}
	})
}

// FuzzParsers reads any bytes as a transcript of each client.
func FuzzParsers(f *testing.F) {
	for client, format := range formats {
		for _, text := range format.files {
			f.Add(client, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, client string, text []byte) {
		if _, known := parsers()[client]; !known || client == "opencode" {
			t.Skip()
		}
		for _, name := range []string{"x.jsonl", clineTask} {
			if client == "goose" {
				name = "x.jsonl" // the other one is a database
			}
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
