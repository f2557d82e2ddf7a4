package corpus

import (
	"context"
	"os"
	"path/filepath"

	"blue/blue/internal/index"
	"blue/blue/result"
)

// hasCode reports whether the code of the tree has been asked for before.
func (s Corpus) hasCode() bool {
	if s.Tree == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(s.Cache, Code))
	p := s.open()
	s.Indexes.mu.Lock()
	defer s.Indexes.mu.Unlock()
	return err == nil || p.code != nil
}

// CountHolding counts the files of code that hold a word. It returns 0 if no code has been asked for
// before.
func (s Corpus) CountHolding(ctx context.Context, word string) int {
	if !s.hasCode() {
		return 0
	}
	x, _ := s.openCode().refresh(ctx, s.checkout(), nil, s.patience())
	found, _ := x.Search(ctx, index.Query{Text: `"` + word + `"`})
	return found.Total
}

// DescribeCode describes what has been read of the code of the tree, without looking at the files.
// It returns nil if no code has been asked for before.
func (s Corpus) DescribeCode() *result.CodeShelf {
	if !s.hasCode() {
		return nil
	}
	of := s.openCode()
	of.Lock()
	x, runs := of.index, of.Runs()
	of.Unlock()
	shelf := &result.CodeShelf{Files: x.Types()[kindCode], State: x.State()}
	for _, count := range x.CountKeys(keyDefines) {
		shelf.Symbols += count
	}
	if runs {
		_, shelf.Reading = of.describe(false)
	} else if row, ok := x.Row(listed); ok {
		shelf.Age = result.FormatAge(row.Time, s.Now())
	}
	return shelf
}

// ReadCode builds the index of the code of the tree anew.
func (s Corpus) ReadCode(ctx context.Context) *result.CodeShelf {
	of := s.openCode()
	of.reading.refresh(ctx, terminalPatience, func() {
		of.index.Discard()
		of.startComparing(of.tree(s.checkout(), nil))
	})
	of.index.Save() // even if files must be read again
	return s.DescribeCode()
}
