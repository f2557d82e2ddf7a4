package transfer_test

import fixture "blue/fixtures/user"

// user is somebody with a home directory, who opens projects.
type user = fixture.User

var newUser, physical, put, must, isKind, tree = fixture.New, fixture.Dir, fixture.Put, fixture.Must, fixture.IsKind, fixture.Tree
