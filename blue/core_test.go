package blue_test

import (
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/fixtures"
	fixture "blue/fixtures/user"
)

// user is somebody with a home directory, who opens projects.
type user = fixture.User

var newUser, physical, at, put, must, isKind, tree = fixture.New, fixture.Dir, fixture.At, fixture.Put, fixtures.Must, fixture.IsKind, fixture.Tree

// read returns a whole note.
func read(t testing.TB, p *blue.Project, id string) result.Note {
	t.Helper()
	page, err := p.Read(t.Context(), blue.Reading{ID: id, Whole: true})
	must(t, err)
	return page.Notes[0]
}
