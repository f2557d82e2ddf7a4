package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"blue/blue/result"
	"blue/blue/server"
	"blue/blue/setup"
	"blue/blue/transfer"
	"blue/errors"
)

// reply is the result of a verb.
type reply interface{ Text() string }

// judged is a result that may report problems.
type judged interface{ Sound() bool }

// show prints a result. A result that reports problems sets the exit code but is not an error. If
// the result of a change cannot be written to standard output, it goes to standard error and the
// command succeeds, because the change was made.
func (d *door) show(r reply) error {
	d.progress.end()
	if j, ok := r.(judged); ok && !j.Sound() {
		d.code = 1
	}
	if page, ok := r.(result.Page); ok && len(page.Missing) > 0 {
		d.code = notFound
	}
	err := d.print(r)
	if err != nil && tellsOfChange(r) {
		d.showOnError(r, err)
		return nil
	}
	return err
}

// tellsOfChange reports whether a result describes a change.
func tellsOfChange(r reply) bool {
	switch r := r.(type) {
	case result.Written, result.Edited, result.Removed, result.RemovedAll, result.Decided, result.Resolved, result.Initialized, result.Trusted, result.Reindexed, result.Synced,
		result.Adopted, result.Sessions, switched, forgotten, setup.Plugin, transfer.Exported, server.Done:
		return true
	case transfer.Imported:
		return !r.DryRun
	case setup.Summary:
		return slices.ContainsFunc(r.Clients, func(c setup.Configured) bool { return tellsOfChange(c) })
	case setup.Configured:
		return slices.ContainsFunc(r.Files, func(f setup.Rewritten) bool { return f.Outcome != "planned" })
	}
	return false
}

// showOnError prints the result of a change on standard error after standard output failed.
func (d *door) showOnError(r reply, failed error) {
	d.out.failed = nil // reported here
	const done = "done and saved, but "
	if d.json {
		_ = printJSON(d.std.Err, map[string]any{"warning": done + errors.Of(failed).Message, "result": r}) // nowhere left to report to
		return
	}
	fmt.Fprintf(d.std.Err, "blue: warning: %s%s\n%s", done, errors.Printable(errors.Of(failed).Message), textOf(r))
}

// output is standard output. It remembers the last error.
type output struct {
	io.Writer
	before func() // called before each write; may be nil
	failed error
}

func (o *output) Write(data []byte) (n int, err error) {
	if o.before != nil {
		o.before()
	}
	if n, err = o.Writer.Write(data); err != nil {
		err = outputLost(err)
		o.failed = err
	}
	return n, err
}

func (d *door) print(r reply) error {
	if d.json {
		return printJSON(d.out, r)
	}
	if page, ok := r.(result.Page); ok && d.std.Width == 0 { // pipes get only the notes
		page.Unnamed = true
		if _, err := io.WriteString(d.std.Err, errors.Printable(page.Tail())); err != nil {
			return outputLost(err)
		}
		_, err := io.WriteString(d.out, errors.Printable(page.NoteText()))
		return err
	}
	return d.page(d.text(r))
}

// page prints a text, through the user's pager if it does not fit on the terminal.
func (d *door) page(text string) error {
	d.progress.end()
	if words := strings.Fields(d.std.Pager); d.paged && len(words) > 0 && words[0] != "cat" && d.isLong(text) {
		if runPager(words, text, d.std.Out) {
			return nil
		}
	}
	_, err := io.WriteString(d.out, text)
	return err
}

// isLong reports whether a text and the next prompt need more rows than the terminal has.
func (d *door) isLong(text string) bool {
	rows := 1
	for line := range strings.Lines(text) {
		if rows += 1 + (columnsOfText(line)-1)/d.std.Width; rows > d.std.Height {
			return true
		}
	}
	return false
}

// runPager shows a text in a pager. It returns false if the pager cannot be started. It ignores how
// the pager ends, because people quit it before the end of the text.
func runPager(words []string, text string, out io.Writer) bool {
	pager := exec.Command(words[0], words[1:]...)
	pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), out, out
	pager.Env = pager.Environ()
	if !slices.ContainsFunc(pager.Env, func(entry string) bool { return strings.HasPrefix(entry, "LESS=") }) {
		pager.Env = append(pager.Env, "LESS=FRX") // leave if one screen is enough, show colours, keep the screen
	}
	if pager.Start() != nil {
		return false
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is for the pager
	_ = pager.Wait()
	return true
}

