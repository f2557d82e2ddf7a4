package segment

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

// Every term of a table is found with its own data, and nothing else is: with marks and
// without, alone in its block and beside others, longer than a byte can say.
func TestTerms(t *testing.T) {
	long := strings.Repeat("long ", 100)
	all := []string{StemTerm + "a", StemTerm + long, StemTerm + long + "a", StemTerm + long + "ab", StemTerm + long[:256], TitleTerm + long}
	for i := range 3000 {
		all = append(all, fmt.Sprint(StemTerm, i*7919%10007), StemTerm+strings.Repeat("x", i%300))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, n := range []int{0, 1, 2, blockTerms, blockTerms + 1, blockTerms*16 + 1, len(all)} {
		keys := all[:n]
		var out bytes.Buffer
		w := newWriter(&out)
		for i, key := range keys {
			w.addTerm(key, []posting{{doc: uint32(i), times: 1}})
		}
		must(t, w.finish(0, nil))
		s, err := parseSegment(out.Bytes())
		must(t, err)
		lookUp(t, s, keys)
		s.filter = newTermFilter(s) // as segments in memory have
		lookUp(t, s, keys)
		passed := 0
		for i := range 10_000 {
			if s.filter.mayHold(fmt.Sprint(WordTerm, "none", i)) {
				passed++
			}
		}
		if n > 0 && passed > 500 {
			t.Errorf("of 10,000 terms that are not there the filter of %d lets %d pass", n, passed)
		}
	}
}

func lookUp(t *testing.T, s *Segment, keys []string) {
	t.Helper()
	w := s.TermsFrom("")
	for i, key := range keys {
		if string(w.Key) != key {
			t.Fatalf("term %d of %d is %.20q, want %.20q", i, len(keys), w.Key, key)
		}
		if c := NewCursor(s.FindTerm(key)); !c.Seek(uint32(i)) {
			t.Fatalf("%.20q has the data of another", key)
		}
		for _, other := range []string{key[:len(key)-1], key + "\x00", key + "\xff", key[:len(key)-1] + "\xff"} {
			at := sort.SearchStrings(keys, other)
			there := at < len(keys) && keys[at] == other
			if (s.FindTerm(other) != nil) != there {
				t.Fatalf("%.20q is there: %v, want %v", other, !there, there)
			}
			want := ""
			if at < len(keys) {
				want = keys[at]
			}
			if next := s.TermsFrom(other); string(next.Key) != want {
				t.Fatalf("behind %.20q comes %.20q, want %.20q", other, next.Key, want)
			}
		}
		w.NextTerm()
	}
	if len(w.Key) > 0 {
		t.Fatalf("%d terms are followed by %.20q", len(keys), w.Key)
	}
}

// One letter too many, missing, wrong, or two exchanged; and nothing else.
func TestFindNear(t *testing.T) {
	var out bytes.Buffer
	w := newWriter(&out)
	for _, word := range []string{"cat", "naïve", "retry", "straße", "webhook", "webhooks", "索引时"} {
		w.addTerm(WordTerm+word, []posting{{times: 1}})
	}
	must(t, w.finish(0, nil))
	known, err := parseSegment(out.Bytes())
	must(t, err)
	for word, want := range map[string]string{
		"webook": "webhook", "webhoook": "webhook", "wbehook": "webhook", "xebhook": "webhook", "webhookx": "webhook webhooks", "ebhook": "webhook",
		"naive": "naïve", "naïv": "naïve", "strasße": "straße", "straes": "", "索时引": "索引时", "retyr": "retry", "try": "", "": "", "cta": "cat",
	} {
		var got []string
		known.FindNear(word, func(w string) { got = append(got, w) })
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), " "); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
