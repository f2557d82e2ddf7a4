package cli

import (
	"bytes"
	"strings"
	"testing"

	"blue/blue/result"
	"blue/blue/server"
	"blue/errors"
)

// How failures of detection end a command.
func TestExitCodesOfDetection(t *testing.T) {
	for kind, want := range map[errors.Kind]int{
		errors.NoProject: 4, errors.NotDetected: 4, errors.BadPath: 2, errors.BadMarker: 4, errors.UntrustedProject: 6,
		errors.SeveralProjects: 4, errors.OutsideAllowedRoots: 4, errors.UnknownFormat: 4, errors.FSTimeout: 4, errors.NoSession: 4,
	} {
		if got := exitCode(errors.E(kind, "x")); got != want {
			t.Errorf("%s exits %d, want %d", kind, got, want)
		}
	}
}

// What a server's keeper has done, and the link to the page, go to standard error when
// standard output does not take them.
func TestOutputLost(t *testing.T) {
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

// Documents and commits are laid out as notes are, in each width.
func TestDocumentsInEachWidth(t *testing.T) {
	found := result.Hits{Empty: true}
	found.Also = []result.ShelfHit{
		{Ref: "docs/operations/certificates.md#rotation", Kind: "document", Title: "Certificates of the broker: Rotation", Date: "2024-03-05", Snippet: "The certificate of each broker is renewed in March, by the team on duty.", Marks: [][2]int{{4, 15}}},
		{Ref: "commit 3f2a9c1", Kind: "commit", Title: "Renew certificates", Date: "2024-03-04", Author: "Ann", Files: []string{"tls/a.go", "tls/b.go", "tls/c.go"}, More: 2},
	}
	for width, want := range map[int]string{
		40: "Also in this project:\nCertificates of the broker: Rotation\n  docs/operations/certificates.md#rotation\n  document · 2024-03-05\n  The certificate of each broker is\n  renewed in March, by the team on duty.\n" +
			"Renew certificates\n  commit 3f2a9c1 · 2024-03-04 · Ann ·\n  tls/a.go tls/b.go tls/c.go and 2 more\n",
		80: "Also in this project:\nCertificates of the broker: Rotation\n  docs/operations/certificates.md#rotation · document · 2024-03-05\n  The certificate of each broker is renewed in March, by the team on duty.\n" +
			"Renew certificates\n  commit 3f2a9c1 · 2024-03-04 · Ann · tls/a.go tls/b.go tls/c.go and 2 more\n",
		120: "Also in this project:\nCertificates of the broker: Rotation\n  docs/operations/certificates.md#rotation · document · 2024-03-05\n  The certificate of each broker is renewed in March, by the team on duty.\n" +
			"Renew certificates\n  commit 3f2a9c1 · 2024-03-04 · Ann · tls/a.go tls/b.go tls/c.go and 2 more\n",
	} {
		d := &door{std: IO{Width: width}}
		if got, _, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(d.text(found), "\u00a0", " "), "\n"), "\n\n"); strings.TrimRight(got, "\n")+"\n" != want {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
}
