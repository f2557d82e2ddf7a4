package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/store"
)

func text(i int) []byte {
	return append(fmt.Appendf(nil, "# Note %d\n", i), bytes.Repeat([]byte("some words of a note\n"), 95)...)
}

// many makes a project of 10,000 notes.
func many(b *testing.B) *store.Store {
	root, s := project(b)
	dir := filepath.Join(root, ".blue", "notes")
	must(b, os.Mkdir(dir, 0o755))
	for i := range 10_000 {
		must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%d.md", i)), text(i), 0o644))
	}
	return s
}

func BenchmarkRead(b *testing.B) {
	s := many(b)
	for i := 0; b.Loop(); i++ {
		_, _, err := s.Read(fmt.Sprintf("notes/n%d.md", i%10_000))
		must(b, err)
	}
}
