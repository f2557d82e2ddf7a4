package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/store"
)

func text(i int) []byte {
	return append(fmt.Appendf(nil, "# Note %d\n", i), bytes.Repeat([]byte("some words of a note\n"), 95)...)
}

// floor writes a file as safely as the disk can: temporary file, fsync, rename,
// fsync of the directory. The store cannot be faster.
func floor(b *testing.B, dir string, i int) {
	path := filepath.Join(dir, fmt.Sprintf("n%d.md", i))
	file, err := os.Create(path + ".tmp")
	must(b, err)
	_, err = file.Write(text(i))
	must(b, err)
	must(b, file.Sync())
	must(b, file.Close())
	must(b, os.Rename(path+".tmp", path))
	at, err := os.Open(dir)
	must(b, err)
	at.Sync()
	must(b, at.Close())
}

// BenchmarkFloor is what BenchmarkCreate is measured against.
func BenchmarkFloor(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		floor(b, dir, i)
	}
}

// BenchmarkFloorReplace is what BenchmarkReplace is measured against: a new file
// of the history, and the note over the former one.
func BenchmarkFloorReplace(b *testing.B) {
	dir, history := b.TempDir(), b.TempDir()
	for i := 0; b.Loop(); i++ {
		floor(b, history, i)
		floor(b, dir, 0)
	}
}

func locked(b *testing.B, s *store.Store, do func(h *store.Held) error) {
	h, err := s.Lock(context.Background())
	must(b, err)
	must(b, do(h))
	must(b, h.Unlock())
}

func BenchmarkCreate(b *testing.B) {
	_, s := project(b)
	for i := 0; b.Loop(); i++ {
		locked(b, s, func(h *store.Held) error {
			_, err := h.Create(fmt.Sprintf("notes/n%d.md", i), text(i))
			return err
		})
	}
}

func BenchmarkReplace(b *testing.B) {
	_, s := project(b)
	locked(b, s, func(h *store.Held) error { _, err := h.Create("notes/x.md", text(-1)); return err })
	for i := 0; b.Loop(); i++ {
		locked(b, s, func(h *store.Held) error { _, err := h.Replace("notes/x.md", "", text(i)); return err })
	}
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

func BenchmarkFiles10000(b *testing.B) {
	s := many(b)
	for b.Loop() {
		for _, err := range s.Files(context.Background()) {
			must(b, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := many(b)
	for i := 0; b.Loop(); i++ {
		_, _, err := s.Read(fmt.Sprintf("notes/n%d.md", i%10_000))
		must(b, err)
	}
}
