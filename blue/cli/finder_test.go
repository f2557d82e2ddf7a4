package cli

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
)

// Keys are read from pieces of escape sequences and of UTF-8 too.
func TestKeys(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][]rune{
		"aé語😀":               {'a', 'é', '語', '😀'},
		"\x1b[A\x1b[B\x1bOA": {keyUp, keyDown, keyUp},
		"\x1b[5~x\x1b[6~":    {keyPageUp, 'x', keyPageDown},
		"\x1b[1;5C\x1bfz":    {keyUnknown, keyUnknown, 'z'},
		"\x1b":               {keyEscape},
		"\x1b\x1b":           {keyEscape, keyEscape},
		"\b\x7f\t\r\x03\x17": {keyBackspace, keyBackspace, '\t', keyEnter, 'C' - ctrl, 'W' - ctrl},
		"\xffb\u009bc":       {keyUnknown, 'b', keyUnknown, 'c'},
		"q\x1b[12":           {'q', keyUnknown},
		"q\xe8\xaa":          {'q', keyUnknown, keyUnknown},
	} {
		for piece := 1; piece <= len(typed); piece++ {
			var got []rune
			var data []byte
			for rest := typed; len(rest) > 0 || len(data) > 0; {
				final := rest == ""
				data = append(data, rest[:min(piece, len(rest))]...)
				rest = rest[min(piece, len(rest)):]
				for {
					key, size := decodeKey(data, final)
					if size == 0 {
						break
					}
					got, data = append(got, key), data[size:]
				}
			}
			if string(got) != string(want) || len(got) != len(want) {
				t.Errorf("%q in pieces of %d: %d instead of %d", typed, piece, got, want)
			}
		}
	}
}

// cursorTo moves the cursor to the query.
var cursorTo = regexp.MustCompile(`\x1b\[1;[0-9]+H`)

// shown is a terminal that tells when a text was drawn.
type shown struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func (s *shown) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(data)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(data), nil
}

// until waits for a text and returns all that was drawn.
func (s *shown) until(t *testing.T, want string) string {
	t.Helper()
	for limit := time.After(time.Minute); ; {
		s.mu.Lock()
		text := s.text.String()
		s.mu.Unlock()
		if strings.Contains(text, want) {
			return text
		}
		select {
		case <-s.more:
		case <-limit:
			t.Fatalf("no %q in %q", want, text)
		}
	}
}

// What notes hold reaches the terminal escaped, in the list, the preview and the query.
func TestNothingRaw(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;owned\x07\x1b[2J\u202eabc\u2066\u009b31m\r\b\x00\xff"
	p := newPlace(t, map[string]string{"evil-aaaa": "---\ntitle: \"Evil \\x1b[31m\\u202e one\"\n---\n\nText " + evil + "\n\n```\n" + evil + "\n```\n"})
	screen := &shown{more: make(chan struct{}, 1)}
	in, keys := io.Pipe()
	p.std.In, p.std.Out, p.std.Typed, p.std.Width = in, screen, true, 80
	p.std.Size = func() (columns, rows int) { return 80, 24 }
	restored := false
	p.std.Raw = func() (func(), error) { return func() { restored = true }, nil }
	p.std.Quiet = func() {}
	ended := make(chan int, 1)
	go func() {
		_, code := p.run()
		ended <- code
	}()
	screen.until(t, "1 note, newest first")
	_, _ = io.WriteString(keys, "e\u202e")
	screen.until(t, "> e\\u{202E}")
	_, _ = io.WriteString(keys, "\x15evi")
	screen.until(t, "1 found among 1 note")
	_, _ = io.WriteString(keys, "\r")
	screen.until(t, "Esc, q back")
	screen.until(t, `\u{1B}]0;owned`)
	_, _ = io.WriteString(keys, "\x03")
	code := <-ended
	text := screen.until(t, leaveScreen)
	for _, own := range []string{enterScreen, leaveScreen, "\x1b[?25l", "\x1b[?25h", "\x1b[H", "\x1b[K"} {
		text = strings.ReplaceAll(text, own, "")
	}
	text = cursorTo.ReplaceAllString(looks.ReplaceAllString(text, ""), "")
	for _, r := range strings.ReplaceAll(text, "\r\n", "") {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			t.Fatalf("%q was drawn: %q", r, text)
		}
	}
	if code != 0 || !restored || !strings.Contains(text, `\u{1B}]0;owned`) {
		t.Errorf("exit %d, restored %t: %q", code, restored, text)
	}
}