// answer shows the result of a verb or its error.
func (d *door) answer(r reply, err error) error {
	if err != nil || r == nil {
		return err
	}
	return d.show(r)
}

// text formats a result: with a layout on a terminal, as plain text in a pipe.
func (d *door) text(r reply) string {
	if d.std.Width == 0 {
		return textOf(r)
	}
	p := newPen(d.std.Width, d.std.Color)
	switch r := r.(type) {
	case result.Page:
		drawPage(p, r)
	case result.Rows:
		drawRows(p, r)
	case result.Hits:
		drawHits(p, r)
	case result.Compared:
		drawDiff(p, r)
	case result.Log:
		drawLog(p, r)
	case result.Where, result.Checked, setup.Diagnosis, setup.ClientList:
		p.wrapPlain(textOf(r), func(string) bool { return false })
	case setup.Configured:
		p.wrapPlain(textOf(r), isCopied(r))
	default:
		return textOf(r)
	}
	return p.String()
}

// isCopied returns a function that reports whether a line of the text of c belongs to a file, so
// that people may copy it.
func isCopied(c setup.Configured) func(line string) bool {
	lines := map[string]bool{}
	add := func(text string) {
		for line := range strings.Lines(errors.Printable(text)) {
			lines[strings.TrimSuffix(line, "\n")] = true
		}
	}
	for _, f := range c.Files {
		add(f.Diff)
	}
	for _, p := range c.Prints {
		add(p.Text)
	}
	return func(line string) bool { return lines[line] }
}

func textOf(r reply) string {
	text := r.Text()
	if w, ok := r.(result.Where); ok && w.Failure != nil {
		for _, h := range w.Failure.Hints {
			text += "hint: " + h.ForPerson() + "\n"
		}
	}
	return errors.Printable(text)
}

// fail prints an error and its hints on standard error.
func (d *door) fail(err error) {
	d.progress.end()
	e := errors.Of(err)
	if d.json {
		_ = printJSON(d.std.Err, e) // nowhere left to report to
		return
	}
	fmt.Fprintf(d.std.Err, "blue: error: %s\n", errors.Printable(d.spelled(e).Text()))
	for _, h := range e.Hints {
		fmt.Fprintf(d.std.Err, "blue: hint: %s\n", errors.Printable(h.ForPerson()))
	}
}

