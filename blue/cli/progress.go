package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	progressAfter = 300 * time.Millisecond // work that ends sooner shows nothing
	progressEvery = 100 * time.Millisecond
	progressWidth = 30 // characters
)

// slow maps the commands that may take long to the words their progress begins with. None
// of them reads from the terminal.
var slow = map[string]string{
	"init": "Reading", "search": "Searching", "where": "Reading", "list": "Listing", "read": "Reading", "check": "Checking", "sync": "Syncing",
	"import": "Importing", "export": "Exporting", "reindex": "Indexing", "stats": "Counting", "log": "Reading", "review": "Reading",
}

// progress shows on a terminal how far a command is, until its result is shown.
type progress struct {
	to    io.Writer
	what  string                                // the command does
	state func() (what string, done, total int) // what it waits for; no words when it waits for nothing

	mu          sync.Mutex
	done, total int  // as the command has told
	told        bool // tell has been called
	drawn       bool
	ended       chan struct{}
}

// watch begins to show the progress of a command that may be slow, on standard error when
// that is a terminal and nowhere else.
func (d *door) watch(command string) {
	if what := slow[command]; what != "" && d.std.Watched {
		d.progress = &progress{to: d.std.Err, what: what, state: d.b.Underway, ended: make(chan struct{})}
		d.out.before = d.progress.end
		go d.progress.draw()
	}
}

// tell records how far the command is.
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

// end erases the progress and stops drawing it.
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

// progressText is the bar; without a total it only counts.
func progressText(done, total int) string {
	if total <= 0 {
		return fmt.Sprintf("%d read", done)
	}
	full := min(done, total) * progressWidth / total
	return fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", progressWidth-full), done, total)
}
