package main

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var kills = flag.Int("kills", 20, "kill -9 the server this many times (promise 1: 1,000)")

// Promise 1: what was acknowledged is there after kill -9 at any moment, and
// whole: 20 hot notes, their sums, and all their former texts.
func TestPromise1Killed(t *testing.T) {
	t.Parallel()
	p, pen := newPlace(t), newPen("k")
	for i := range *kills {
		s := p.serve(t)
		timer := time.AfterFunc(rand.N(120*time.Millisecond), func() { _ = s.cmd.Process.Kill() })
		must(t, pen.write(s))
		timer.Stop()
		_ = s.cmd.Wait() // killed
		known := pen.known()
		if faults := lost(t, p.project, known, known); len(faults) > 0 {
			t.Fatalf("after kill %d: %q", i, faults)
		}
		found, _ := survey(t, p.project)
		pen.resume(found)
	}
	known := pen.known()
	if acknowledged(known) < *kills/4 { // on a slow machine most are killed before their first
		t.Fatalf("only %d writes: nothing was tested", acknowledged(known))
	}
	p.run(t, "check")
	t.Logf("%d kills, %d writes acknowledged to %d notes, 0 lost, 0 torn", *kills, acknowledged(known), len(known))
}
