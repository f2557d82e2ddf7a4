package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: long work shows a bar on a terminal, which goes away at the end;
// short work shows nothing, and nobody else sees any.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := &door{std: IO{Err: &out}}
		if tell, end := d.progress("Importing"); tell != nil {
			t.Error("somebody watches who is no terminal")
		} else {
			end()
		}
		d.std.Watched = true
		tell, end := d.progress("Importing")
		tell(1, 10)
		end()
		if out.Len() > 0 {
			t.Errorf("short work shows %q", out.String())
		}
		tell, end = d.progress("Importing")
		time.Sleep(time.Second)
		tell(3, 0)
		tell(4, 0) // too soon
		time.Sleep(time.Second)
		tell(5, 10)
		end()
		if got := strings.ReplaceAll(out.String(), "\x1b[K", ""); got != "\rImporting 3 read\rImporting [###############...............] 5 of 10\r" {
			t.Errorf("%q", got)
		}
	})
}
