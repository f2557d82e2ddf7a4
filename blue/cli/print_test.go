package cli

import (
	"testing"

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
