package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	progressAfter = 300 * time.Millisecond // shorter work shows no progress
	progressEvery = 100 * time.Millisecond
	progressWidth = 30 // characters
)

// slow maps commands that may take long to the label of their progress. None of them reads from the
// terminal.
var slow = map[string]string{
	"init": "Reading", "search": "Searching", "where": "Reading", "list": "Listing", "read": "Reading", "check": "Checking", "sync": "Syncing",
	"import": "Importing", "export": "Exporting", "reindex": "Indexing", "stats": "Counting", "log": "Reading", "review": "Reading",
}

// progress draws the progress of a command on a terminal until its result is shown.
type progress struct {
	to    io.Writer
	what  string                                // label of the command
	state func() (what string, done, total int) // what the command waits for; what is empty if nothing

	mu          sync.Mutex
	done, total int  // reported by the command
	told        bool // tell was called
	drawn       bool
	ended       chan struct{}
}

// watch starts drawing the progress of a slow command if standard error is a terminal.
func (d *door) watch(command string) {
	if what := slow[command]; what != "" && d.std.Watched {
		d.progress = &progress{to: d.std.Err, what: what, state: d.b.Underway, ended: make(chan struct{})}
		d.out.before = d.progress.end
		go d.progress.draw()
	}
}

// tell records the progress of the command.
func (d *door) tell(done, total int) {
	if p := d.progress; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done, p.total, p.told = done, total, true
	}
}

func (p *progress) draw() {
	began := time.Now()
	wait := time.NewTimer(progressAfter)
	defer wait.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-wait.C:
			wait.Reset(progressEvery)
		}
		what, done, total := p.state()
		p.mu.Lock()
		switch {
		case p.told:
			what, done, total = p.what, p.done, p.total
		case what != "":
			what = "Reading " + what
		}
		text := fmt.Sprintf("%s %.1f s", p.what, time.Since(began).Seconds())
		if what != "" {
			text = what + " " + progressText(done, total)
		}
		select {
		case <-p.ended:
		default:
			fmt.Fprintf(p.to, "\r%s\x1b[K", text)
			p.drawn = true
		}
		p.mu.Unlock()
	}
}

// end erases the progress and stops drawing.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return
	default:
	}
	close(p.ended)
	if p.drawn {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

// progressText returns the bar, or a count if there is no total.
func progressText(done, total int) string {
	if total <= 0 {
		return fmt.Sprintf("%d read", done)
	}
	full := min(done, total) * progressWidth / total
	return fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", progressWidth-full), done, total)
}
