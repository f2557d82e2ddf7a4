package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"blue/blue"
	"blue/errors"
)

const (
	finderRows = 50                     // the list has at most so many
	escapeTime = 100 * time.Millisecond // within it the rest of an escape sequence comes

	enterScreen = "\x1b[?1049h\x1b[?7l" // the alternate screen, without automatic line breaks
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"

	resizedSignal = syscall.Signal(28) // SIGWINCH, which package syscall does not have on Windows
)

// finder is the full-screen search. All fields belong to the goroutine of [finder.run].
type finder struct {
	d             *door
	ctx           context.Context
	call          blue.Call
	leave         func() // gives the terminal back
	columns, rows int
	drawn         string // the last frame

	reading bool // the note has the whole screen, and letters are commands
	left    bool // the user has left
	query   string
	found   []found
	at      int       // index of the selected row
	count   string    // how much was found
	said    string    // about the last key, shown until the next one
	page    blue.Page // the selected note
	lines   []string  // the page as lines of the terminal
	scroll  int       // number of lines above the first visible one
	address string    // of the served page, empty before it is served

	searching bool        // found is not the answer to query yet
	answers   chan answer // of the newest request
	cancel    context.CancelFunc
}

// found is a row of the results.
type found struct{ id, title, about string }

// answer is the answer to a request. show is called if there is no error.
type answer struct {
	show func()
	err  error
}

// The bottom lines, by what keys are for.
const (
	searchKeys = "type to search · Up, Down select · Enter read · Esc leave"
	readKeys   = "Up, Down, PgUp, PgDn scroll · e edit · o open the page · Esc, q back"
)

// find runs the finder. It returns false if there is no project or no terminal that it can use.
func (d *door) find(ctx context.Context) (ran bool, err error) {
	if d.std.Width == 0 || !d.std.Typed || d.std.Raw == nil || d.checkDirectories() != nil {
		return false, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &finder{d: d, ctx: ctx, call: d.callFrom("", false), cancel: func() {}}
	f.call.Plain, f.call.Serving = true, true // no names of the project, and no waiting for a long reading
	f.call.Private = false                    // past sessions are not shown, and not searched at each key
	if _, err := d.b.Open(ctx, f.call); err != nil || f.takeTerminal() != nil {
		return false, nil
	}
	defer func() { f.leave() }() // also after a panic
	d.std.Quiet()
	return true, f.run()
}

// takeTerminal switches to raw mode and the alternate screen.
func (f *finder) takeTerminal() error {
	restore, err := f.d.std.Raw()
	if err != nil {
		return err
	}
	f.leave = sync.OnceFunc(func() {
		_, _ = io.WriteString(f.d.std.Out, leaveScreen)
		restore()
	})
	f.drawn = ""
	_, err = io.WriteString(f.d.std.Out, enterScreen)
	return err
}

// run handles keys and answers until the user leaves.
func (f *finder) run() error {
	more, input := readOnDemand(f.d.std.In)
	defer close(more)
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, resizedSignal)
	defer signal.Stop(resized)
	f.search("")
	var data []byte // an incomplete key
	var wait <-chan time.Time
	for more <- struct{}{}; !f.left; {
		f.draw()
		select {
		case <-f.ctx.Done():
			return f.ctx.Err()
		case <-resized: // draw asks for the size
		case a := <-f.answers:
			if f.searching = false; a.err != nil {
				f.fail(a.err)
			} else {
				a.show()
			}
		case read, ok := <-input:
			if !ok { // the terminal is gone
				return nil
			}
			if data, wait = f.pressAll(append(data, read...), false), nil; len(data) > 0 {
				wait = time.After(escapeTime)
			}
			more <- struct{}{}
		case <-wait:
			if wait = nil; len(input) == 0 {
				data = f.pressAll(data, true)
			}
		}
	}
	return nil
}

// readOnDemand returns a channel of what is read from in, once for each value sent to more. So no
// read is pending while the user's editor has the terminal.
func readOnDemand(in io.Reader) (more chan<- struct{}, input <-chan []byte) {
	asked, read := make(chan struct{}, 1), make(chan []byte, 1)
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for range asked {
			n, err := in.Read(buffer)
			if err != nil {
				return
			}
			read <- bytes.Clone(buffer[:n])
		}
	}()
	return asked, read
}

// ask starts a request. It cancels the former one, whose answer no longer counts.
func (f *finder) ask(work func(ctx context.Context, p *blue.Project) (show func(), err error)) {
	f.cancel()
	ctx, cancel := context.WithCancel(f.ctx)
	answers, leave := make(chan answer, 1), f.leave
	f.answers, f.cancel = answers, cancel
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				leave()
				panic(fault)
			}
		}()
		var show func()
		p, err := f.d.b.Open(ctx, f.call)
		if err == nil {
			show, err = work(ctx, p)
		}
		answers <- answer{show, err}
	}()
}

