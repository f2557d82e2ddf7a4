package git

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Of what git prints on its standard error the lines that tell how far it is are not kept,
// neither those of the other end, so that they hide no complaint.
func TestComplaintWithoutProgress(t *testing.T) {
	said := "Enumerating objects: 5, done.\nCounting objects:  50% (1/2)\rCounting objects: 100% (2/2), done.\nDelta compression using up to 2 threads\n" +
		"remote: Compressing objects:  50% (1/2)        \rremote: Compressing objects: 100% (2/2), done.        \nremote: Total 3 (delta 0), reused 0\n" +
		strings.Repeat("Writing objects:  50% (1/2), 1.00 MiB | 3 KiB/s\r", complaintMax/10) + "ssh: it is late\r\n" +
		"Writing objects: 100% (2/2), 2.00 MiB\rfatal: it ends here\n"
	var c complaint
	if _, err := io.Copy(&c, iotest.OneByteReader(strings.NewReader(said))); err != nil {
		t.Fatal(err)
	}
	if got, want := c.String(), "ssh: it is late\r\nfatal: it ends here\n"; got != want {
		t.Errorf("it keeps %q, want %q", got, want)
	}
}
