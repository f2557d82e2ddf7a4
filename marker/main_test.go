package marker

import (
	"os"
	"testing"

	"blue/fixtures"
)

// TestMain leaves the temporary directories on the disk: no project may lie in /dev.
func TestMain(m *testing.M) {
	fixtures.Parallel(8)
	os.Exit(m.Run())
}

var must = fixtures.Must
