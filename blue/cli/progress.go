package cli

import (
	"fmt"
	"strings"
	"time"
)

const (
	progressAfter = 500 * time.Millisecond // work that ends sooner shows nothing
	progressEvery = 100 * time.Millisecond
	progressWidth = 30 // characters
)

// progress shows how far long work is, on standard error when that is a terminal
// and nowhere else. What it returns is told of each step, and takes the bar away.
func (d *door) progress(what string) (tell func(done, total int), end func()) {
	if !d.std.Watched {
		return nil, func() {}
	}
	next, drawn := time.Now().Add(progressAfter), false
	tell = func(done, total int) {
		if now := time.Now(); now.After(next) {
			next, drawn = now.Add(progressEvery), true
			fmt.Fprintf(d.std.Err, "\r%s %s\x1b[K", what, progressText(done, total))
		}
	}
	return tell, func() {
		if drawn {
			fmt.Fprint(d.std.Err, "\r\x1b[K")
		}
	}
}

// progressText is the bar; without a total it only counts.
func progressText(done, total int) string {
	if total <= 0 {
		return fmt.Sprintf("%d read", done)
	}
	full := min(done, total) * progressWidth / total
	return fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", progressWidth-full), done, total)
}
