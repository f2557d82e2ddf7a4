package blue_test

import (
	"reflect"
	"strings"
	"testing"

	"blue/blue"
)

// TestTypesAreOneList: what a tool's schema says of types is the list of them.
func TestTypesAreOneList(t *testing.T) {
	field, _ := reflect.TypeFor[blue.Draft]().FieldByName("Type")
	if got, want := field.Tag.Get("jsonschema"), strings.Join(blue.NoteTypes(), ", ")+" or any word"; got != want {
		t.Errorf("the schema says %q, not %q", got, want)
	}
}
