package errors_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blue/errors"
)

func TestScreening(t *testing.T) {
	spot := errors.Spot{Field: "body", Rule: "npm-token", Line: 3, Column: 7}
	hidden := errors.Spot{Field: "title", Code: "U+200B", Line: 1, Column: 2}
	for _, row := range []struct {
		err     *errors.Error
		kind    errors.Kind
		message string
	}{
		{errors.Secret(spot), errors.SecretDetected, `"body" holds a secret on line 3: npm-token`},
		{errors.Secret(spot, spot, spot), errors.SecretDetected, `"body" holds a secret on line 3: npm-token, and 2 more`},
		{errors.Hidden(hidden), errors.HiddenText, `"title" holds the hidden character U+200B on line 1, column 2`},
		{errors.AllowedByTool(spot), errors.SecretDetected, `"body" holds a comment on line 3 that allows a secret (npm-token), which only a person can`},
	} {
		if !errors.Is(row.err, row.kind) || row.err.Message != row.message || len(row.err.Hints) == 0 {
			t.Errorf("%s: %q, %d hints", row.err.Kind, row.err.Message, len(row.err.Hints))
		}
	}
}

func TestScreeningBoundsItsDetail(t *testing.T) {
	data, err := json.Marshal(errors.Hidden(errors.Spot{Field: "body"}, make([]errors.Spot, 1000)...))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"field"`); n != 20 || !strings.Contains(string(data), `"more":981`) {
		t.Errorf("%d spots shown of 1001: %s", n, data)
	}
}
