package screen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blue/blue/internal/screen"
	"blue/errors"
)

func TestRefuseSaysWhatAndWhere(t *testing.T) {
	c := seeded(7)
	secret := "np" + "m_" + c.of(alnum, 36)
	for _, row := range []struct {
		text    string
		kind    errors.Kind
		message string
	}{
		{"a\nb " + secret, errors.SecretDetected, `"body" holds a secret on line 2: npm-token`},
		{strings.Repeat("b "+secret+"\n", 3), errors.SecretDetected, `"body" holds a secret on line 1: npm-token, and 2 more`},
		{"a\u200b", errors.HiddenText, `"body" holds the hidden character U+200B on line 1, column 2`},
	} {
		e := errors.Of(screen.Refuse("body", "", row.text, false))
		if e.Kind != row.kind || e.Message != row.message || len(e.Hints) == 0 {
			t.Errorf("%s: %q, %d hints", e.Kind, e.Message, len(e.Hints))
		}
	}
}

func TestRefuseBoundsItsDetail(t *testing.T) {
	data, err := json.Marshal(screen.Refuse("body", "", strings.Repeat("a\u200b\n", 1001), false))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"field"`); n != 20 || !strings.Contains(string(data), `"more":981`) {
		t.Errorf("%d spots shown of 1001: %s", n, data)
	}
}
