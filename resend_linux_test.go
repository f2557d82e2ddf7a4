package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var resends = flag.Int("resends", 3, "kill the server this many times between name and reply, with a key and without (promise 9: 500)")

// Promise 9: killed after the note has its name and before the reply, Blue makes
// no twin when the client sends again, with a key or with the same title and body.
func TestPromise9BetweenNameAndReply(t *testing.T) {
	t.Parallel()
	for _, keyed := range []bool{true, false} {
		p := newPlace(t)
		p.run(t, "write", "First")
		for i := range *resends {
			arguments := map[string]any{"title": fmt.Sprintf("Note %d", i%3), "body": fmt.Sprintf("text %d", i)}
			if keyed {
				arguments["key"] = fmt.Sprintf("key %d", i)
			}
			call := []string{"fsync", "unlinkat"}[i%2] // of the directory, of the temporary name
			s := greet(t, traced(t, p.command(t, "mcp"), os.DevNull, "-P", filepath.Join(p.project, ".blue", "notes"),
				"-e", "trace="+call, "-e", "inject="+call+":signal=KILL"))
			a, err := s.save("write", arguments)
			_ = s.cmd.Wait() // killed
			if err == nil || len(p.notes(t)) != i+2 {
				t.Fatalf("keyed %v: it was not killed after the name: %+v, %d notes", keyed, a, len(p.notes(t)))
			}
			s = p.serve(t)
			a, err = s.save("write", arguments)
			must(t, err)
			if a.Created || a.ID == "" || !a.Durable || len(p.notes(t)) != i+2 {
				t.Fatalf("keyed %v: sent again: %+v, %d notes", keyed, a, len(p.notes(t)))
			}
			s.close(t)
		}
		t.Logf("keyed %v: %d replies lost, %d notes, 0 twins, sent again: created false", keyed, *resends, len(p.notes(t))-1)
	}
}
