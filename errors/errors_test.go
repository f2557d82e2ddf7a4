package errors_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"blue/errors"
)

func TestKindIsAsked(t *testing.T) {
	err := fmt.Errorf("reading: %w", errors.NoNote("x"))
	if !errors.Is(err, errors.NotFound) || errors.Is(err, errors.Conflict) {
		t.Errorf("kind of %v is not found by Is", err)
	}
	if e := errors.Of(err); e.Kind != errors.NotFound || e.Message != `no note "x"` {
		t.Errorf("Of = %v", e)
	}
}

func TestStrangersAreInternal(t *testing.T) {
	e := errors.Of(fs.ErrPermission)
	if e.Kind != errors.Internal || !errors.Is(e, fs.ErrPermission) || len(e.Hints) == 0 {
		t.Errorf("Of a stranger = %+v", e)
	}
}

func TestEKeepsItsCause(t *testing.T) {
	if e := errors.E(errors.Disk, "saving: %w", fs.ErrExist); !errors.Is(e, fs.ErrExist) || !errors.Is(e, errors.Disk) {
		t.Errorf("%v lost its kind or cause", e)
	}
}

func TestObject(t *testing.T) {
	e := errors.E(errors.Conflict, "changed").With(map[string]any{"revision": "r"}).Hint("read", "x", "look")
	e.Project = map[string]string{"root": "/p"}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error":"conflict","hints":[{"text":"look","verb":"read","args":"x"}],"message":"changed","project":{"root":"/p"},"revision":"r"}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

type lines struct{}

func (lines) Text() string { return "second\n" }

func TestTextHasTheDetail(t *testing.T) {
	if got := errors.E(errors.NoProject, "first").With(lines{}).Text(); got != "first\nsecond" {
		t.Errorf("Text = %q", got)
	}
}
