package transport

import (
	"os"
	"testing"

	"blue/fixtures"
)

func TestMain(m *testing.M) { os.Exit(fixtures.Main(m)) }

var must = fixtures.Must
