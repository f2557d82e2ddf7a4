package cli

import (
	"bytes"
	"strings"
	"testing"

	"blue/blue/server"
	"blue/errors"
)

// D210: how failures of detection end a command.
func TestExitCodesOfDetection(t *testing.T) {
	for kind, want := range map[errors.Kind]int{
		errors.NoProject: 4, errors.NotDetected: 4, errors.BadPath: 2, errors.BadMarker: 4, errors.UntrustedProject: 6,
		errors.SeveralProjects: 4, errors.OutsideAllowedRoots: 4, errors.UnknownFormat: 4, errors.FSTimeout: 4, errors.NoSession: 4,
	} {
		if got := exitCode(errors.E(kind, "x")); got != want {
			t.Errorf("D210: %s exits %d, want %d", kind, got, want)
		}
	}
}

// R023: what a server's keeper has done, and the link to the page, go to standard error when
// standard output does not take them.
func TestR023OutputLost(t *testing.T) {
	var said bytes.Buffer
	d := &door{std: IO{Err: &said}, out: &output{Writer: failing{}}}
	if err := d.show(server.Done{}); err != nil || d.out.failed != nil || !strings.Contains(said.String(), "done and saved, but the output cannot be written: no space") {
		t.Errorf("%v, %v: %s", err, d.out.failed, said.String())
	}
	said.Reset()
	if d.ready("http://127.0.0.1:1/x", false); d.out.failed != nil || !strings.HasPrefix(said.String(), "http://127.0.0.1:1/x\n") {
		t.Errorf("%v: %s", d.out.failed, said.String())
	}
	if err := d.show(server.Table{}); err == nil || d.out.failed == nil {
		t.Error("a list that cannot be written is no failure")
	}
}
