package deliveries_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/deliveries"
)

// What is counted of events, which stand here as "minute what client session bytes ids".
func TestCount(t *testing.T) {
	for name, test := range map[string]struct {
		events string
		want   string // sessions prompts answered missed told used read bytes
	}{
		"nothing":              {"", "0 0 0 0 0 0 0 0"},
		"told and read":        {"0 start codex s 500 a b; 1 prompt codex s 90 a; 2 read codex - 0 a", "1 1 1 0 1 1 1 590"},
		"read elsewhere":       {"0 prompt codex s 90 a; 1 prompt gemini g 0; 2 read gemini - 0 a", "2 2 1 0 1 0 1 90"},
		"told twice, read":     {"0 prompt codex s 90 a b; 1 file codex s 50 a; 2 read codex - 0 a", "1 1 1 0 3 1 1 140"},
		"cited":                {"0 file codex s 50 a; 1 cited codex - 0 a", "1 0 0 0 1 1 0 50"},
		"its file":             {"0 file codex s 50 a; 1 changed codex s 0 a", "1 0 0 0 1 1 0 50"},
		"named only":           {"0 start codex s 500 a; 1 read codex - 0 a", "1 0 0 0 0 0 1 500"},
		"whole at the start":   {"0 start codex s 500 a b; 0 digest codex s 0 a b; 1 prompt codex s 0 a; 2 changed codex s 0 a", "1 1 1 0 2 1 0 500"},
		"told before":          {"0 prompt codex s 90 a; 1 prompt codex s 0 a; 2 search codex - 0 a; 3 read codex - 0 a", "1 2 2 0 1 1 1 90"},
		"a search answered":    {"0 prompt codex s 0; 1 search codex - 0 a b; 2 read codex - 0 b; 3 read codex - 0 a", "1 1 0 1 0 0 2 0"},
		"nothing of it read":   {"0 prompt codex s 0; 1 search codex - 0 a b; 2 read codex - 0 c", "1 1 0 0 0 0 1 0"},
		"of the prompt before": {"0 prompt codex s 0; 1 search codex - 0 a; 2 prompt codex s 0; 3 read codex - 0 a", "1 2 0 0 0 0 1 0"},
		"by another client":    {"0 prompt codex s 0; 1 search cli - 0 a; 2 read cli - 0 a", "1 1 0 0 0 0 1 0"},
		"a document alone":     {"0 prompt codex s 70; 1 search codex - 0 a; 2 read codex - 0 a", "1 1 0 0 0 0 1 70"},
		"in a shell":           {"0 prompt codex s 90 a; 2 read cli - 0 a; 2 called codex s 0", "1 1 1 0 1 1 1 90"},
		"of two at once":       {"0 prompt codex s 90 a; 0 prompt codex t 0; 2 read codex - 0 a; 2 called codex s 0", "2 2 1 0 1 1 1 90"},
		"long after":           {"0 prompt codex s 90 a; 300 read codex - 0 a", "1 1 1 0 1 0 1 90"},
		"read again at once":   {"0 read cli - 0 a; 5 read cli - 0 a; 20 read cli - 0 a", "0 0 0 0 0 0 2 0"},
	} {
		var r deliveries.Record
		for event := range strings.SplitSeq(test.events, "; ") {
			words := strings.Fields(event)
			if len(words) == 0 {
				continue
			}
			var minute, bytes int
			_, _ = fmt.Sscan(words[0], &minute)
			_, _ = fmt.Sscan(words[4], &bytes)
			r.Events = append(r.Events, deliveries.Delivery{
				Time: noon.Add(time.Duration(minute) * time.Minute), What: deliveries.What(words[1]), Client: words[2], Session: strings.Trim(words[3], "-"), Bytes: bytes, Notes: words[5:],
			})
		}
		s, _ := r.Count(time.Time{})
		if got := strings.Trim(fmt.Sprint(s.Usage), "{}"); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
		sum := 0
		for _, c := range s.Clients {
			sum += c.Told + c.Read
		}
		for _, d := range s.Days {
			sum -= d.Told + d.Read
		}
		if sum != 0 {
			t.Errorf("%s: clients %+v and days %+v differ", name, s.Clients, s.Days)
		}
		if late, _ := r.Count(noon.Add(1000 * time.Minute)); late.Prompts+late.Told+late.Read+late.Sessions > 0 {
			t.Errorf("%s: counted before the time: %+v", name, late.Usage)
		}
	}
}