func (f *finder) fail(err error) {
	e := errors.Of(err)
	f.said = e.Message
	for _, h := range e.Hints {
		f.said += "; " + h.ForPerson()
	}
}

// search searches for the query and selects the row with the id keep or, if that is not found, the
// first one.
func (f *finder) search(keep string) {
	query := f.query
	f.searching = true
	f.ask(func(ctx context.Context, p *blue.Project) (func(), error) {
		rows, count, err := findRows(ctx, p, query)
		return func() {
			f.found, f.count = rows, count
			f.at = max(0, slices.IndexFunc(rows, func(row found) bool { return row.id == keep }))
			f.reading = f.reading && len(rows) > 0
			f.read()
		}, err
	})
}

// findRows returns what answers a query, best first, or the newest notes if it is empty.
func findRows(ctx context.Context, p *blue.Project, query string) (rows []found, count string, err error) {
	paging := blue.Paging{Limit: finderRows, Whole: true}
	add := func(id, title string, words ...string) {
		rows = append(rows, found{id, title, strings.Join(words, dot)})
	}
	if strings.TrimSpace(query) == "" {
		list, err := p.List(ctx, blue.Filter{Paging: paging})
		for _, row := range list.Notes {
			add(row.ID, row.Title, append([]string{row.Type, row.AgeAndEvidence()}, row.Remarks()...)...)
		}
		return rows, blue.Plural(list.Total, "note") + ", newest first", err
	}
	hits, err := p.Search(ctx, blue.Query{Text: query, Prefix: true, Brief: true, Paging: paging})
	if err != nil {
		return nil, "", err
	}
	above, below := hits.Beside()
	for _, hit := range above {
		add(hit.Ref, hit.Title, hit.Words()...)
	}
	for _, hit := range hits.Hits {
		add(hit.ID, hit.Title, append([]string{hit.Type, hit.AgeAndEvidence()}, hit.Remarks()...)...)
	}
	for _, hit := range below {
		add(hit.Ref, hit.Title, hit.Words()...)
	}
	return rows, fmt.Sprintf("%d found among %s", hits.Total+len(hits.Also), blue.Plural(hits.Searched, "note")), nil
}

// read reads the selected row.
func (f *finder) read() {
	if len(f.found) == 0 {
		f.show(blue.Page{})
		return
	}
	id := f.found[f.at].id
	f.ask(func(ctx context.Context, p *blue.Project) (func(), error) {
		page, err := p.Read(ctx, blue.Reading{ID: id, Whole: true, Preview: true})
		return func() { f.show(page) }, err
	})
}

// show shows a page from its first line on.
func (f *finder) show(page blue.Page) {
	p := f.pen()
	drawPage(p, page)
	f.page, f.scroll = page, 0
	f.lines = strings.Split(strings.TrimRight(p.String(), "\n"), "\n")
}

// pen returns a pen that cuts lines. It leaves the last column empty, because erasing the rest of a
// full line would erase its last character.
func (f *finder) pen() *pen {
	p := newPen(max(f.columns-1, 1), f.d.std.Color)
	p.cut = true
	return p
}

// pressAll handles the keys in data and returns the bytes of an incomplete one.
func (f *finder) pressAll(data []byte, final bool) []byte {
	for !f.left {
		key, size := decodeKey(data, final)
		if size == 0 {
			break
		}
		data, f.said = data[size:], ""
		f.press(key)
	}
	return data
}

func (f *finder) press(key rune) {
	id := ""
	if !f.searching && len(f.found) > 0 {
		id = f.found[f.at].id
	}
	switch {
	case key == 'C'-ctrl, key == keyEscape && !f.reading:
		f.left = true
	case f.reading && (key == keyEscape || key == 'q'):
		f.reading = false
		f.search(id) // an edit may have changed what is found
	case key == keyEnter:
		f.reading = f.reading || f.searching || id != ""
	case key <= keyUp && (f.reading || id != ""):
		f.move(key)
	case !f.reading:
		f.changeQuery(key)
	case key == 'e' && id != "":
		f.edit(id)
	case key == 'o' && id != "":
		f.openPage(id)
	}
}