// spelled rewords an error for the terminal: arguments of tools become flags or the names in the
// command's usage.
func (d *door) spelled(e *errors.Error) *errors.Error {
	if len(e.Arguments) == 0 || d.of == nil {
		return e
	}
	said, names := *e, slices.Clone(e.Arguments)
	for i, name := range names {
		if f, _, _ := flagOf(d.of, name); f != nil {
			names[i] = "--" + f.Names()[0]
		}
	}
	if len(names) > 1 {
		said.Message = errors.Exclusive(names...).Message
		return &said
	}
	if names[0] == e.Arguments[0] {
		names = strings.FieldsFunc(d.of.ArgsUsage+" "+names[0], func(r rune) bool { return strings.ContainsRune("[]. |", r) })
	}
	said.Message = strings.Replace(e.Message, strconv.Quote(e.Arguments[0]), strconv.Quote(names[0]), 1)
	return &said
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Exit codes used in several places: missing notes, failed detection, Ctrl-C.
const (
	notFound    = 3
	noProject   = 4
	interrupted = 130
)

// exitCode maps an error to the exit code of its kind.
func exitCode(err error) int {
	switch errors.Of(err).Kind {
	case errors.Invalid, errors.BadPath:
		return 2
	case errors.NotFound:
		return notFound
	case errors.NoProject, errors.NotDetected, errors.BadMarker, errors.SeveralProjects,
		errors.OutsideAllowedRoots, errors.UnknownFormat, errors.FSTimeout, errors.NoSession:
		return noProject
	case errors.Conflict, errors.Exists:
		return 5
	case errors.UntrustedProject, errors.SecretDetected, errors.HiddenText, errors.TooLarge, errors.Denied:
		return 6
	}
	return 1
}

const (
	progressAfter = 300 * time.Millisecond // shorter work shows no progress
	progressEvery = 100 * time.Millisecond
	progressWidth = 30 // characters
)

// slow maps commands that may take long to the label of their progress. It ends before a question.
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

// drawPage formats notes, separated by two blank lines.
func drawPage(p *pen, notes result.Page) {
	p.Narrow()
	for i, n := range notes.Notes {
		if i > 0 {
			p.Line("", 0)
			p.Line("", 0)
		}
		p.Paragraph(n.Title, bold|heading)
		p.Byline(n.ID, n.Type, n.Revision)
		p.Facts(n.Facts())
		p.Rule()
		p.Line("", 0)
		p.lines(layOutNote(n.Title, n.Body, p.room, p.color))
		for _, q := range n.Code {
			p.Line("", 0)
			p.Paragraph(q.Heading(), faint)
			for line := range strings.Lines(q.Text) {
				p.Line(strings.TrimSuffix(line, "\n"), 0)
			}
		}
	}
	p.Tail(notes.Tail())
}

// drawRows formats a list as a table.
func drawRows(p *pen, r result.Rows) {
	p.Tail(r.Head())
	table := [][]string{{"ID", "TITLE", "TYPE", "AGE", "STATE", "TAGS"}}
	for _, row := range r.Notes {
		var state []string
		if row.Stale {
			state = append(state, "stale")
		}
		for _, remark := range row.Remarks() {
			word, _, _ := strings.Cut(remark, ":")
			word, _, _ = strings.Cut(word, " ")
			state = append(state, word)
		}
		table = append(table, []string{row.ID, row.Title, row.Type, row.Age, strings.Join(state, " "), strings.Join(row.Tags, " ")})
	}
	p.Table(table)
	p.Tail(r.Tail())
}

// drawHits formats search results with the query's words highlighted.
func drawHits(p *pen, h result.Hits) {
	p.Narrow()
	p.Tail(h.Head())
	above, below := h.Around()
	drawShelfHits(p, above)
	for _, hit := range h.Hits {
		p.Paragraph(hit.Title, bold|heading)
		words := append([]string{hit.Type, hit.AgeAndEvidence()}, hit.Remarks()...)
		if len(hit.Tags) > 0 {
			words = append(words, "#"+strings.Join(hit.Tags, " #"))
		}
		p.About(hit.ID, words...)
		if hit.Snippet != "" {
			p.Snippet(hit.Snippet, hit.Marks)
		}
		if sum := hit.Sum(); sum != "" {
			p.Remark(sum)
		}
	}
	p.Tail(h.Notices())
	if len(below) > 0 {
		p.Tail(result.ShelfHeading)
		drawShelfHits(p, below)
	}
	p.Tail(h.Rest())
	if len(h.Sessions) > 0 {
		p.Tail(result.SessionsHeading)
		drawSessions(p, h.Sessions)
	}
}

// drawSessions formats exchanges of past sessions.
func drawSessions(p *pen, found []result.SessionHit) {
	for _, hit := range found {
		p.Snippet(hit.Question, hit.QuestionMarks)
		if hit.Answer != "" {
			p.Snippet(hit.Answer, hit.AnswerMarks)
		}
		p.About(hit.ID, hit.Words()...)
		p.Remark(hit.Open())
	}
}

// drawShelfHits formats documents and commits.
func drawShelfHits(p *pen, found []result.ShelfHit) {
	for _, hit := range found {
		p.Paragraph(hit.Title, bold|heading)
		p.About(hit.Ref, hit.Words()...)
		if hit.Snippet != "" {
			p.Snippet(hit.Snippet, hit.Marks)
		}
		for _, reason := range hit.Notes {
			p.Remark(reason.Line())
		}
	}
}

// drawDiff formats a unified diff.
func drawDiff(p *pen, c result.Compared) {
	for line := range strings.Lines(c.Text()) {
		l := look(0)
		switch line[0] {
		case '-':
			l = removed
		case '+':
			l = added
		case '@':
			l = faint
		}
		p.Line(strings.TrimSuffix(line, "\n"), l)
	}
}

// drawLog formats a log.
func drawLog(p *pen, l result.Log) {
	p.Narrow()
	for _, e := range l.Entries {
		p.Paragraph(e.Title, bold)
		p.About(e.ID, e.Who(), e.Age, e.Revision)
	}
	p.Tail(l.Tail())
}

// forgotten is the result of --forget.
type forgotten struct{ result.Projects }

// switched is the result of --on and --off.
type switched struct{ result.SyncStatus }

// outputLost returns the error for output that cannot be written.
func outputLost(err error) *errors.Error {
	return errors.E(errors.Disk, "the output cannot be written: %w", err).
		Hint("", "", "send it elsewhere: the file or pipe that gets it is full or closed")
}
