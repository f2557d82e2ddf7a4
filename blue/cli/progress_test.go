package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue"
)

// A command that works longer than 0.3 s shows how far it is on a terminal, until its
// result is shown. A shorter one shows nothing, and nothing is written to what is no terminal.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := &door{std: IO{Err: &out}, out: &output{Writer: &out}, b: blue.New(blue.Options{Env: func(string) string { return "" }})}
		if d.watch("import"); d.progress != nil {
			t.Error("somebody watches who is no terminal")
		}
		d.tell(1, 2)
		d.std.Watched = true
		if d.watch("edit"); d.progress != nil {
			t.Error("an editor has the terminal")
		}
		d.watch("import")
		d.tell(1, 10)
		time.Sleep(progressAfter - time.Millisecond)
		d.progress.end()
		if time.Sleep(time.Second); out.Len() > 0 {
			t.Errorf("short work shows %q", out.String())
		}
		d.watch("import")
		time.Sleep(350 * time.Millisecond)
		d.tell(3, 0)
		time.Sleep(100 * time.Millisecond)
		d.tell(5, 10)
		time.Sleep(100 * time.Millisecond)
		d.progress.end()
		d.progress.end()
		time.Sleep(time.Second)
		if got := strings.ReplaceAll(out.String(), "\x1b[K", ""); got != "\rImporting 0.3 s\rImporting 3 read\rImporting [###############...............] 5 of 10\r" {
			t.Errorf("%q", got)
		}
		out.Reset()
		d.watch("search")
		time.Sleep(time.Second)
		if _, err := d.out.Write([]byte("result")); err != nil || !strings.HasSuffix(out.String(), "s\x1b[K\r\x1b[Kresult") {
			t.Errorf("%q, %v", out.String(), err)
		}
		d.watch("init")
		time.Sleep(time.Second)
		d.fail(io.EOF)
		asked := out.Len()
		if time.Sleep(time.Second); out.Len() != asked {
			t.Errorf("the progress goes on below a message: %q", out.String()[asked:])
		}
	})
}