// changeQuery changes the query by a key and searches anew.
func (f *finder) changeQuery(key rune) {
	switch {
	case key == keyBackspace:
		_, size := utf8.DecodeLastRuneInString(f.query)
		f.query = f.query[:len(f.query)-size]
	case key == 'U'-ctrl:
		f.query = ""
	case key == 'W'-ctrl:
		words := strings.TrimRight(f.query, " ")
		f.query = words[:strings.LastIndexByte(words, ' ')+1]
	case key >= ' ':
		f.query += string(key)
	default:
		return
	}
	f.search("")
}

// move selects another row, or scrolls the note.
func (f *finder) move(key rune) {
	page := f.listed()
	if f.reading {
		page = f.rows - 2
	}
	step := map[rune]int{keyDown: 1, keyUp: -1, keyPageDown: page, keyPageUp: -page}[key]
	if f.reading {
		f.scroll += step // draw keeps it in its bounds
		return
	}
	f.at = max(0, min(f.at+step, len(f.found)-1))
	f.read()
}

// edit opens a note in the user's editor, which gets the terminal.
func (f *finder) edit(id string) {
	f.leave()
	p, err := f.d.b.Open(f.ctx, f.call)
	var r result
	if err == nil {
		r, err = f.d.edited(f.ctx, p, blue.Change{ID: id})
	}
	if f.takeTerminal() != nil {
		f.left = true
	}
	f.read()
	if err != nil {
		f.fail(err)
	} else {
		f.said, _, _ = strings.Cut(textOf(r), "\n")
	}
}

// openPage opens a row in the browser. The page is served until the user leaves; its first link
// lets the browser in.
func (f *finder) openPage(id string) {
	link := f.address + "notes/" + url.PathEscape(id)
	if f.address == "" {
		ready, failed := make(chan string, 1), make(chan error, 1)
		go func() {
			failed <- f.d.serve.Page(f.ctx, f.call, 0, false, func(link string) { ready <- link })
		}()
		select {
		case link = <-ready:
			f.address, _, _ = strings.Cut(link, "?")
			link += "&note=" + url.QueryEscape(id)
		case err := <-failed:
			f.fail(err)
			return
		}
	}
	if f.said = "opened in the browser"; f.d.browse(link) != nil {
		p := f.pen()
		p.Paragraph("no browser was opened; the page is at "+link, 0)
		f.said, f.scroll, f.lines = "", 0, strings.Split(p.String(), "\n")
	}
}

// listed returns the number of rows that the list has room for.
func (f *finder) listed() int { return max(1, (f.rows-4)/3) }

// draw draws the screen if it has changed.
func (f *finder) draw() {
	columns, rows := f.d.std.Size()
	if columns != f.columns || rows != f.rows {
		f.columns, f.rows, f.drawn = columns, rows, ""
		f.show(f.page)
	}
	p, cursor := f.pen(), ""
	keys := readKeys
	if !f.reading {
		keys = searchKeys
		cursor = f.drawList(p)
	}
	lines := strings.SplitAfter(p.String(), "\n")
	lines = lines[:len(lines)-1]
	f.scroll = max(0, min(f.scroll, len(f.lines)-(rows-1-len(lines))))
	for _, line := range f.lines[f.scroll:] {
		lines = append(lines, line+"\n")
	}
	p = f.pen()
	p.Line(cmp.Or(f.said, keys), faint)
	lines = append(slices.Concat(lines, slices.Repeat([]string{"\n"}, rows))[:rows-1], strings.TrimSuffix(p.String(), "\n"))
	frame := "\x1b[?25l\x1b[H" + strings.ReplaceAll(strings.Join(lines, ""), "\n", "\x1b[K\r\n") + "\x1b[K" + cursor
	if frame != f.drawn {
		f.drawn = frame
		_, _ = io.WriteString(f.d.std.Out, frame) // when the terminal is gone, reading ends
	}
}

// drawList draws the query and the list, and returns the sequence that shows the cursor.
func (f *finder) drawList(p *pen) (cursor string) {
	query := toGlyphs(f.query, 0)
	for columnsOf(query) > max(p.columns-4, 1) { // the end is what is being typed
		query = query[1:]
	}
	p.line(slices.Concat(toGlyphs("> ", faint), query))
	first := max(0, f.at-f.listed()+1)
	for i := first; i < first+f.listed(); i++ {
		mark, l := "  ", look(0)
		if i == f.at {
			mark, l = "› ", bold
		}
		if i < len(f.found) {
			p.line(slices.Concat(toGlyphs(mark+f.found[i].title, l), toGlyphs(dot+f.found[i].about, faint)))
		} else {
			p.line(nil)
		}
	}
	p.Line(f.count, faint)
	return fmt.Sprintf("\x1b[1;%dH\x1b[?25h", 3+columnsOf(query))
}
