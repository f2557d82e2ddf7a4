package clients_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"blue/blue/internal/clients"
	"blue/fixtures"
)

var writer = flag.String("writer", "", "rewrite this file until killed (TestKilled starts it)")

// old and fresh are two states of a file, long enough to be torn.
var (
	old   = bytes.Repeat([]byte("old line of the file\n"), 20000)
	fresh = bytes.Repeat([]byte("fresh line\n"), 30000)
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *writer != "" {
		rewrite(*writer)
		return
	}
	os.Exit(fixtures.Main(m))
}

func rewrite(path string) {
	fmt.Println("started")
	for {
		before, err := clients.Load(path)
		after := old
		if bytes.Equal(before, old) {
			after = fresh
		}
		if err == nil {
			err = write(path, before, after)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
}

// TestKilled is the second half of promise 29: whenever the writer dies, the
// file is one of its two states, whole.
func TestKilled(t *testing.T) {
	fixtures.Slow(t)
	rounds := 25
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, os.WriteFile(path, old, 0o600))
	seen := map[bool]int{}
	for range rounds {
		cmd := exec.Command(os.Args[0], "-writer", path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		word := make([]byte, 7)
		if _, err := out.Read(word); err != nil || string(word) != "started" {
			t.Fatalf("the writer says %q, %v", word, err)
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		text, err := os.ReadFile(path)
		if !bytes.Equal(text, old) && !bytes.Equal(text, fresh) {
			t.Fatalf("%s is torn: %d bytes, %v", path, len(text), err)
		}
		seen[bytes.Equal(text, old)]++
	}
	if len(seen) < 2 {
		t.Error("only one state was ever seen, so the writer did not write")
	}
}
