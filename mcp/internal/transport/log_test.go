package transport

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Each minute begins anew.
func TestEachMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []int
		q := refusals{tell: func(heldBack int) { told = append(told, heldBack) }}
		for range 3 {
			shown := 0
			for range 2 * refusalsPerMinute {
				if q.show() {
					shown++
				}
			}
			if shown != refusalsPerMinute {
				t.Errorf("%d lines in a minute", shown)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		if q.show(); fmt.Sprint(told) != "[20 20 20]" {
			t.Errorf("held back: %v", told)
		}
		q.end()
		if len(told) != 3 {
			t.Errorf("held back: %v", told)
		}
	})
}
