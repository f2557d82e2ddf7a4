package blue_test

import (
	"strings"
	"testing"

	"blue/blue"
	"blue/errors"
)

// What is far over its limit is refused before anything is made of it.
func TestFarOverTheLimit(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	p := u.Open(t, u.Project(t))
	if _, err := p.Search(t.Context(), blue.Query{Text: strings.Repeat("a", 64<<10+1)}); !errors.Is(err, errors.TooLarge) {
		t.Errorf("a query over 64 KiB: %v", err)
	}
	if _, err := p.Search(t.Context(), blue.Query{Text: strings.Repeat("at x.go:1 ", 6<<10)}); err != nil {
		t.Errorf("a stack trace of 60 kB: %v", err)
	}
	for _, size := range []int{blue.BodyLimit + 1, 2*blue.BodyLimit + 1} {
		if _, err := p.Write(t.Context(), blue.Draft{Body: strings.Repeat("x", size)}); !errors.Is(err, errors.TooLarge) {
			t.Errorf("a body of %d bytes: %v", size, err)
		}
	}
}

func TestLongFirstLineMakesATitleAtTheLimit(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	p := u.Open(t, u.Project(t))
	for _, body := range []string{strings.Repeat("é", 200), strings.Repeat("é", 201), strings.Repeat("é ", 5000)} {
		w, err := p.Write(t.Context(), blue.Draft{Body: body})
		must(t, err)
		page, err := p.Read(t.Context(), blue.Reading{ID: w.ID})
		must(t, err)
		title := []rune(page.Notes[0].Title)
		if n := len(title); n > 200 || n < 199 || (title[n-1] == '…') != (len([]rune(body)) > 200) {
			t.Errorf("%d characters: a title of %d ending in %q", len([]rune(body)), n, title[n-1])
		}
	}
}
