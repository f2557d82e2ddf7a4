package transfer_test

import (
	"blue/fixtures"
	fixture "blue/fixtures/user"
)

// user is somebody with a home directory, who opens projects.
type user = fixture.User

var newUser, physical, put, must, isKind, tree = fixture.New, fixture.Dir, fixture.Put, fixtures.Must, fixture.IsKind, fixture.Tree
